import { pbkdf2Sync } from 'node:crypto';
import { expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { buildRegistry } from '../../src/hashing/registry.ts';
import type { ParsedHash } from '../../src/hashing/verifier.ts';
import type { JsonObject } from '../../src/lib/json/json-object.ts';
import type { SourcePassword } from '../../src/sources/source-user.ts';
import { customHash } from '../../src/sources/systems/auth0-custom-hash.ts';
import { hashOf } from '../../src/sources/systems/clerk.ts';
import { passwordOf } from '../../src/sources/systems/keycloak-credential.ts';
import { kratosPassword } from '../../src/sources/systems/kratos.ts';
import { TARGETS } from '../../src/targets/targets.ts';
import { DEFAULT_LIMITS, isAvailable, vectorsOf, verifierOf } from '../support/vectors.ts';

const KEY = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';
const SIGNER_KEY = Buffer.from(KEY, 'base64');
const MAX_MS = 8;
const PER_FAMILY = 3;

/** Cheap hashes of every family, with their passwords. */
const HASHES = FAMILIES.map(({ name }) => name)
  .filter(isAvailable)
  .flatMap((name) =>
    vectorsOf(name)
      .filter(
        ({ expect: outcome, password, params = {}, tags = [] }) =>
          outcome === true &&
          password !== undefined &&
          params.secret === undefined &&
          params.secretHex === undefined &&
          [undefined, KEY].includes(params.signerKey) &&
          tags.length === 0,
      )
      .flatMap(({ hash, password = '' }) => {
        const secret = name === 'external_scrypt' ? SIGNER_KEY : undefined;
        const parsed = parsedOf(hash, name, secret);
        return parsed === undefined || parsed.cost.ms > MAX_MS ? [] : [{ parsed, password }];
      })
      .slice(0, PER_FAMILY),
  );

function parsedOf(encoded: string, name: string, secret?: Uint8Array): ParsedHash | undefined {
  try {
    return verifierOf(name, DEFAULT_LIMITS, secret).parse(encoded);
  } catch {
    return undefined;
  }
}

const registry = buildRegistry(DEFAULT_LIMITS, [
  { id: undefined, algorithms: ['external_scrypt'], secret: SIGNER_KEY } as never,
]);

/** Reads the password's members in the files as their system spells them. */
const READERS: Readonly<Record<string, (members: JsonObject) => SourcePassword | undefined>> = {
  kratos: kratosPassword,
  keycloak: ({ credentialData, secretData }) =>
    passwordOf({
      credentialData: JSON.parse(String(credentialData)),
      secretData: JSON.parse(String(secretData)),
    }),
  auth0: ({ custom_password_hash }) => customHash(custom_password_hash as JsonObject),
  clerk: ({ password_digest, password_hasher }) =>
    hashOf(String(password_digest), String(password_hasher), {}),
};

/** Returns the password's members as the files of the target hold them. */
function membersFor(target: string, hash: ParsedHash): JsonObject | undefined {
  const password = TARGETS[target]?.hashed(hash, KEY);
  return password && (JSON.parse(JSON.stringify(password.members)) as JsonObject);
}

it.each(Object.entries(READERS))(
  '%s verifies the password of every hash that is written for it',
  async (target, read) => {
    const families = new Set<string>();
    for (const { parsed, password } of HASHES) {
      const members = membersFor(target, parsed);
      const written = members && read(members);
      // The other reading of a password is lost there, which the summary counts.
      if (written === undefined || parsed.secondReading !== undefined) continue;
      if (!('encoded' in written)) throw new Error(`${parsed.algorithm}: ${JSON.stringify(written)}`);
      const { encoded, algorithm } = written;
      const verifier = algorithm === undefined ? registry.recognise(encoded) : registry.named(algorithm);
      const secret = verifier?.algorithm === 'external_scrypt' ? SIGNER_KEY : undefined;
      const again = verifier && parsedOf(encoded, verifier.algorithm, secret);
      const outcome = await again?.verify(Buffer.from(password));
      const wrong = await again?.verify(Buffer.from(`${password}x`));
      expect([parsed.algorithm, parsed.encoded, outcome]).toEqual([parsed.algorithm, parsed.encoded, true]);
      // A password of the length that bcrypt reads matches with anything after it.
      if (Buffer.byteLength(password) < 72) expect([parsed.encoded, wrong]).toEqual([parsed.encoded, false]);
      families.add(parsed.algorithm);
    }
    expect(families.size).toBeGreaterThan(8);
  },
);

/** Hashes of these are not in a form of their own, or no reader knows it. */
const WITHOUT_READER = ['firebase', 'better-auth', 'keycloak-hash', 'okta'];

it('every target with hashes that our readers know is compared with them', () => {
  expect(Object.keys(TARGETS).sort()).toEqual([...Object.keys(READERS), ...WITHOUT_READER].sort());
});

it('hashes that digest more than the password are not portable', () => {
  const portable = new Set(
    HASHES.flatMap(({ parsed }) => (parsed.portable === undefined ? [] : parsed.algorithm)),
  );
  const others = ['bcrypt-md5', 'bcrypt-sha256', 'better-auth', 'mattermost-pbkdf2', 'wordpress-phpass'];
  expect(others.filter((name) => portable.has(name))).toEqual([]);
  expect(portable.size).toBeGreaterThan(40);
});

it.each([
  ['bcrypt', '$2y$10$EkVBmTI0cbPvPdnTYeVk8eIt6qpHk09C8DB5iZwHbYBu5ot2PyAnq', '--hash-algo=BCRYPT'],
  [
    'django-pbkdf2',
    `pbkdf2_sha256$1000$salt$${Buffer.alloc(32, 1).toString('base64')}`,
    '--hash-algo=PBKDF2_SHA256 --rounds=1000',
  ],
  [
    'scrypt',
    `$scrypt$ln=4,r=8,p=1$c2FsdA$${Buffer.alloc(32, 1).toString('base64').replace(/=+$/, '')}`,
    '--hash-algo=STANDARD_SCRYPT --mem-cost=16 --block-size=8 --parallelization=1 --dk-len=32',
  ],
  [
    'ldap-ssha',
    `{SSHA}${Buffer.alloc(24, 1).toString('base64')}`,
    '--hash-algo=SHA1 --rounds=1 --hash-input-order=PASSWORD_FIRST',
  ],
])('firebase gets %s with the flags of its file', (name, encoded, flags) => {
  const hash = verifierOf(name).parse(encoded);
  expect(TARGETS.firebase?.hashed(hash, undefined)?.files?.flags).toBe(flags);
});

it('a PBKDF2 key that is longer than its digest, as Keycloak makes them, keeps the password where keys have one length', () => {
  const salt = Buffer.from('sixteen-byte-salt');
  const keyOf = (bytes: number) => pbkdf2Sync('testpass', salt, 1000, bytes, 'sha256').toString('base64');
  const hashed = (target: string, bytes: number) => {
    const encoded = `$pbkdf2-sha256$i=1000,l=${bytes}$${salt.toString('base64')}$${keyOf(bytes)}`;
    return TARGETS[target]?.hashed(
      verifierOf('pbkdf2').parse(encoded.replaceAll('=$', '$').replace(/=+$/, '')),
      undefined,
    );
  };
  for (const bytes of [32, 64]) {
    expect(hashed('firebase', bytes)?.members).toMatchObject({ passwordHash: keyOf(32) });
    expect(hashed('clerk', bytes)?.members).toMatchObject({
      password_digest: `pbkdf2_sha256$1000$${salt.toString('base64')}$${keyOf(32)}`,
    });
  }
  expect([hashed('firebase', 16), hashed('clerk', 16)]).toEqual([undefined, undefined]);
});
