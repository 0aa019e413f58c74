import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/imports/input/exact-json.ts';
import type { JsonObject } from '../../../src/imports/input/json-object.ts';
import type { ContainerName, TableHead } from '../../../src/sources/containers/table.ts';
import type { Detail, Form } from '../../../src/sources/source.ts';
import { APP_SYSTEMS } from './app-systems.ts';
import { NOW_MS } from './read-users.ts';

/** Texts that say something to a reader, in columns where they say something else. */
const MEANT = [
  '',
  'NULL',
  't',
  '0',
  '1',
  'true',
  '0000-00-00 00:00:00',
  '9999-12-31',
  'ada@example.com',
  'public',
  'thirdparty',
  'emailpassword',
  '{}',
  '[]',
  '{"a":{"b":[]}}',
  '[{"provider":"x","subject":null}]',
  '$2a$10$x',
  's2:a:b',
  ':',
  '$firescrypt$ln=14,r=8,p=1$a$b$c$d',
  '\ud800',
];
const value = fc.oneof(
  fc.anything({
    withNullPrototype: true,
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withSparseArray: true,
  }),
  fc.constantFrom<unknown>(...MEANT),
  fc.constantFrom<unknown>(
    new ExactNumber('12345678901234567890'),
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    5e-324,
  ),
  fc.array(
    fc.oneof(
      fc.constantFrom<unknown>(...MEANT),
      fc.dictionary(fc.constantFrom('recipeId', 'email', 'tenantIds', 'via', 'value'), fc.anything()),
    ),
  ),
);
const values = fc.array(value, { minLength: 1, maxLength: 12 });

/** A record that has whatever column is asked for. */
function recordOf(cells: readonly unknown[]): JsonObject {
  const cellAt = (name: string) =>
    cells[[...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % cells.length];
  return new Proxy({}, { get: (_, name) => (typeof name === 'string' ? cellAt(name) : undefined) });
}

function headOf(cells: readonly unknown[], columns: readonly string[], container: ContainerName): TableHead {
  return { container, name: 'public.users', columns: new Set(columns), first: [recordOf(cells)], root: {} };
}

const COLUMNS = [
  'id',
  '_id',
  '$id',
  'email',
  'password',
  'encrypted_password',
  'remember_token',
  'emailVerified',
  'createdAt',
  'image',
  'name',
  'schema_id',
  'traits',
  'create',
  'loginMethods',
  'user_id',
  'recipe_id',
  'time_joined',
  'hashed_password',
  'userId',
  'providerId',
  'accountId',
  'provider',
  'providerAccountId',
  'loginIds',
  'emails',
  'providers',
  'tokenKey',
  'verified',
  'registration',
  'prefs',
  'PasswordHash',
  'SecurityStamp',
  'NormalizedEmail',
  'Email',
  'object',
  'email_verified',
];

describe.each(APP_SYSTEMS.map((source) => [source.name, source.forms] as const))('%s', (_name, forms) => {
  it('reads whatever a record holds without throwing', () => {
    fc.assert(
      fc.property(values, values, (cells, kept) => {
        for (const form of forms) readWith(form, cells, kept);
      }),
      { numRuns: 100 },
    );
  });

  it('looks at whatever table there is without throwing', () => {
    fc.assert(
      fc.property(
        values,
        fc.subarray(COLUMNS),
        fc.constantFrom<ContainerName>('json', 'csv', 'sql'),
        (cells, columns, container) => {
          const table = headOf(cells, columns, container);
          const tables = [table];
          for (const form of forms) {
            for (const isNamed of [true, false])
              expect(form.isUsers(table, {}, { tables, isNamed })).toBeTypeOf('boolean');
            for (const detail of Object.values(form.details ?? {})) lookAt(detail, table);
            expect(form.advice?.({ tables, settings: {} }) ?? []).toBeInstanceOf(Array);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});

function readWith(form: Form, cells: readonly unknown[], kept: readonly unknown[]): void {
  const user = form.read(recordOf(cells), {
    table: headOf(cells, COLUMNS, 'json'),
    settings: { socialColumns: 'google_id,provider_id', stretches: 'x', shaVersion: 'sha256' },
    nowMs: NOW_MS,
    details: () => [recordOf(kept), recordOf(cells)],
    hasDetail: () => true,
    drop: () => undefined,
  });
  if (user === undefined) return;
  expect([undefined, 'string']).toContain(typeof user.email === 'string' ? 'string' : user.email);
  expect([undefined, 'string']).toContain(
    typeof user.externalUserId === 'string' ? 'string' : user.externalUserId,
  );
  expect([undefined, true, false]).toContain(user.isVerified);
  for (const { provider, userId } of user.identities ?? [])
    expect([typeof provider, typeof userId]).toEqual(['string', 'string']);
  const { password } = user;
  if (password !== undefined && 'encoded' in password) expect(password.encoded).toBeTypeOf('string');
}

function lookAt(detail: Detail, table: TableHead): void {
  const [record = {}] = table.first;
  expect(detail.fits(table)).toBeTypeOf('boolean');
  expect([undefined, 'string']).toContain(
    typeof detail.keyOf(record) === 'string' ? 'string' : detail.keyOf(record),
  );
  expect(['object', 'undefined']).toContain(typeof detail.keep(record));
}
