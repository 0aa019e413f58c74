import { describe, expect, it } from 'vitest';
import { buildRegistry } from '../../../src/hashing/registry.ts';
import { HashRefused, type ParsedHash } from '../../../src/hashing/verifier.ts';
import { knownThirdPartyId } from '../../../src/sources/fields/providers.ts';
import type { Form, Settings } from '../../../src/sources/source.ts';
import type { SourceUser } from '../../../src/sources/source-user.ts';
import { DEFAULT_LIMITS, secretsFor } from '../../hashing/vectors.ts';
import { FIREBASE_TO_DJANGO } from './firebase-to-django.ts';
import { readTables } from './read-tables.ts';
import { filesOfSample, sampleText, systemsWithSamples, tablesOfSample } from './sample-tables.ts';

interface ThirdParty {
  thirdPartyId: string;
  thirdPartyUserId: string;
  email: string;
  isVerified?: boolean;
}

interface Expected {
  row: number | null;
  externalUserId: string;
  result: string;
  reason?: string;
  email: string | null;
  emailVerified: boolean | null;
  timeJoined: number | null;
  password: string | null;
  hash: { canonical: string } | null;
  thirdParty: ThirdParty[];
  metadataHas?: object;
  alsoRight?: string[];
}

interface Export {
  files: string[];
  detect: string;
  options?: Record<string, string | number>;
  users: Expected[];
}

const OURS = FIREBASE_TO_DJANGO.map(({ name }) => name);
const exportsOf = (system: string): Export[] => JSON.parse(sampleText(`${system}/expected.json`)).exports;
const EXPORTS = OURS.flatMap((system) =>
  exportsOf(system).map((one) => ({ ...one, system, title: `${system}: ${one.files.join(', ')}` })),
);

const signerKey = exportsOf('firebase')[0]?.options?.signerKey;
const registry = buildRegistry(
  DEFAULT_LIMITS,
  secretsFor('external_scrypt', Buffer.from(`${signerKey}`, 'base64')),
);

/** As the service reads the hash of a line; undefined where it refuses it. */
function parsed(password: SourceUser['password']): ParsedHash | undefined {
  if (password === undefined || !('encoded' in password)) return undefined;
  const { encoded, algorithm } = password;
  const verifier = algorithm === undefined ? registry.recognise(encoded) : registry.named(algorithm);
  try {
    return verifier?.parse(encoded);
  } catch (error) {
    if (error instanceof HashRefused) return undefined;
    throw error;
  }
}

const normal = (email: string | undefined) => email?.trim().toLowerCase();

const thirdPartiesOf = ({ identities = [], email, isVerified }: SourceUser): ThirdParty[] =>
  identities.flatMap((identity) => {
    const thirdPartyId = knownThirdPartyId(identity.provider);
    if (thirdPartyId === undefined) return [];
    const own = normal(identity.email ?? email) ?? '';
    const verified = identity.isVerified ?? (own === normal(email) ? isVerified : undefined) ?? false;
    return [{ thirdPartyId, thirdPartyUserId: identity.userId, email: own, isVerified: verified }];
  });

/** What the pipeline makes of a user, in short. */
function judge(user: SourceUser, taken: Set<string>): { result: string; reason?: string } {
  const { state, hasPhone = false, password, identities = [] } = user;
  const email = normal(user.email);
  if (state !== undefined) return { result: 'skip', reason: state };
  if (email === undefined) return { result: 'skip', reason: hasPhone ? 'PHONE_ONLY' : 'NO_EMAIL' };
  if (password !== undefined && 'problem' in password) return { result: 'error', reason: password.problem };
  if (password === undefined && thirdPartiesOf(user).length === 0) {
    return { result: 'skip', reason: identities.some(({ isSso }) => isSso) ? 'SSO_USER' : 'NO_LOGIN_METHOD' };
  }
  if (password !== undefined && !('plainText' in password) && parsed(password) === undefined) {
    return { result: 'error', reason: 'PASSWORD_HASH_INVALID' };
  }
  if (taken.has(email)) return { result: 'conflict', reason: 'DUPLICATE_EMAIL' };
  taken.add(email);
  return { result: 'import' };
}

