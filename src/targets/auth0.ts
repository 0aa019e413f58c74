import type { ParsedHash } from '../hashing/verifier.ts';
import { membersOf } from './profile.ts';
import {
  argon2Text,
  filled,
  isUsualTotp,
  pbkdf2Text,
  type Target,
  type TargetUser,
  withKeptData,
} from './target.ts';

/** Maximum bytes of a file of users that Auth0 imports. */
const MAX_BYTES = 500_000;
/** Maximum bytes of metadata. It leaves room for the user's other data, even in a file of one user. */
const MAX_METADATA_BYTES = 400_000;
const MAX_FACTORS = 10;
const NAMES = { maxCharacters: 150 };
const OTHERS = { maxCharacters: 300 };
/**
 * Ids that Auth0 can keep. Auth0 puts the connection and a `|` before them, so an id with a `|` could be mistaken for
 * one of another connection.
 */
const ID = /^[0-9A-Za-z._-]{1,64}$/;
const DIGESTS = new Set(['md5', 'sha1', 'sha256', 'sha512']);

const hexText = (bytes: Buffer) => ({ value: bytes.toString('hex'), encoding: 'hex' });
const asText = (algorithm: string, value: string | undefined) =>
  value === undefined ? undefined : { algorithm, hash: { value, encoding: 'utf8' } };

/**
 * Returns a password hash as Auth0's `custom_password_hash`, or undefined if Auth0 cannot verify it.
 * @see https://auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples
 */
function auth0Hash(hash: ParsedHash): object | undefined {
  const of = hash.portable;
  switch (of?.kind) {
    case 'bcrypt':
      // Auth0 permits only $2a$ and $2b$. $2y$ is PHP's name for $2b$.
      return of.variant === 'x' ? undefined : asText('bcrypt', of.encoded.replace(/^\$2y\$/, '$2b$'));
    case 'argon2':
      // Auth0 verifies argon2 with libsodium, which supports only one lane and no argon2d.
      return asText('argon2', of.parallelism === 1 ? argon2Text(of) : undefined);
    case 'pbkdf2':
      return of.digest.startsWith('sha3') ? undefined : asText('pbkdf2', pbkdf2Text(of));
    case 'scrypt':
      return {
        algorithm: 'scrypt',
        hash: hexText(of.hash),
        salt: hexText(of.salt),
        keylen: of.hash.length,
        cost: 2 ** of.log2N,
        blockSize: of.r,
        parallelization: of.p,
      };
    case 'digest': {
      if (!DIGESTS.has(of.digest)) return undefined;
      const position = of.isSaltFirst ? 'prefix' : 'suffix';
      return {
        algorithm: of.digest,
        hash: hexText(of.hash),
        salt: of.salt.length > 0 ? { ...hexText(of.salt), position } : undefined,
      };
    }
    case 'hmac':
      return { algorithm: 'hmac', hash: { ...hexText(of.hash), digest: of.digest, key: hexText(of.key) } };
  }
}

/** Files of the job `users-imports`. */
export const auth0: Target = {
  title: 'Auth0',
  files: { name: 'users', list: ['[', ']'], maxBytes: MAX_BYTES },
  hashed(hash) {
    const custom_password_hash = auth0Hash(hash);
    return custom_password_hash && { members: { custom_password_hash } };
  },
  takes: {
    totp: { max: MAX_FACTORS, accepts: isUsualTotp },
    externalId: () => true,
    metadata: (metadata) => Buffer.byteLength(metadata) <= MAX_METADATA_BYTES,
  },
  userJson,
  steps: () => [
    'Auth0 runs two jobs at once. For each file:',
    {
      shell:
        'printf "Authorization: Bearer %s" "$TOKEN" | curl -sSf -H @- -F users=@users-00001.json -F connection_id=con_… https://TENANT.auth0.com/api/v2/jobs/users-imports',
    },
  ],
};

function userJson(user: TargetUser): string {
  const { email, isVerified, isDisabled, externalId, profile, password } = user;
  const id = externalId?.replace(/^auth0\|/, '') ?? '';
  // A user name becomes the nickname, which Auth0 only shows. With a `username` people can sign in, and a name from the
  // metadata could belong to somebody else.
  const nickname = profile.nickname ?? profile.preferred_username;
  return withKeptData('app_metadata', user, {
    user_id: ID.test(id) ? id : undefined,
    email,
    email_verified: isVerified,
    blocked: isDisabled || undefined,
    ...membersOf(profile, { given_name: 'given_name', family_name: 'family_name' }, NAMES),
    ...membersOf(
      { ...profile, nickname },
      { name: 'name', nickname: 'nickname', picture: 'picture' },
      OTHERS,
    ),
    ...password?.members,
    mfa_factors: filled(user.totpDevices.map(({ secretKey }) => ({ totp: { secret: secretKey } }))),
  });
}
