import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { firebase } from '../../../src/sources/systems/firebase.ts';
import {
  adviceOf,
  contextOf,
  formNamed,
  formsOf,
  headOf,
  jsonTablesOf,
  readTables,
  tablesOfSample,
} from './read-users.ts';

const PARAMETERS = { memCost: '14', rounds: '8', saltSeparator: 'Bw==' };
const json = formNamed(firebase, 'firebase-json');
const csv = formNamed(firebase, 'firebase-csv');
const adminSdk = formNamed(firebase, 'firebase-admin-sdk');

const USER = {
  localId: 'a',
  email: 'a@b.c',
  passwordHash: 'aGFzaA==',
  salt: 'c2FsdA==',
  providerUserInfo: [],
};
const passwordOf = (changes: SourceRecord, settings = {}) =>
  json.read({ ...USER, ...changes }, contextOf({ settings: { ...PARAMETERS, ...settings } }))?.password;

describe('unusable hashes', () => {
  it.each([
    ['fakeHash:salt=fakeSaltX:password=secret1', 'EMULATOR_EXPORT'],
    ['UkVEQUNURUQ=', 'HASH_REDACTED'],
  ])('are not read from %s', (passwordHash, problem) => {
    expect(passwordOf({ passwordHash })).toMatchObject({ problem });
    expect(JSON.stringify(passwordOf({ passwordHash }))).not.toContain('secret1');
  });

  it.each([{ memCost: undefined }, { rounds: undefined }, { saltSeparator: undefined }])(
    'lack %j',
    (missing) => {
      expect(passwordOf({}, missing)).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
    },
  );

  it('have another algorithm, or no salt', () => {
    expect(passwordOf({}, { algorithm: 'BCRYPT' })).toMatchObject({ problem: 'HASH_ALGORITHM_UNKNOWN' });
    expect(passwordOf({ salt: undefined })).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
  });
});

it('joins base64 that was broken into lines', () => {
  expect(passwordOf({ passwordHash: 'aGFz\naA==\r\n', salt: 'c2Fs\ndA==' })).toMatchObject({
    encoded: '$f_scrypt$aGFzaA==$c2FsdA==$m=14$r=8$s=Bw==',
  });
});

it('accepts an empty separator', () => {
  expect(passwordOf({}, { saltSeparator: '' })).toMatchObject({ encoded: expect.stringMatching(/\$s=$/) });
});

it('leaves out unknown providers, and counts accounts without an id', () => {
  const dropped: string[] = [];
  const user = json.read(
    {
      ...USER,
      phoneNumber: '+1555',
      mfaInfo: [{ mfaEnrollmentId: '1' }],
      providerUserInfo: [
        { providerId: 'password', rawId: 'a@b.c' },
        { providerId: 'phone', rawId: '+1555' },
        { providerId: 'google.com' },
        { providerId: 'saml.corp', rawId: 'u-1' },
        { providerId: 'oidc.own', rawId: 'u-2' },
        { providerId: 'yahoo.com', rawId: 3 },
      ],
    },
    contextOf({ settings: PARAMETERS, drop: (what) => dropped.push(what) }),
  );
  expect(user?.identities).toEqual([
    { provider: 'saml.corp', userId: 'u-1', isSso: true },
    { provider: 'oidc.own', userId: 'u-2', isSso: true },
    { provider: 'yahoo.com', userId: '3', isSso: false },
  ]);
  expect(dropped.sort()).toEqual(['identities without an id', 'mfa', 'phone numbers']);
});

