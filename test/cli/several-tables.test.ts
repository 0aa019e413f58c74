import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BCRYPT, readNdjson, runCli, scratch, scratchFile } from './command-line.ts';

const run = (command: string, ...args: string[]) => runCli([command, ...args]);
const idsOf = ({ stdout }: { stdout: string }) =>
  readNdjson(stdout).map(({ externalUserId }) => externalUserId);

const laravel = (table: string, id: string) =>
  `CREATE TABLE public.${table} (id bigint, name text, email text, email_verified_at text, password text, remember_token text, created_at text, updated_at text);
INSERT INTO public.${table} VALUES ('${id}', 'N', '${table}@example.com', NULL, '${BCRYPT}', 't', '2024-01-01', '2024-01-01');\n`;
const dump = (...tables: string[]) =>
  ['-- PostgreSQL database dump\n', ...tables, '-- PostgreSQL database dump complete\n'].join('');
const devise = (email: string, id: string) =>
  `id,email,encrypted_password,reset_password_token,created_at\n${id},${email},${BCRYPT},,2022-01-01\n`;
const clerk = (id: string, banned = false) => ({
  ...{ id, banned, email_addresses: [], primary_email_address_id: null, external_accounts: [] },
});

describe('several tables that fit as users', () => {
  it('stop the import until one is named', async () => {
    const file = scratchFile('dump.sql', dump(laravel('users', '1'), laravel('sellers', '2')));
    const stopped = await run('convert', file);
    expect([stopped.code, stopped.stdout]).toEqual([2, '']);
    expect(stopped.stderr).toContain('fit as users: public.users, public.sellers.');
    expect(stopped.stderr).toContain('--table public.users');
    expect(idsOf(await run('convert', file, '--table', 'users'))).toEqual(['1']);
    expect(idsOf(await run('convert', file, '--table', 'public.sellers'))).toEqual(['2']);
    expect(idsOf(await run('convert', file, '--table', '*'))).toEqual(['1', '2']);
    expect((await run('convert', file, '--table', 'admins')).code).toBe(1);
  });

  it('are not asked about again, unless they refer to the users, hold no users, or hold those who are out', async () => {
    const others = [
      laravel('sellers', '2'),
      laravel('pending_users', '3'),
      laravel('drivers', '4').replace('name text', 'user_id text'),
      `CREATE TABLE public.banned (email text, reason text);\nINSERT INTO public.banned VALUES ('users@example.com', 'x');\n`,
    ];
    const file = scratchFile('dump.sql', dump(laravel('users', '1'), ...others));
    const ownTable = scratchFile(
      'own.sql',
      dump(laravel('users', '1'), ...others).replaceAll('remember_token', 'r'),
    );
    for (const args of [[file], [ownTable, '--active', 'everybody', '--ignore', 'r,updated_at,name']]) {
      const { code, stderr } = await run('convert', ...args, '--table', 'users');
      expect(code).toBe(2);
      expect(stderr).toContain('--ignore-table public.pending_users,public.drivers,public.banned,');
    }
  });

  it('stop it as files, too', async () => {
    const files = [scratchFile('members.csv', devise('m@example.com', '1'))];
    files.push(scratchFile('users.csv', devise('u@example.com', '2')));
    const stopped = await run('convert', ...files);
    expect([stopped.code, stopped.stdout]).toEqual([2, '']);
    expect(stopped.stderr).toContain('fit as users: members, users.');
    expect(idsOf(await run('convert', ...files, '--table', 'users'))).toEqual(['2']);
    expect(idsOf(await run('convert', ...files, '--table', '*'))).toEqual(['1', '2']);
  });

  it('are tables of any form of a system', async () => {
    const texts = ['a', 'b'].map((name) => `id,email,password_hash\n${name},${name}@example.com,${BCRYPT}\n`);
    const files = texts.map((text, index) => scratchFile(`part${index}.csv`, text));
    const everybody = ['--active', 'everybody'];
    expect((await run('convert', ...files, ...everybody)).code).toBe(2);
    expect(idsOf(await run('convert', ...files, ...everybody, '--table', '*'))).toEqual(['a', 'b']);
  });

  it('--set table is refused with the new flag', async () => {
    const { code, stderr } = await run('inspect', 'x.csv', '--set', 'table=users');
    expect([code, stderr]).toEqual([1, expect.stringContaining('--table users')]);
  });
});

it('a user who is on no page of a list of all users is an error', async () => {
  const header =
    'id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses,unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest,password_hasher';
  const row = (id: string) => `user_${id},A,B,,${id}@example.com,,${id}@example.com,,,,,${BCRYPT},bcrypt`;
  const users = scratchFile('users.csv', [header, row('a'), row('b'), row('c')].join('\n'));
  const page = scratchFile('page1.json', JSON.stringify([clerk('user_a'), clerk('user_b', true)]));
  const report = join(scratch(), 'report.ndjson');
  expect((await run('convert', users)).stderr).toContain('--without-table api');
  const converted = await run('convert', users, page, '--report', report);
  expect([converted.code, idsOf(converted)]).toEqual([2, ['user_a']]);
  const other = scratchFile('page2.json', JSON.stringify([clerk('user_c')]));
  expect(idsOf(await run('convert', users, page, other))).toEqual(['user_a', 'user_c']);
  expect(idsOf(await run('convert', users, '--without-table', 'api'))).toHaveLength(3);
});
