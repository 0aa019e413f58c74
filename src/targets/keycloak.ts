import type { ParsedHash } from '../hashing/verifier.ts';
import type { TotpDevice } from '../users/user-factors.ts';
import { BatchedFiles } from './batched-files.ts';
import { openFactors } from './left-out.ts';
import type { Target, TargetUser } from './target.ts';

/** Maximum number of users in a file. Keycloak imports a file in one transaction. */
const MAX_USERS = 500;
/** Maximum length of an attribute. Users with a longer one cannot sign in: their profile is not valid. */
const MAX_ATTRIBUTE = 2048;
/** Ids that are kept: UUIDs, because all realms of a Keycloak server share their ids. */
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const PBKDF2 = new Map([
  ['sha1', 'pbkdf2'],
  ['sha256', 'pbkdf2-sha256'],
  ['sha512', 'pbkdf2-sha512'],
]);

const base64 = (bytes: Buffer) => bytes.toString('base64');

interface Credential {
  type: 'password' | 'otp';
  userLabel?: string;
  credentialData: string;
  secretData: string;
}

/** @see keycloak/keycloak Pbkdf2PasswordHashProvider.java, Argon2PasswordHashProvider.java */
export function keycloakPassword(hash: ParsedHash): Credential | undefined {
  const of = hash.portable;
  if (of?.kind !== 'pbkdf2' && of?.kind !== 'argon2') return undefined;
  const algorithm = of.kind === 'argon2' ? 'argon2' : PBKDF2.get(of.digest);
  if (algorithm === undefined) return undefined;
  const additionalParameters =
    of.kind === 'pbkdf2'
      ? {}
      : {
          type: [of.type],
          version: [of.version === 16 ? '1.0' : '1.3'],
          memory: [String(of.memoryKb)],
          parallelism: [String(of.parallelism)],
          hashLength: [String(of.hash.length)],
        };
  return {
    type: 'password',
    credentialData: JSON.stringify({
      hashIterations: of.iterations,
      algorithm,
      additionalParameters,
    }),
    secretData: JSON.stringify({ value: base64(of.hash), salt: base64(of.salt), additionalParameters: {} }),
  };
}

const keycloakTotp = ({ deviceName, secretKey, period, digits, algorithm }: TotpDevice): Credential => ({
  type: 'otp',
  ...(deviceName !== undefined && { userLabel: deviceName }),
  credentialData: JSON.stringify({
    subType: 'totp',
    digits,
    counter: 0,
    period,
    algorithm: `Hmac${algorithm}`,
    secretEncoding: 'BASE32',
  }),
  secretData: JSON.stringify({ value: secretKey }),
});

/** Writes bodies of `POST /admin/realms/{realm}/partialImport`. */
export const keycloak: Target = {
  title: 'Keycloak',
  open({ create }) {
    const files = new BatchedFiles(
      { create },
      {
        name: 'users',
        frame: { begin: '{"ifResourceExists":"SKIP","users":[\n', end: '\n]}\n' },
        maxItems: MAX_USERS,
      },
    );
    return {
      verifies: (hash) => keycloakPassword(hash) !== undefined,
      add(user) {
        files.add(JSON.stringify(userOf(user)));
        return fits(user.profile.metadata) ? [] : (['metadata'] as const);
      },
      end() {
        files.end();
        return [
          'The realm settings (user profile) must not require first and last names, and must allow unmanaged attributes. The aliases of identity providers must be those of this service (google, github, …). Then, for each file:',
          'kcadm.sh create partialImport -r REALM -f users-00001.json',
        ];
      },
    };
  },
};

const fits = (text = '') => text.length <= MAX_ATTRIBUTE;

function userOf(user: TargetUser) {
  const { email, isVerified, isDisabled, externalId, profile, timeJoinedMs, hash, plainText, identities } =
    user;
  const { metadata } = profile;
  const password = hash && keycloakPassword(hash);
  const { totpDevices, userRoles, phoneNumbers } = openFactors(user);
  const credentials = [
    ...(password === undefined ? [] : [password]),
    ...(plainText === undefined ? [] : [{ type: 'password', value: plainText }]),
    ...totpDevices.map(keycloakTotp),
  ];
  const attributes = {
    ...(externalId !== undefined && { externalUserId: [externalId] }),
    ...(metadata !== undefined && fits(metadata) && { userMetadata: [metadata] }),
    // Roles become an attribute, because Keycloak refuses a user with a role that the realm does not have.
    ...(userRoles.length > 0 && { userRoles: userRoles.map(({ role }) => role) }),
    ...(phoneNumbers.length > 0 && { phoneNumber: phoneNumbers }),
  };
  return {
    ...(externalId !== undefined && ID.test(externalId) && { id: externalId }),
    username: email,
    email,
    emailVerified: isVerified,
    enabled: !isDisabled,
    ...(timeJoinedMs !== undefined && { createdTimestamp: timeJoinedMs }),
    ...(credentials.length > 0 && { credentials }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(identities.length > 0 && {
      federatedIdentities: identities.map(({ provider, userId, email: userName }) => ({
        identityProvider: provider,
        userId,
        userName,
      })),
    }),
  };
}
