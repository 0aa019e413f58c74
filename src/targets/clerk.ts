import type { ParsedHash } from '../hashing/verifier.ts';
import { membersOf } from './profile.ts';
import {
  argon2Text,
  firstBlock,
  isUsualTotp,
  type Target,
  type TargetPassword,
  type TargetUser,
  withKeptData,
} from './target.ts';

const NAMES = { maxCharacters: 256 };

const hashedBy = (password_hasher: string, password_digest: string | undefined) =>
  password_digest === undefined ? undefined : { members: { password_hasher, password_digest } };

/**
 * Returns a hash in Clerk's form, or undefined if Clerk cannot verify it.
 * @see https://clerk.com/docs/reference/backend/user/create-user
 */
function clerkHash(hash: ParsedHash, signerKey: string | undefined): TargetPassword | undefined {
  if (hash.algorithm === 'django-bcrypt-sha256') return hashedBy('bcrypt_sha256_django', hash.encoded);
  const of = hash.portable;
  switch (of?.kind) {
    case 'bcrypt':
      return of.variant === 'x' ? undefined : hashedBy('bcrypt', of.encoded);
    case 'argon2':
      return hashedBy(`argon2${of.type}`, argon2Text(of));
    case 'pbkdf2': {
      // Clerk documents only for SHA-1 how to give the length of the key. Other keys must be as long as the digest.
      const key = of.digest === 'sha1' ? of.hash : firstBlock(of);
      if (key === undefined) return undefined;
      const digestOf = (encoding: 'hex' | 'base64') =>
        `${of.iterations}$${of.salt.toString(encoding)}$${key.toString(encoding)}`;
      if (of.digest === 'sha1')
        return hashedBy('pbkdf2_sha1', `pbkdf2_sha1$${digestOf('hex')}$${key.length}`);
      if (of.digest === 'sha256') return hashedBy('pbkdf2_sha256', `pbkdf2_sha256$${digestOf('base64')}`);
      if (of.digest === 'sha512')
        return hashedBy('pbkdf2_sha512_hex', `pbkdf2_sha512_hex$${digestOf('hex')}`);
      return undefined;
    }
    case 'firebase-scrypt': {
      if (signerKey === undefined) return undefined;
      const [digest, salt, separator] = [of.hash, of.salt, of.separator].map((one) => one.toString('base64'));
      return hashedBy(
        'scrypt_firebase',
        [digest, salt, signerKey, separator, of.rounds, of.memCost].join('$'),
      );
    }
    case 'digest':
      if (of.digest === 'sha1' && !of.isSaltFirst && of.salt.length > 0)
        return hashedBy('ldap_ssha', `{SSHA}${Buffer.concat([of.hash, of.salt]).toString('base64')}`);
      if (of.salt.length > 0 || (of.digest !== 'md5' && of.digest !== 'sha256')) return undefined;
      return hashedBy(of.digest, of.hash.toString('hex'));
    case 'phpass':
      // phpBB's `$H$` is the same algorithm.
      return hashedBy('phpass', of.encoded.replace(/^\$H\$/, '$P$'));
  }
}

/** Bodies of `POST /v1/users`, one in each line. Clerk refuses members that it does not know. */
export const clerk: Target = {
  title: 'Clerk',
  files: { name: 'users' },
  hashed: clerkHash,
  plainText: (password) => ({ members: { password, skip_password_checks: true } }),
  takes: {
    totp: { max: 1, accepts: isUsualTotp },
    externalId: () => true,
    metadata: () => true,
    timesOfJoining: true,
  },
  userJson,
  steps: () => [
    'The instance must have first and last names, and authenticator apps, if users have them. Disabled users are created as banned, which needs a plan that allows bans. Then, in bash:',
    {
      shell:
        'while IFS= read -r line; do printf %s "$line" | curl -sSf -H @<(printf "Authorization: Bearer %s" "$CLERK_SECRET_KEY") -H "Content-Type: application/json" -d @- https://api.clerk.com/v1/users; done < users.ndjson',
    },
  ],
};

function userJson(user: TargetUser): string {
  const { email, externalId, timeJoinedMs, password, profile } = user;
  return withKeptData('private_metadata', user, {
    external_id: externalId,
    email_address: [email],
    // Without this member, Clerk counts every address as verified. Users can also sign in with a reserved address.
    email_address_identification_status: user.isVerified ? undefined : ['reserved'],
    banned: user.isDisabled || undefined,
    ...membersOf(profile, { given_name: 'first_name', family_name: 'last_name', locale: 'locale' }, NAMES),
    ...(password?.members ?? { skip_password_requirement: true }),
    totp_secret: user.totpDevices[0]?.secretKey,
    created_at: timeJoinedMs === undefined ? undefined : new Date(timeJoinedMs).toISOString(),
  });
}
