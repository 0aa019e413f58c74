import type { ParsedHash } from '../hashing/verifier.ts';
import { leftOutOf, openFactors, withKeptData } from './left-out.ts';
import { argon2Text } from './phc-text.ts';
import type { LeftOut, Target, TargetFile, TargetUser } from './target.ts';

const NO_PLACE: readonly LeftOut[] = ['roles', 'phone numbers', 'logins at providers'];

interface Digest {
  hasher: string;
  digest: string;
}

/**
 * Returns a password hash as Clerk's digest and hasher, or undefined if Clerk cannot verify it.
 * @see https://clerk.com/docs/reference/backend/user/create-user
 */
export function clerkHash(hash: ParsedHash, signerKey: string | undefined): Digest | undefined {
  if (hash.algorithm === 'django-bcrypt-sha256')
    return { hasher: 'bcrypt_sha256_django', digest: hash.encoded };
  const of = hash.portable;
  switch (of?.kind) {
    case 'bcrypt':
      return of.variant === 'x' ? undefined : { hasher: 'bcrypt', digest: of.encoded };
    case 'argon2': {
      const digest = argon2Text(of);
      return digest === undefined ? undefined : { hasher: `argon2${of.type}`, digest };
    }
    case 'pbkdf2': {
      const digestOf = (name: string, encoding: 'hex' | 'base64') =>
        `${name}$${of.iterations}$${of.salt.toString(encoding)}$${of.hash.toString(encoding)}`;
      if (of.digest === 'sha256')
        return { hasher: 'pbkdf2_sha256', digest: digestOf('pbkdf2_sha256', 'base64') };
      if (of.digest === 'sha512')
        return { hasher: 'pbkdf2_sha512_hex', digest: digestOf('pbkdf2_sha512_hex', 'hex') };
      return undefined;
    }
    case 'firebase-scrypt': {
      if (signerKey === undefined) return undefined;
      const [digest, salt, separator] = [of.hash, of.salt, of.separator].map((one) => one.toString('base64'));
      return {
        hasher: 'scrypt_firebase',
        digest: [digest, salt, signerKey, separator, of.rounds, of.memCost].join('$'),
      };
    }
    case 'digest':
      if (of.digest === 'sha1' && !of.isSaltFirst && of.salt.length > 0)
        return {
          hasher: 'ldap_ssha',
          digest: `{SSHA}${Buffer.concat([of.hash, of.salt]).toString('base64')}`,
        };
      if (of.salt.length > 0 || (of.digest !== 'md5' && of.digest !== 'sha256')) return undefined;
      return { hasher: of.digest, digest: of.hash.toString('hex') };
    case 'phpass':
      return { hasher: 'phpass', digest: of.encoded };
    default:
      return undefined;
  }
}

/** Writes bodies of `POST /v1/users`, one in each line. */
export const clerk: Target = {
  title: 'Clerk',
  open({ create, signerKey }) {
    let file: TargetFile | undefined;
    return {
      refusesDisabled: 'Clerk creates no users who are banned',
      verifies: (hash) => clerkHash(hash, signerKey) !== undefined,
      add(user) {
        file ??= create('users.ndjson');
        file.write(`${userJson(user, signerKey)}\n`);
        const isClaimed = user.isVerified ? [] : (['unverified addresses'] as const);
        return [...leftOutOf(user, NO_PLACE), ...isClaimed];
      },
      end() {
        file?.close();
        return [
          'Clerk counts every address as verified, also those of users who never showed that they own it. Then, in bash:',
          'while IFS= read -r line; do printf %s "$line" | curl -sSf -H @<(printf "Authorization: Bearer %s" "$CLERK_SECRET_KEY") -H "Content-Type: application/json" -d @- https://api.clerk.com/v1/users; done < users.ndjson',
        ];
      },
    };
  },
};

function userJson(user: TargetUser, signerKey: string | undefined): string {
  const { email, externalId, timeJoinedMs, hash, plainText } = user;
  const password = hash && clerkHash(hash, signerKey);
  const [device] = openFactors(user).totpDevices;
  const clerkUser = {
    ...(externalId !== undefined && { external_id: externalId }),
    email_address: [email],
    ...(password !== undefined && { password_digest: password.digest, password_hasher: password.hasher }),
    ...(plainText !== undefined && { password: plainText, skip_password_checks: true }),
    ...(password === undefined && plainText === undefined && { skip_password_requirement: true }),
    ...(device !== undefined && { totp_secret: device.secretKey }),
    ...(timeJoinedMs !== undefined && { created_at: new Date(timeJoinedMs).toISOString() }),
  };
  return withKeptData(clerkUser, 'private_metadata', user);
}
