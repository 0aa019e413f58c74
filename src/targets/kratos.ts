import type { ParsedHash } from '../hashing/verifier.ts';
import { BatchedFiles } from './batched-files.ts';
import { leftOutOf, withKeptData } from './left-out.ts';
import { argon2Text, pbkdf2Text } from './phc-text.ts';
import type { LeftOut, Target, TargetUser } from './target.ts';

/** Maximum identities in a file. `PATCH /admin/identities` accepts 2000; each takes some kB. */
const MAX_IDENTITIES = 1000;
const NO_PLACE: readonly LeftOut[] = ['TOTP devices', 'roles', 'phone numbers', 'times of joining'];
/** Algorithms whose stored hashes are in the form of Kratos already. */
const OWN = new Set(['md5-kratos', 'sha-kratos', 'hmac-kratos']);

const base64 = (bytes: Buffer) => bytes.toString('base64');
const SALT_FIRST = base64(Buffer.from('{SALT}{PASSWORD}'));
const SALT_LAST = base64(Buffer.from('{PASSWORD}{SALT}'));
const CRYPT = { $1$: '$md5-crypt$', $5$: '$sha256-crypt$', $6$: '$sha512-crypt$' } as const;
const DIGESTS = new Set(['md5', 'sha1', 'sha256', 'sha512']);
const PBKDF2_DIGESTS = new Set(['sha1', 'sha224', 'sha256', 'sha384', 'sha512']);

/** @see ory/kratos hash/hash_comparator.go */
export function kratosHash(hash: ParsedHash, signerKey: string | undefined): string | undefined {
  if (OWN.has(hash.algorithm)) return hash.encoded;
  const of = hash.portable;
  switch (of?.kind) {
    case 'bcrypt':
      // Kratos reads the bcrypt variant $2y$ like $2a$ and $2b$. It does not imitate the bug of $2x$.
      return of.variant === 'x' ? undefined : of.encoded;
    case 'argon2':
      // Kratos verifies only version 1.3 of argon2, and no argon2d.
      return argon2Text(of);
    case 'pbkdf2':
      return PBKDF2_DIGESTS.has(of.digest) ? pbkdf2Text(of) : undefined;
    case 'scrypt':
      // In the hashes of Kratos, `ln` is N itself and not its logarithm.
      return `$scrypt$ln=${2 ** of.log2N},r=${of.r},p=${of.p}$${base64(of.salt)}$${base64(of.hash)}`;
    case 'firebase-scrypt':
      if (signerKey === undefined) return undefined;
      return `$firescrypt$ln=${of.memCost},r=${of.rounds},p=1$${base64(of.salt)}$${base64(of.hash)}$${base64(of.separator)}$${signerKey}`;
    case 'digest':
      if (!DIGESTS.has(of.digest)) return undefined;
      return `$${of.digest}$pf=${of.isSaltFirst ? SALT_FIRST : SALT_LAST}$${base64(of.salt)}$${base64(of.hash)}`;
    case 'hmac':
      return `$hmac-${of.digest}$${base64(Buffer.from(of.hash.toString('hex')))}$${base64(of.key)}`;
    case 'crypt':
      return CRYPT[of.prefix] + of.rest;
    default:
      return undefined;
  }
}

/** Writes bodies of `PATCH /admin/identities`. */
export const kratos: Target = {
  title: 'Ory Kratos',
  open({ create, signerKey }) {
    const files = new BatchedFiles(
      { create },
      { name: 'identities', frame: { begin: '{"identities":[\n', end: '\n]}\n' }, maxItems: MAX_IDENTITIES },
    );
    return {
      verifies: (hash) => kratosHash(hash, signerKey) !== undefined,
      add(user) {
        files.add(`{"create":${identityJson(user, signerKey)}}`);
        return leftOutOf(user, NO_PLACE);
      },
      end() {
        files.end();
        return [
          'The schema "default" must have the trait "email" as identifier of passwords. Then, for each file:',
          "curl -sSf -X PATCH -H 'Content-Type: application/json' -d @identities-00001.json http://127.0.0.1:4434/admin/identities",
        ];
      },
    };
  },
};

function identityJson(user: TargetUser, signerKey: string | undefined): string {
  const { email, isVerified, isDisabled, hash, plainText, identities } = user;
  const hashed = hash && kratosHash(hash, signerKey);
  const credentials = {
    ...(hashed !== undefined && { password: { config: { hashed_password: hashed } } }),
    ...(plainText !== undefined && { password: { config: { password: plainText } } }),
    ...(identities.length > 0 && {
      oidc: {
        config: { providers: identities.map(({ provider, userId }) => ({ provider, subject: userId })) },
      },
    }),
  };
  const identity = {
    schema_id: 'default',
    state: isDisabled ? 'inactive' : 'active',
    traits: { email },
    ...(Object.keys(credentials).length > 0 && { credentials }),
    ...(isVerified && {
      verifiable_addresses: [{ value: email, via: 'email', verified: true, status: 'completed' }],
    }),
  };
  return withKeptData(identity, 'metadata_admin', user);
}
