import type { ParsedHash } from '../hashing/verifier.ts';
import { BatchedFiles } from './batched-files.ts';
import { leftOutOf, openFactors, withKeptData } from './left-out.ts';
import { argon2Text, pbkdf2Text } from './phc-text.ts';
import type { LeftOut, Target, TargetUser } from './target.ts';

/** Maximum bytes of a file of users that Auth0 imports. */
const MAX_BYTES = 500_000;
const NO_PLACE: readonly LeftOut[] = ['roles', 'logins at providers', 'times of joining'];
const MAX_FACTORS = 10;
/** Ids that Auth0 can keep, because they cannot be mistaken for an id of another connection. */
const ID = /^[0-9A-Za-z._-]{1,64}$/;
const DIGESTS = new Set(['md5', 'sha1', 'sha256', 'sha512']);

const hex = (bytes: Buffer) => bytes.toString('hex');
const asText = (algorithm: string, value: string) => ({ algorithm, hash: { value, encoding: 'utf8' } });

/**
 * Returns a password hash as Auth0's `custom_password_hash`, or undefined if Auth0 cannot verify it.
 * @see https://auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples
 */
export function auth0Hash(hash: ParsedHash): object | undefined {
  const of = hash.portable;
  switch (of?.kind) {
    case 'bcrypt':
      // Auth0 permits only $2a$ and $2b$. $2y$ is PHP's name for $2b$.
      return of.variant === 'x' ? undefined : asText('bcrypt', of.encoded.replace(/^\$2y\$/, '$2b$'));
    case 'argon2': {
      // Auth0 verifies argon2 with libsodium, which supports only one lane and no argon2d.
      const text = of.parallelism === 1 ? argon2Text(of) : undefined;
      return text === undefined ? undefined : asText('argon2', text);
    }
    case 'pbkdf2':
      return of.digest.startsWith('sha3') ? undefined : asText('pbkdf2', pbkdf2Text(of));
    case 'scrypt':
      return {
        algorithm: 'scrypt',
        hash: { value: hex(of.hash), encoding: 'hex' },
        salt: { value: hex(of.salt), encoding: 'hex' },
        keylen: of.hash.length,
        cost: 2 ** of.log2N,
        blockSize: of.r,
        parallelization: of.p,
      };
    case 'digest':
      if (!DIGESTS.has(of.digest)) return undefined;
      return {
        algorithm: of.digest,
        hash: { value: hex(of.hash), encoding: 'hex' },
        ...(of.salt.length > 0 && {
          salt: { value: hex(of.salt), encoding: 'hex', position: of.isSaltFirst ? 'prefix' : 'suffix' },
        }),
      };
    case 'hmac':
      return {
        algorithm: 'hmac',
        hash: {
          value: hex(of.hash),
          encoding: 'hex',
          digest: of.digest,
          key: { value: hex(of.key), encoding: 'hex' },
        },
      };
    default:
      return undefined;
  }
}

export const auth0: Target = {
  title: 'Auth0',
  open({ create }) {
    const files = new BatchedFiles(
      { create },
      { name: 'users', frame: { begin: '[\n', end: '\n]\n' }, maxBytes: MAX_BYTES },
    );
    return {
      verifies: (hash) => auth0Hash(hash) !== undefined,
      add(user) {
        files.add(userJson(user));
        return leftOutOf(user, NO_PLACE);
      },
      end() {
        files.end();
        return [
          'Auth0 runs two jobs at once. For each file:',
          'printf "Authorization: Bearer %s" "$TOKEN" | curl -sSf -H @- -F users=@users-00001.json -F connection_id=con_… https://TENANT.auth0.com/api/v2/jobs/users-imports',
        ];
      },
    };
  },
};

function userJson(user: TargetUser): string {
  const { email, isVerified, isDisabled, externalId, hash, plainText } = user;
  const id = externalId?.replace(/^auth0\|/, '');
  const factors = factorsOf(user);
  const custom = hash && auth0Hash(hash);
  const auth0User = {
    ...(id !== undefined && ID.test(id) && { user_id: id }),
    email,
    email_verified: isVerified,
    ...(isDisabled && { blocked: true }),
    ...(custom !== undefined && { custom_password_hash: custom }),
    ...(plainText !== undefined && { password: plainText }),
    ...(factors.length > 0 && { mfa_factors: factors }),
  };
  return withKeptData(auth0User, 'app_metadata', user);
}

function factorsOf(user: TargetUser): object[] {
  const { totpDevices, phoneNumbers } = openFactors(user);
  return [
    ...totpDevices
      .filter(({ algorithm, digits, period }) => algorithm === 'SHA1' && digits === 6 && period === 30)
      .map(({ secretKey }) => ({ totp: { secret: secretKey } })),
    ...phoneNumbers.map((value) => ({ phone: { value } })),
  ].slice(0, MAX_FACTORS);
}
