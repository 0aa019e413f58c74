import type { ParsedHash } from '../hashing/verifier.ts';
import { membersOf } from './profile.ts';
import { argon2Text, filled, pbkdf2Text, type Target, type TargetUser, withKeptData } from './target.ts';

/** Maximum number of identities in a body of `PATCH /admin/identities`. */
const MAX_IDENTITIES = 1000;
/** Maximum number if the identities have passwords in plain text, which Kratos then hashes. */
const MAX_TO_HASH = 200;
const NAMES = { maxCharacters: 255 };
/** Algorithms whose stored hashes are in the form of Kratos already. */
const OWN = new Set(['md5-kratos', 'sha-kratos', 'hmac-kratos']);

const base64 = (bytes: Buffer) => bytes.toString('base64');
const SALT_FIRST = base64(Buffer.from('{SALT}{PASSWORD}'));
const SALT_LAST = base64(Buffer.from('{PASSWORD}{SALT}'));
const CRYPT = { $1$: '$md5-crypt$', $5$: '$sha256-crypt$', $6$: '$sha512-crypt$' } as const;
const DIGESTS = new Set(['md5', 'sha1', 'sha256', 'sha512']);
const PBKDF2_DIGESTS = new Set(['sha1', 'sha224', 'sha256', 'sha384', 'sha512']);

/** @see ory/kratos hash/hash_comparator.go */
function kratosHash(hash: ParsedHash, signerKey: string | undefined): string | undefined {
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
  }
}

/** Bodies of `PATCH /admin/identities`. */
export const kratos: Target = {
  title: 'Ory Kratos',
  files: { name: 'identities', list: ['{"identities":[', ']}'], maxUsers: MAX_IDENTITIES },
  hashed(hash, signerKey) {
    const hashed_password = kratosHash(hash, signerKey);
    return hashed_password === undefined ? undefined : { members: { hashed_password } };
  },
  plainText: (password) => ({
    members: { password },
    files: { name: 'identities-to-hash', maxUsers: MAX_TO_HASH },
  }),
  firstSignIn: { password: { members: { hashed_password: '', use_password_migration_hook: true } } },
  // Releases of Kratos up to 26.2 import no TOTP devices.
  takes: { provider: (provider) => provider, externalId: () => true, metadata: () => true },
  userJson: (user) => `{"create":${identityJson(user)}}`,
  steps: () => [
    'The schema "default" must have the trait "email" as identifier of passwords, and for names the trait "name" with "first" and "last". Then, for each file:',
    {
      shell:
        "curl -sSf -X PATCH -H 'Content-Type: application/json' -d @identities-00001.json http://127.0.0.1:4434/admin/identities",
    },
  ],
};

function identityJson(user: TargetUser): string {
  const { email, isVerified, isDisabled, password, identities } = user;
  const name = membersOf(user.profile, { given_name: 'first', family_name: 'last' }, NAMES);
  const providers = identities.map(({ provider, userId }) => ({ provider, subject: userId }));
  const credentials = {
    ...(password !== undefined && { password: { config: password.members } }),
    ...(providers.length > 0 && { oidc: { config: { providers } } }),
  };
  const address = { value: email, via: 'email', verified: true, status: 'completed' };
  return withKeptData('metadata_admin', user, {
    schema_id: 'default',
    state: isDisabled ? 'inactive' : 'active',
    // Kratos fills the body of its hook from a template, which has access to this id, but not to the metadata.
    external_id: user.waits && user.externalId,
    traits: { email, name: filled(name) },
    credentials: filled(credentials),
    verifiable_addresses: isVerified ? [address] : undefined,
  });
}