it('reads the output of listUsers() in the Admin SDK', async () => {
  const [table] = await jsonTablesOf({
    users: [
      {
        uid: 'X8IrEiyWGyQJWZDMaj4m8f5PFoLB',
        email: 'ada@example.org',
        emailVerified: true,
        disabled: false,
        metadata: { lastSignInTime: null, creationTime: 'Tue, 10 Aug 2021 01:22:07 GMT' },
        passwordHash: 'aG-zaA==',
        passwordSalt: 'c2_sdA==',
        customClaims: { role: 'admin' },
        multiFactor: { enrolledFactors: [{ uid: '1' }] },
        providerData: [
          { uid: 'ada@example.org', providerId: 'password' },
          { uid: '+1555', providerId: 'phone' },
          { uid: '342', providerId: 'google.com', email: 'ada@gmail.example' },
        ],
      },
      { uid: 'b', metadata: {}, providerData: [] },
    ],
    pageToken: 'x',
  });
  if (table === undefined) throw new Error('no table');
  expect(formsOf(firebase, table.head)).toEqual(['firebase-admin-sdk']);
  const { users, dropped } = readTables(adminSdk, [table], { settings: PARAMETERS });
  expect(users[0]).toEqual({
    externalUserId: 'X8IrEiyWGyQJWZDMaj4m8f5PFoLB',
    email: 'ada@example.org',
    isVerified: true,
    timeJoinedMs: Date.UTC(2021, 7, 10, 1, 22, 7),
    password: { encoded: '$f_scrypt$aG-zaA==$c2_sdA==$m=14$r=8$s=Bw==', algorithm: 'external_scrypt' },
    identities: [{ provider: 'google.com', userId: '342', email: 'ada@gmail.example', isSso: false }],
    metadata: { customAttributes: { role: 'admin' } },
    state: undefined,
    hasPhone: false,
  });
  expect(users[1]?.state).toBe('ANONYMOUS');
  expect(dropped).toEqual({ mfa: 1 });
});

it.each([52, 53])('reads a CSV of %d cells, with accounts at Apple and Microsoft', (cells) => {
  const record = Object.fromEntries(Array.from({ length: cells }, (_cell, at) => [`${at}`, '']));
  Object.assign(record, { 0: 'a', 1: 'a@b.c', 2: 'false', 23: '1628558527123', 26: 'true' });
  Object.assign(record, { 28: 'apple-1', 29: 'x@relay', 32: 'ms-1', 44: 'li-1', 48: 'y-1' });
  const table = headOf([record], { container: 'csv', columns: new Set(), cells });
  expect(formsOf(firebase, table)).toEqual(['firebase-csv']);
  expect(csv.read(record, contextOf())).toMatchObject({
    state: 'DISABLED',
    timeJoinedMs: 1628558527123,
    identities: [
      { provider: 'apple.com', userId: 'apple-1', email: 'x@relay' },
      { provider: 'microsoft.com', userId: 'ms-1' },
      { provider: 'linkedin.com', userId: 'li-1' },
      { provider: 'yahoo.com', userId: 'y-1' },
    ],
  });
  expect(
    adviceOf(csv, table)
      .map(({ text }) => text)
      .join(),
  ).not.toContain('This CSV has no accounts');
});

it('rejects CSV with other cells', () => {
  const record = { 0: 'a', 1: 'b', 2: 'true' };
  const about = { container: 'csv', columns: new Set<string>() } as const;
  for (const cells of [10, 27, 30, 54])
    expect(formsOf(firebase, headOf([record], { ...about, cells }))).toEqual([]);
  expect(formsOf(firebase, headOf([{ ...record, 2: 'TRUE?' }], { ...about, cells: 29 }))).toEqual([]);
});

describe('advice', () => {
  const table = headOf([USER]);
  const said = (records: SourceRecord[], settings = {}) =>
    adviceOf(json, headOf(records), settings).map(({ level, text }) => `${level}: ${text}`);

  it('stops if the hash parameters are missing or of another project', () => {
    const stop = (settings: Record<string, string>) =>
      adviceOf(json, table, settings).filter(({ level }) => level === 'stop');
    expect(stop({})).toEqual([expect.objectContaining({ text: expect.stringContaining('hash_config') })]);
    const other = Buffer.alloc(64).toString('base64');
    expect(stop({ ...PARAMETERS, signerKey: other })[0]?.text).toContain('another project');
    expect(stop({ ...PARAMETERS, signerKey: Buffer.alloc(4).toString('base64') })).toEqual([]);
    expect(stop(PARAMETERS)).toEqual([]);
  });

  it('does not stop if there is no hash', () => {
    const levels = adviceOf(json, headOf([{ localId: 'a', email: 'a@b.c' }])).map(({ level }) => level);
    expect(levels).toEqual(['warn', 'note']);
  });

  it('names what an emulator, a redacted export and a narrow CSV lack', async () => {
    expect(said([{ ...USER, passwordHash: 'fakeHash:salt=x:password=y' }]).join()).toContain('emulator');
    expect(said([{ ...USER, passwordHash: 'UkVEQUNURUQ=' }]).join()).toContain('getHashConfig');
    const narrow = (await tablesOfSample('firebase/users.csv'))[0]?.head ?? table;
    const texts = adviceOf(csv, narrow, PARAMETERS).map(({ text }) => text);
    expect(texts.join()).toContain('--format=json');
  });
});
