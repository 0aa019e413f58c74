import { expect, it } from 'vitest';
import { adviceOnTenants } from '../../../src/sources/fields/tenants.ts';
import { headOf } from '../systems/read-users.ts';

const usersOf = (...names: string[]) => [headOf(names.map((owner) => ({ owner })))];
const advise = (changes: Partial<Parameters<typeof adviceOnTenants>[0]>) =>
  adviceOnTenants({
    title: 'organisation',
    setting: 'organization',
    wanted: undefined,
    users: usersOf('built-in', 'shop'),
    column: 'owner',
    ...changes,
  }).map(({ level, text }) => `${level}: ${text}`);

it('warns about several tenants until the operator names one', () => {
  expect(advise({})).toEqual([expect.stringMatching(/^warn: .*--set organization=NAME$/)]);
  expect(advise({ users: usersOf('shop', 'shop') })).toEqual([]);
  expect(advise({ wanted: 'shop' })).toEqual([]);
});

it('stops at an unknown tenant, and lists the known ones', () => {
  expect(advise({ wanted: 'Shop' })).toEqual([expect.stringMatching(/^stop: .*There are: built-in, shop\./)]);
});

it('shows no names that may be data', () => {
  for (const name of ['ada@example.com', '00000000-0000-0000-0000-000000000001'])
    expect(advise({ wanted: 'x', users: usersOf(name) })).toEqual([
      expect.stringMatching(/^stop: No user has the organisation x\. The column owner of the users/),
    ]);
});

it('does not stop if the tenant may come later, or has no users yet', () => {
  expect(advise({ wanted: 'later', users: usersOf(...Array<string>(20).fill('shop')) })).toEqual([]);
  const tenants = { tables: [headOf([{ name: 'empty' }])], column: 'name' };
  expect(advise({ wanted: 'empty', tenants })).toEqual([]);
});