function formOf(tables: ReturnType<typeof tablesOfSample>): { system: string; form: Form }[] {
  return FIREBASE_TO_DJANGO.flatMap(({ name, forms }) => {
    const form = forms.find((one) => tables.some(({ head }) => one.isUsers(head, {})));
    return form === undefined ? [] : [{ system: name, form }];
  });
}

describe.each(EXPORTS)('$title', ({ system, files, detect, options = {}, users: expected }) => {
  const tables = files.flatMap((file) => tablesOfSample(`${system}/${file}`));
  const settings: Settings = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, `${value}`]),
  );
  const found = formOf(tables);
  const form = found[0]?.form as Form;

  it('is of this system and no other', () => {
    const seen = found.map((one) => [one.system, one.form.name]);
    expect(seen).toEqual([[system, detect.split(' + ')[0]]]);
  });

  it('has these users', () => {
    const { users } = readTables(form, tables, settings);
    const taken = new Set<string>();
    expect(users.map(({ row }) => row)).toEqual(expected.map(({ row }) => row));
    for (const [at, { row, user }] of users.entries()) {
      const wanted = expected[at] as Expected;
      const { result, reason, externalUserId, email, metadataHas, alsoRight = [] } = wanted;
      const verified = wanted.emailVerified ?? false;
      const fromObjectId = wanted.timeJoined === null && alsoRight.some((text) => text.includes('ObjectId'));
      expect({ row, ...judge(user, taken) }).toEqual({
        row,
        result,
        ...(reason !== undefined && { reason }),
      });
      expect({
        row,
        externalUserId: user.externalUserId,
        email: normal(user.email) ?? null,
        verified: user.isVerified ?? false,
        timeJoined: fromObjectId ? null : (user.timeJoinedMs ?? null),
      }).toEqual({ row, externalUserId, email, verified, timeJoined: wanted.timeJoined });
      const metadata = { ...user.metadata, ...(user.emails !== undefined && { emails: user.emails }) };
      if (metadataHas !== undefined) expect(metadata).toMatchObject(metadataHas);
      expect(byId(thirdPartiesOf(user))).toEqual(
        byId(wanted.thirdParty.map((one) => ({ isVerified: verifiedOf(one, wanted), ...one }))),
      );
    }
  });

  it('has passwords that sign in, and no others', async () => {
    const { users } = readTables(form, tables, settings);
    for (const [at, { row, user }] of users.entries()) {
      const { password } = expected[at] as Expected;
      const hash = parsed(user.password);
      expect({ row, hasHash: hash !== undefined }).toEqual({ row, hasHash: password !== null });
      if (password === null || hash === undefined) continue;
      expect({ row, signsIn: await hash.verify(Buffer.from(password)) }).toEqual({ row, signsIn: true });
      expect({ row, signsIn: await hash.verify(Buffer.from(`x${password}`)) }).toEqual({
        row,
        signsIn: false,
      });
    }
  });
});

/** Where it does not say: as the user's own address, if it is that. */
const verifiedOf = ({ email }: ThirdParty, user: Expected) =>
  email === user.email && user.emailVerified === true;
const byId = (list: readonly ThirdParty[]) =>
  [...list].sort((a, b) => a.thirdPartyId.localeCompare(b.thirdPartyId));

it('takes no table of another system', () => {
  const others = systemsWithSamples().filter((system) => !OURS.includes(system));
  expect(others.length).toBeGreaterThan(20);
  const wrong = others.flatMap((system) =>
    filesOfSample(system).flatMap((file) =>
      formOf(tablesOfSample(`${system}/${file}`)).map(({ form }) => `${system}/${file} as ${form.name}`),
    ),
  );
  expect(wrong).toEqual([]);
});
