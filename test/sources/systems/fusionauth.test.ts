import { pbkdf2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildRegistry } from '../../../src/hashing/registry.ts';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { fusionauth } from '../../../src/sources/systems/fusionauth.ts';
import { DEFAULT_LIMITS } from '../../support/vectors.ts';
import {
  adviceOf,
  formNamed,
  formsOf,
  headOf,
  jsonTablesOf,
  readTables,
  type TestTable,
} from './read-users.ts';

const users = formNamed(fusionauth, 'fusionauth-users');
const tables = formNamed(fusionauth, 'fusionauth-tables');
const USER = { id: 'u1', email: 'a@b.c', active: true, insertInstant: 1512360248000 };
const SCHEME = { encryptionScheme: 'salted-pbkdf2-hmac-sha256', factor: 1000, salt: 'c2FsdA==' };

function read(record: SourceRecord, root: SourceRecord = {}) {
  const found = readTables(users, [{ head: headOf([record], { name: 'users', root }), records: [record] }]);
  return { ...found.users[0], dropped: found.dropped };
}

it('uses defaults beside the list', async () => {
  const password = pbkdf2Sync('pässwörd', 'salt', 1000, 32, 'sha256').toString('base64');
  const [table] = await jsonTablesOf({
    encryptionScheme: 'salted-pbkdf2-hmac-sha256',
    factor: 1000,
    users: [{ ...USER, salt: 'c2FsdA==', password }],
  });
  const found = table && readTables(users, [table]).users[0]?.password;
  if (found === undefined || !('encoded' in found)) throw new Error('no hash');
  const hash = buildRegistry(DEFAULT_LIMITS).named('pbkdf2')?.parse(found.encoded);
  expect(await hash?.verify(Buffer.from('pässwörd'))).toBe(true);
});

describe('unusable hashes', () => {
  it.each([
    [{ ...SCHEME, encryptionScheme: undefined, password: 'AAAA' }, 'HASH_ALGORITHM_UNKNOWN'],
    [{ password: 'may be one in the clear' }, 'HASH_ALGORITHM_UNKNOWN'],
    [{ ...SCHEME, encryptionScheme: 'phpass-md5', password: 'AAAA' }, 'HASH_ALGORITHM_UNKNOWN'],
    [{ ...SCHEME, encryptionScheme: 'constructor', password: 'AAAA' }, 'HASH_ALGORITHM_UNKNOWN'],
    [{ ...SCHEME, salt: undefined, password: 'AAAA' }, 'PASSWORD_HASH_INVALID'],
    [{ ...SCHEME, factor: undefined, password: 'AAAA' }, 'PASSWORD_HASH_INVALID'],
    [{ ...SCHEME, password: 'too short' }, 'PASSWORD_HASH_INVALID'],
    [{ ...SCHEME, factor: 'many', password: Buffer.alloc(32).toString('base64') }, 'PASSWORD_HASH_INVALID'],
  ])('%j', (changes, problem) => {
    expect(read({ ...USER, ...changes }).password).toMatchObject({ problem });
  });
});

it('takes the primary address from the list of newer versions', () => {
  const identities = [
    { type: 'username', value: 'ada' },
    { type: 'email', value: 'x@b.c' },
    { type: 'email', value: 'a@b.c', primary: true },
  ];
  expect(read({ ...USER, email: undefined, identities }).email).toBe('a@b.c');
  expect(read({ ...USER, email: undefined, identities: identities.slice(0, 1) }).email).toBeUndefined();
});

it('counts what cannot be imported', () => {
  const record = {
    ...USER,
    mobilePhone: '+1555',
    twoFactor: { methods: [{ method: 'authenticator' }] },
    registrations: [{ roles: ['admin'] }],
    memberships: [{ groupId: 'g' }],
  };
  expect(read(record).dropped).toEqual({ 'phone numbers': 1, mfa: 1, roles: 1, organisations: 1 });
});

it('reads the tables of its database', () => {
  const sql = (name: string, records: SourceRecord[]): TestTable => ({
    head: headOf(records, { container: 'sql', name }),
    records,
  });
  const identity = { id: '1', users_id: 'u1', email: 'a@b.c', verified: 't', username: null };
  const hash = { encryption_scheme: 'bcrypt', factor: '10', salt: 'a'.repeat(22), password: 'b'.repeat(31) };
  const dump = [
    sql('identities', [{ ...identity, ...hash }]),
    sql('users', [
      {
        id: 'u1',
        active: 'f',
        insert_instant: '1512360248000',
        tenants_id: 't',
        data: '{"a":1}',
        first_name: 'Ada',
        mobile_phone: '+1',
      },
    ]),
  ];
  expect(formsOf(fusionauth, dump[0]?.head ?? headOf([]))).toEqual([tables.name]);
  const { users: found, dropped } = readTables(tables, dump);
  expect(found[0]).toMatchObject({
    externalUserId: 'u1',
    isVerified: true,
    timeJoinedMs: 1512360248000,
    state: 'DISABLED',
    password: { encoded: `$2a$10$${'a'.repeat(22)}${'b'.repeat(31)}`, algorithm: 'bcrypt' },
    metadata: { data: { a: 1 }, firstName: 'Ada' },
  });
  expect(dropped).toEqual({ 'phone numbers': 1 });
  expect(adviceOf(tables, headOf([]))[0]?.text).toContain('social logins');
});

it('gives advice about missing data', () => {
  const levels = (record: SourceRecord) => adviceOf(users, headOf([record])).map(({ level }) => level);
  expect(levels(USER)).toEqual(['warn', 'note']);
  expect(levels({ ...USER, password: 'x' })).toEqual(['note']);
});
