import { describe, expect, it } from 'vitest';
import { explainColumns } from '../../../src/sources/mapping/column-plan.ts';
import type { Settings } from '../../../src/sources/source.ts';
import { generic } from '../../../src/sources/systems/generic.ts';
import { findForm, readOne, readUsers, type TestTable, tableOf } from './read-users.ts';

const csv = (record: Readonly<Record<string, unknown>>) => tableOf('csv', [record]);
const fits = (table: TestTable, settings: Settings = {}) => findForm(generic, [table], { settings })?.name;
const BCRYPT = '$2b$10$TzvzETI8H7bq4HTR1mg5/O9hi/DhmNEFr9aDveFz.dYhoUYbF6u5.';

describe('the generic source', () => {
  it.each([
    ['nothing that an address could be', csv({ id: '1', hash: 'x' })],
    ['an address and nothing else to know a user by', csv({ email: 'a@x', name: 'A' })],
    ['a provider without an id', csv({ email: 'a@x', provider: 'google' })],
    ['columns without names', tableOf('csv', [{ 0: '1', 1: 'a@x' }], { columns: [], cells: 2 })],
    ['a table of a database, of which there are many', tableOf('sql', [{ id: '1', email: 'a@x' }])],
    ['people of a directory', tableOf('ldif', [{ id: ['1'], email: ['a@x'] }])],
    ['nothing at all', tableOf('json', [])],
  ])('rejects %s', (_, table) => {
    expect(fits(table)).toBeUndefined();
  });

  it.each([
    ['a mapping that is wrong', { map: 'email' }],
    ['a template that is wrong', { hash: '{' }],
  ])('accepts no table by %s', (_, settings) => {
    expect(fits(csv({ id: '1', email: 'a@x' }), settings)).toBeUndefined();
    const advice = generic.forms[0]?.advice?.({ tables: [], settings });
    expect(advice?.[0]?.level).toBe('stop');
  });

  it('reads known columns, and reports their meanings', () => {
    const table = csv({ 'E-Mail': 'a@x', Password_Digest: 'h', UserID: '7', Plan: 'pro', reset_token: 't' });
    expect(fits(table)).toBe('generic-csv');
    expect(explainColumns(table.head, {})).toEqual([
      { column: 'UserID', use: 'id', why: 'by its name' },
      { column: 'E-Mail', use: 'email', why: 'by its name' },
      { column: 'Password_Digest', use: 'hash', why: 'by its name' },
      { column: 'Plan', use: undefined, why: 'not kept' },
      { column: 'reset_token', use: undefined, why: 'not kept' },
    ]);
    expect(readOne(generic, table)).toMatchObject({
      externalUserId: '7',
      email: 'a@x',
      password: { encoded: 'h' },
    });
  });

  it('takes the most specific of several names', () => {
    const table = csv({ password: 'plain', password_hash: 'h', mail: 'b@x', email: 'a@x', _id: '1' });
    expect(readOne(generic, table)).toMatchObject({
      email: 'a@x',
      password: { encoded: 'h' },
      externalUserId: '1',
    });
  });

  it('has a different form in each container', () => {
    const record = { id: 1, email: 'a@x' };
    expect(fits(tableOf('json', [record]))).toBe('generic-json');
    expect(fits(tableOf('sql', [record]), { map: 'email=email' })).toBe('generic-sql');
    expect(fits(tableOf('sql', [record], { name: 'app.members' }), { table: 'members' })).toBe('generic-sql');
  });

  it.each([
    ['true', true],
    ['F', false],
    ['yes', true],
    ['', false],
    [null, false],
    ['2021-06-03 08:06:36+00', true],
    ['0000-00-00 00:00:00', false],
    ['1651870014456', true],
    [1, true],
  ])('reads a flag or a time: %j', (verified, expected) => {
    expect(readOne(generic, csv({ id: '1', email: 'a@x', verified })).isVerified).toBe(expected);
  });

  it.each([
    ['created_on', '20240115103000'],
    ['date_joined', '2024-01-15 10:30:00'],
    ['registered', '1705314600'],
    ['Joined At', '2024-01-15T10:30:00Z'],
    ['creationTimestamp', '1705314600000'],
  ])('reads the time of creation from %s', (name, value) => {
    expect(readOne(generic, csv({ id: '1', email: 'a@x', [name]: value })).timeJoinedMs).toBe(1705314600000);
  });

  it.each([
    ['is_verified', 't', true],
    ['is_verified', 'pending', false],
    ['isEmailVerified', '0', false],
    ['email_confirmed_at', '20240115103000', true],
    ['email_confirmed_at', '', false],
    ['email_verified_on', '2024-01-15', true],
  ])('reads whether an address is verified from %s %s', (name, value, isVerified) => {
    expect(readOne(generic, csv({ id: '1', email: 'a@x', [name]: value })).isVerified).toBe(isVerified);
  });

  it('does not guess whether an address is verified without a column', () => {
    expect(readOne(generic, csv({ id: '1', email: 'a@x' })).isVerified).toBeUndefined();
  });
});

