import { describe, expect, it } from 'vitest';
import type { MistakeCode } from '../../../src/hashing/mistakes.ts';
import { HashRefused } from '../../../src/hashing/refused.ts';
import type { HashVerifier, ParsedHash } from '../../../src/hashing/verifier.ts';
import { passwordOf, refusalOf, vector, verifierOf } from '../../support/vectors.ts';

const hex = (base64: string) => Buffer.from(base64.replaceAll('.', '+'), 'base64').toString('hex');
const urlSafe = (text: string) => text.replaceAll(/[+.]/g, '-').replaceAll('/', '_');
const padded = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, '=');

/** Returns the hash with its last two sections changed. */
function changed(hash: string, change: (salt: string, digest: string) => string[]): string {
  const parts = hash.split('$');
  return [...parts.slice(0, -2), ...change(parts.at(-2) ?? '', parts.at(-1) ?? '')].join('$');
}

/** Returns undefined if the repaired hash is refused. */
function acceptedBy(verifier: HashVerifier, encoded: string): ParsedHash | undefined {
  try {
    return verifier.parse(encoded);
  } catch (error) {
    expect(error).toBeInstanceOf(HashRefused);
    return undefined;
  }
}

async function repairsThatMatch(algorithm: string, id: string, hash: string): Promise<MistakeCode[]> {
  const verifier = verifierOf(algorithm);
  const matching: MistakeCode[] = [];
  for (const { mistake, encoded } of verifier.repairs(hash)) {
    const parsed = acceptedBy(verifier, encoded);
    if (await parsed?.verify(passwordOf(vector(algorithm, id)))) matching.push(mistake);
  }
  return matching;
}

const both = (write: (text: string) => string) => (salt: string, digest: string) => [
  write(salt),
  write(digest),
];
const swapped = (salt: string, digest: string) => [digest, salt];
const digestOnly = (write: (text: string) => string) => (salt: string, digest: string) => [
  salt,
  write(digest),
];

describe('repairs', () => {
  it.each<[MistakeCode, string, string, (salt: string, digest: string) => string[]]>([
    ['HEX_INSTEAD_OF_BASE64', 'pbkdf2', 'lt-pbkdf2-01', both(hex)],
    ['HASH_AND_SALT_SWAPPED', 'pbkdf2', 'own-spring-secret', swapped],
    ['HEX_INSTEAD_OF_BASE64', 'pbkdf2-passlib', 'rc-pbkdf2-2', both(hex)],
    ['URL_SAFE_OR_UNPADDED_BASE64', 'pbkdf2-passlib', 'rc-pbkdf2-2', both(padded)],
    ['URL_SAFE_OR_UNPADDED_BASE64', 'pbkdf2-passlib', 'rc-pbkdf2-2', both(urlSafe)],
    ['URL_SAFE_OR_UNPADDED_BASE64', 'mattermost-pbkdf2', 'own-mattermost-72', both(padded)],
    ['HEX_INSTEAD_OF_BASE64', 'django-pbkdf2', 'django-pbkdf2-pl-django_pbkdf2_sha256-01', digestOnly(hex)],
    [
      'URL_SAFE_OR_UNPADDED_BASE64',
      'django-pbkdf2',
      'django-pbkdf2-pl-django_pbkdf2_sha256-01',
      digestOnly((text) => urlSafe(text).replace('=', '')),
    ],
    [
      'URL_SAFE_OR_UNPADDED_BASE64',
      'aspnet-identity',
      'asp-7',
      (_salt, digest) => [urlSafe(digest).replace(/=+$/, '')],
    ],
  ])('%s: %s, %s', async (mistake, algorithm, id, change) => {
    const hash = changed(vector(algorithm, id).hash, change);
    expect(await repairsThatMatch(algorithm, id, hash)).toEqual([mistake]);
  });

  it('change no encoding if nothing is base64', () => {
    const repairs = verifierOf('werkzeug').repairs(vector('werkzeug', 'own-werkzeug-sha512').hash);
    const mistakes = repairs.map(({ mistake }) => mistake);
    expect(mistakes).toContain('ITERATIONS_OF_A_VERSION');
    expect(mistakes.filter((one) => one.includes('BASE64'))).toEqual([]);
  });
});

it("name Werkzeug's default iterations if none are written", () => {
  const { hash } = vector('werkzeug', 'own-werkzeug-no-iterations');
  const { reason, message } = refusalOf(() => verifierOf('werkzeug').parse(hash));
  expect(reason).toBe('format');
  for (const iterations of ['1000000', '600000', '260000', '150000', '50000'])
    expect(message).toContain(iterations);
});

it.each([
  ['pbkdf2:', 'werkzeug'],
  ['scrypt:', 'werkzeug'],
])('distinguishes the two families of Werkzeug: %s', (begin, algorithm) => {
  const message = refusalOf(() => verifierOf(algorithm).parse(`${begin}x`)).message;
  expect(message).toContain(begin);
});

it('describes the spelling if a dialect has several', () => {
  const formOf = (algorithm: string, id: string) =>
    verifierOf(algorithm).parse(vector(algorithm, id).hash).describe().form;
  expect(formOf('ldap-pbkdf2', 'own-ldap-389ds')).toBe('389 DS');
  expect(formOf('ldap-pbkdf2', 'own-ldap-dovecot')).toBe('Dovecot');
  expect(formOf('aspnet-identity', 'own-aspnet-v2')).toBe('version 2');
  expect(formOf('pbkdf2', 'lt-pbkdf2-01')).toBeUndefined();
});

it('recognises Liferay by its prefix only', () => {
  const verifier = verifierOf('liferay-pbkdf2');
  const { hash } = vector('liferay-pbkdf2', 'own-liferay-prefix');
  expect(verifier.recognises(hash)).toBe(true);
  expect(verifier.recognises(hash.replace(/^\{.*\}/, ''))).toBe(false);
});
