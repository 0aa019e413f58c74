import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { matchSql } from '../../../../src/sources/containers/sql/read-sql.ts';
import { readDump } from './read-dump.ts';

/** Tables of each sample and their numbers of rows, counted by hand. */
const SAMPLES: Record<string, Record<string, number>> = {
  discourse: {
    'public.user_emails': 7,
    'public.user_passwords': 5,
    'public.user_associated_accounts': 1,
    'public.users': 6,
  },
  drupal: { users: 1, users_field_data: 8 },
  laravel: { migrations: 1, users: 7 },
  magento: { customer_entity: 6 },
  nhost: { 'auth.user_providers': 1, 'auth.users': 6 },
  pocketbase: { _externalAuths: 1, users: 5 },
  strapi: { 'public.admin_users': 1, 'public.up_users': 6 },
  supabase: { 'public.users': 1, 'auth.audit_log_entries': 1, 'auth.identities': 13, 'auth.users': 13 },
  supertokens: {
    'public.all_auth_recipe_users': 7,
    'public.emailpassword_users': 5,
    'public.emailverification_verified_emails': 4,
    'public.thirdparty_users': 2,
    'public.user_metadata': 1,
    'public.userid_mapping': 2,
  },
  wordpress: { wp_options: 1, wp_usermeta: 36, wp_users: 12 },
};

/** Systems that store addresses in another table than users. */
const JOINED = new Set(['discourse', 'supertokens']);

interface Expected {
  exports: {
    files: string[];
    users: { row: number | null; email: string | null; emailInFile?: string }[];
  }[];
}

const sample = (system: string, file: string) => readFileSync(`test/sources/samples/${system}/${file}`);

it.each(Object.entries(SAMPLES))('reads the sample of %s', async (system, tables) => {
  const dump = sample(system, 'dump.sql');
  expect(matchSql({ head: dump })).toBe('fits');
  const { asked, rows, problem } = await readDump(dump);
  expect(problem).toBeUndefined();
  expect(asked.map(({ name }) => name)).toEqual(Object.keys(tables));
  expect(Object.fromEntries(Object.entries(rows).map(([name, some]) => [name, some.length]))).toEqual(tables);
  expect(
    Object.values(rows)
      .flat()
      .filter((row) => typeof row === 'string'),
  ).toEqual([]);
  const { exports } = JSON.parse(sample(system, 'expected.json').toString()) as Expected;
  const users = exports.filter(({ files }) => files.includes('dump.sql')).flatMap((one) => one.users);
  expect(users.length).toBeGreaterThan(0);
  // Every user's address must be in its row of some table, or in any row if tables are joined.
  for (const { row, email, emailInFile = email } of users) {
    if (row === null || emailInFile === null) continue;
    const candidates = Object.values(rows).flatMap((some) =>
      JOINED.has(system) ? some : some.slice(row - 1, row),
    );
    const cells = candidates.flatMap((record) => (typeof record === 'object' ? Object.values(record) : []));
    expect(cells).toContain(emailInFile);
  }
});