describe('a plain password', () => {
  const read = (password: string, settings: Settings = {}) =>
    readOne(generic, csv({ id: '1', email: 'a@x', password }), settings).password;

  it('is read only if the operator says so', () => {
    expect(read('correct horse')).toEqual({ encoded: 'correct horse' });
    expect(read('correct horse', { plainTextPasswords: 'true' })).toEqual({ plainText: 'correct horse' });
    expect(read('', { plainTextPasswords: 'true' })).toBeUndefined();
  });

  it.each([
    BCRYPT,
    '{SSHA}x',
    '5f4dcc3b5aa765d61d8327deb882cf99',
    'pbkdf2_sha256$1$s$h',
    'U$S$x',
    '$wp$2y$10$x',
  ])('is never a possible hash: %s', (hash) => {
    expect(read(hash, { plainTextPasswords: 'true' })).toEqual({ encoded: hash });
  });
});

describe('a mapping of the operator', () => {
  it('combines a hash in the order of the template', () => {
    const record = { mail: 'a@x', pw_hash: 'deadbeef', pw_salt: '00ff', name: 'A' };
    const settings = {
      map: 'email=mail,hash=pw_hash,salt=pw_salt',
      hash: '$pbkdf2-sha256$i=27500$\\{salt|hex\\}$\\{hash|hex\\}',
    };
    const user = readOne(generic, csv(record), settings);
    expect(user.password).toEqual({ encoded: '$pbkdf2-sha256$i=27500$AP8$3q2+7w' });
    expect(user.metadata).toBeUndefined();
    expect(explainColumns(csv(record).head, settings)).toEqual([
      { column: 'mail', use: 'email', why: 'by --map or --hash' },
      { column: 'pw_salt', use: 'template', why: 'by --map or --hash' },
      { column: 'pw_hash', use: 'template', why: 'by --map or --hash' },
      { column: 'name', use: undefined, why: 'not kept' },
    ]);
  });

  it('leaves columns to the guess if it does not name them, also in the template', () => {
    const record = { email: 'a@x', password_hash: 'ff', salt: 'pepper' };
    const user = readOne(generic, csv(record), { hash: '{salt|utf8}.{hash|hex}', algorithm: 'x' });
    expect(user.password).toEqual({ encoded: 'cGVwcGVy./w', algorithm: 'x' });
    expect(user.metadata).toBeUndefined();
  });

  it('sets who may sign in, and who signs in elsewhere', () => {
    const map = 'identity.google=gid,provider=p,providerUserId=pid';
    const active = 'banned=false\ndeleted_at is null';
    const read = (record: object) =>
      readOne(generic, csv({ id: '1', email: 'a@x', ...record }), { map, active });
    expect(read({ banned: 'yes', deleted_at: null }).state).toBe('DISABLED');
    expect(read({ banned: '0', deleted_at: '2024-01-01' }).state).toBe('DISABLED');
    expect(read({ banned: '0', deleted_at: null }).state).toBeUndefined();
    expect(read({ deleted_at: null }).state).toBe('DISABLED');
    expect(read({ gid: '17', p: 'github', pid: 8 }).identities).toEqual([
      { provider: 'github', userId: '8' },
      { provider: 'google', userId: '17' },
    ]);
  });

  it('sets words for yes', () => {
    const map = 'verified=bestätigt,email=kontakt.mail';
    const record = { id: 1, bestätigt: 'JA', kontakt: { mail: 'a@x', ort: 'Ulm' }, x: 1 };
    const table = tableOf('json', [record]);
    const user = readOne(generic, table, { map, true: 'ja,oui' });
    expect(user).toMatchObject({ email: 'a@x', isVerified: true });
    const uses = explainColumns(table.head, { map, keep: 'ort=kontakt.ort' });
    expect(uses).toContainEqual({ column: 'x', use: undefined, why: 'not kept' });
    expect(uses).toContainEqual({ column: 'kontakt.ort', use: 'metadata.ort', why: 'by --keep' });
  });

  it('names cells of a file without a header by their position', () => {
    const table = tableOf('csv', [{ 0: '1', 1: 'a@x', 2: BCRYPT }], { columns: [], cells: 3 });
    const user = readOne(generic, table, { map: 'id=0,email=1,hash=2', algorithm: 'bcrypt' });
    expect(user).toMatchObject({ externalUserId: '1', email: 'a@x', password: { encoded: BCRYPT } });
    expect(fits(table, { map: 'email=3' })).toBeUndefined();
  });

  it('chooses the table of a database that has its columns', () => {
    const tables = [
      tableOf('sql', [{ id: '1', email: 'a@x' }], { name: 'public.newsletter' }),
      tableOf('sql', [{ id: '1', email: 'b@x', pw: 'h' }], { name: 'public.members' }),
    ];
    const settings = { map: 'email=email,hash=pw' };
    expect(readUsers(generic, tables, { settings }).users).toMatchObject([{ email: 'b@x' }]);
  });

  it.each([
    [
      'a column that is missing',
      { id: '1', email: 'a@x' },
      { map: 'hash=pw' },
      /^stop: --map, --hash or --active names columns that are not there: pw\. The table has id, email\./,
    ],
    ['hashes that are nowhere', { id: '1', email: 'a@x' }, {}, /^warn: No column of hashes was found/],
    [
      'passwords in the clear',
      { id: '1', email: 'a@x', hash: 'h' },
      { plainTextPasswords: 'true' },
      /^warn: Values in the column of hashes that are not hashes/,
    ],
  ])('is reported for %s', (_, record, settings: Settings, text) => {
    expect(readUsers(generic, [csv(record)], { settings }).advice).toEqual([expect.stringMatching(text)]);
  });
});
