import { expect, it } from 'vitest';
import { Tally } from '../../../src/sources/pipeline/tally.ts';
import { fileOf } from '../containers/read-whole.ts';
import { planOf, verdictsOf } from '../samples.ts';

const BCRYPT = '$2b$04$Kk3X1dQv5vQ1mJ0m8w7jzeF3r1m0nq1n0uJx3T2XvX0X0o7p5yq9K';

async function droppedOf(texts: readonly string[], options: Record<string, string> = {}) {
  const files = texts.map((text, index) => ({ ...fileOf(text), name: `file ${index}` }));
  const tally = new Tally();
  await verdictsOf(await planOf({ files, options }), { tally });
  return Object.fromEntries(tally.dropped);
}

const copy = (table: string, rows: readonly Record<string, string>[]) =>
  [
    'SET standard_conforming_strings = on;',
    `COPY public.${table} (${Object.keys(rows[0] ?? {}).join(', ')}) FROM stdin;`,
    ...rows.map((row) => Object.values(row).join('\t')),
    '\\.\n',
  ].join('\n');

const csv = (...rows: readonly Record<string, string>[]) =>
  [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map((row) => row.join(','))
    .join('\n');

it('leaves columns to a system that interprets them', async () => {
  const user = { email: 'a@x', password: BCRYPT, is_authorized: 't', otp_secret: 'DPJQ3FYM3XYR4RFA' };
  const rows = [
    { id: '1', username: 'ada', ...user, has_2fa: 'f' },
    { id: '2', username: 'two', ...user, has_2fa: 't' },
  ];
  for (const text of [csv(...rows), JSON.stringify(rows), copy('users_info', rows)])
    expect(await droppedOf([text])).toEqual({ mfa: 1 });
});

it('counts the columns of any table, once for each user', async () => {
  const user = { email: 'a@x', hash: BCRYPT };
  const rows = [
    { id: '1', ...user, has_2fa: 'true', totp_secret: 'x' },
    { id: '2', ...user, has_2fa: 'false', totp_secret: '' },
    { id: '3', ...user, has_2fa: 'false', totp_secret: '' },
  ];
  const expected = { mfa: 1 };
  expect(await droppedOf([csv(...rows)])).toEqual(expected);
  expect(await droppedOf([JSON.stringify(rows)])).toEqual(expected);
});
