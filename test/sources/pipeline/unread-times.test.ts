import { expect, it } from 'vitest';
import { timeOf } from '../../../src/sources/fields/time.ts';
import { newTally } from '../../../src/sources/pipeline/judge.ts';
import { countUnreadTimes } from '../../../src/sources/pipeline/unread-times.ts';
import { fileOf, planOf, verdictsOf } from '../samples.ts';

const countsOf = (value: unknown, name = 'created_at') => {
  const counts = new Map<string, number>();
  countUnreadTimes({ [name]: value }, counts);
  return Object.fromEntries(counts);
};

it.each([
  '15/01/2024',
  '01/15/2024 10:30:00.123456 EST',
  '01/15/2024 10:30:00',
  '01-15-2024 10:30:00',
  '15-01-2024',
  '1/15/24, 10:30 AM',
  '15.01.2024 10:30:00 CET',
  '15-JAN-24 10.30.00.000000 AM',
  '15-Jan-2024',
  'Mon Jan 15 10:30:00.123 2024 EST',
  'Mon 15 Jan 10:30:00.123456 2024 CET',
  '2024-01-15 10:30:00.123 CET',
  '2024-01-15 10:30:00 Europe/Berlin',
])('counts %s, which is a time in an unknown form', (value) => {
  expect(timeOf(value)).toBeUndefined();
  expect(countsOf(value)).toEqual({ created_at: 1 });
  expect(countsOf(value, 'birthday')).toEqual({});
});

it.each([
  null,
  undefined,
  '',
  'NULL',
  '0000-00-00 00:00:00',
  '1900-01-01',
  '0001-01-01T00:00:00',
  '2024-01-15 10:30:00+00',
  1705314600,
  '01.23.45.67.89',
  '12-34-5678901',
  '1.2.24',
  'The 3 musketeers',
  '192.168.10.12',
  'x'.repeat(200),
])('does not count %s', (value) => {
  expect(countsOf(value)).toEqual({});
});

it('says how many times of users were left out, by column', async () => {
  const rows = ['id,name,email,email_verified_at,password,remember_token,created_at,updated_at,last_login'];
  for (const [id, time] of ['01/15/2024 10:30:00 EST', '2024-01-15 10:30:00', '', 'NULL'].entries())
    rows.push(
      `${id},N,u${id}@x.org,,$2b$12$C9wmJjmBpASJS8/.gFb8dO3f2dVk5WSgQy1mbwHvpXUqk8mSTS7/e,t,${time},,${time}`,
    );
  const file = {
    ...fileOf('users.csv'),
    open: async function* () {
      yield Buffer.from(`${rows.join('\n')}\n`);
    },
  };
  const tally = newTally();
  await verdictsOf(await planOf({ files: [file], options: {} }), { tally });
  expect(Object.fromEntries(tally.unreadTimes)).toEqual({ created_at: 1, last_login: 1 });
});
