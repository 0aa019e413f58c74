import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/lib/errors.ts';
import { knownThirdPartyId } from '../../../src/sources/fields/providers.ts';
import type { Settings } from '../../../src/sources/source.ts';
import type { SourceUser } from '../../../src/sources/source-user.ts';
import { normalizeEmail } from '../../../src/users/email.ts';
import { acceptedHash } from './accepted-hash.ts';
import { APP_SYSTEMS } from './app-systems.ts';
import { SAMPLES, tablesOf } from './app-tables.ts';
import { findForm, methodsOf, readUsers } from './read-users.ts';

interface ExpectedUser {
  row: number;
  externalUserId: string;
  result: 'import' | 'skip' | 'error';
  reason?: string;
  email: string | null;
  emailVerified: boolean | null;
  timeJoined: number | null;
  password: string | null;
  hash: { signerKey?: string } | null;
  thirdParty: { thirdPartyId: string; thirdPartyUserId: string; email: string; isVerified?: boolean }[];
  metadataHas?: Record<string, unknown>;
}

interface ExpectedExport {
  files: string[];
  detect: string;
  options?: Settings;
  users: ExpectedUser[];
}

const expectedOf = (system: string): ExpectedExport[] =>
  JSON.parse(readFileSync(new URL(`${system}/expected.json`, SAMPLES), 'utf8')).exports;

const CASES = APP_SYSTEMS.flatMap((source) =>
  expectedOf(source.name).flatMap(({ files, detect, options, users }) => {
    const tables = files.flatMap((file) => tablesOf(`${source.name}/${file}`));
    const read = readUsers(source, tables, { settings: options ?? {} });
    return users.map((expected) => ({
      title: `${detect}, row ${expected.row}`,
      source,
      detect,
      form: read.form,
      expected,
      user: read.users[expected.row - 1],
      signerKey: expected.hash?.signerKey ?? signerKeyOf(source.name, files),
      count: [read.users.length, users.length],
    }));
  }),
);

function signerKeyOf(system: string, files: readonly string[]): string | undefined {
  const file = files.find((name) => name === 'signer-key.txt');
  return file && readFileSync(new URL(`${system}/${file}`, SAMPLES), 'utf8').trim();
}

/** As the pipeline judges, but for what needs other rows. */
function judge(user: SourceUser, signerKey: string | undefined): { result: string; reason?: string } {
  if (user.state !== undefined) return { result: 'skip', reason: user.state };
  const { password } = user;
  if (password !== undefined && 'problem' in password) return { result: 'error', reason: password.problem };
  const methods = methodsOf(user);
  if (user.email === undefined) {
    return {
      result: 'skip',
      reason: user.hasPhone === true && methods.length === 0 ? 'PHONE_ONLY' : 'NO_EMAIL',
    };
  }
  if (methods.length === 0) return { result: 'skip', reason: 'NO_LOGIN_METHOD' };
  try {
    for (const { hash } of methods) if (hash !== undefined) acceptedHash(hash, signerKey);
    return { result: 'import' };
  } catch (error) {
    if (error instanceof AppError) return { result: 'error', reason: error.code };
    throw error;
  }
}

describe('the samples', () => {
  it.each(CASES)('$title', async ({ user, expected, signerKey, form, detect, count }) => {
    expect(form.name).toBe(detect);
    expect(count[0]).toBe(count[1]);
    if (user === undefined) throw new Error('the row was not read');
    const { result, reason } = expected;
    expect(judge(user, signerKey)).toEqual(reason === undefined ? { result } : { result, reason });
    expect(user.externalUserId).toBe(expected.externalUserId);
    expect(user.timeJoinedMs ?? null).toBe(expected.timeJoined);
    expect(user.email === undefined ? null : normalizeEmail(user.email)).toBe(expected.email);
    if (expected.email !== null) expect(user.isVerified ?? null).toBe(expected.emailVerified);
    expect(user.metadata ?? {}).toMatchObject(expected.metadataHas ?? {});
    const methods = methodsOf(user);
    const identities = methods.flatMap(({ identity }) => identity ?? []);
    expect(
      identities.map(({ provider, ...rest }) => ({ thirdPartyId: knownThirdPartyId(provider), ...rest })),
    ).toEqual(
      expected.thirdParty.map(({ thirdPartyId, thirdPartyUserId, email, isVerified = user.isVerified }) => ({
        thirdPartyId,
        userId: thirdPartyUserId,
        email,
        isVerified,
      })),
    );
    if (expected.password === null || result === 'error') return;
    const hash = methods.find((method) => method.hash !== undefined)?.hash;
    if (hash === undefined) throw new Error('the hash was not read');
    const parsed = acceptedHash(hash, signerKey);
    expect(await parsed.verify(Buffer.from(expected.password.normalize('NFKC')))).toBe(true);
    expect(await parsed.verify(Buffer.from(`${expected.password}?`))).toBe(false);
  });
});

describe('the tables of other systems', () => {
  const others = readdirSync(SAMPLES).flatMap((system) =>
    expectedOf(system).map(({ files }) => ({
      system,
      files,
      tables: files.flatMap((file) => readable(`${system}/${file}`)),
    })),
  );
  const foreign = APP_SYSTEMS.flatMap((source) =>
    others
      .filter(({ system }) => system !== source.name)
      .map((other) => ({
        ...other,
        source,
        title: `${source.name} leaves ${other.system}/${other.files[0]} alone`,
      })),
  );

  /** Some samples are of containers that are read by others, and some are meant to be broken. */
  function readable(path: string) {
    try {
      return tablesOf(path);
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  }

  it('are many', () => {
    expect(others.filter(({ tables }) => tables.length > 0).length).toBeGreaterThan(40);
  });

  it.each(foreign)('$title', ({ source, tables }) => {
    const heads = tables.map(({ head }) => head);
    expect(findForm(source, heads)?.form.name).toBeUndefined();
  });
});
