import type { ParsedHash } from '../hashing/verifier.ts';
import type { TotpDevice } from '../users/user.ts';
import { membersOf } from './profile.ts';
import { filled, type Target, type TargetUser } from './target.ts';

/** Maximum number of users in a file. Keycloak imports a file in one transaction. */
const MAX_USERS = 500;
/**
 * Maximum length of an attribute. Users with a longer one could not sign in, because their profile would not be valid.
 */
const MAX_ATTRIBUTE = 2048;
/** Ids that are kept. They must be UUIDs, because an id must be unique over all realms of a Keycloak server. */
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Limits of names in the default user profile: `length` and `person-name-prohibited-characters`. */
const NAMES = { maxCharacters: 255, pattern: /^[^<>&"\v$%!#?§;*~/\\|^=[\]{}()]+$/ };
/** Attributes from which Keycloak's scope `profile` makes the claims of the same name. */
const ATTRIBUTES = { nickname: 'nickname', picture: 'picture', locale: 'locale', zoneinfo: 'zoneinfo' };
const PBKDF2_DIGESTS = new Set(['sha1', 'sha256', 'sha512']);

const base64 = (bytes: Buffer) => bytes.toString('base64');

/** @see keycloak/keycloak Pbkdf2PasswordHashProvider.java, Argon2PasswordHashProvider.java */
function keycloakPassword(hash: ParsedHash): object | undefined {
  const of = hash.portable;
  if (of?.kind !== 'argon2' && (of?.kind !== 'pbkdf2' || !PBKDF2_DIGESTS.has(of.digest))) return undefined;
  const pbkdf2 = of.kind === 'pbkdf2' && of.digest !== 'sha1' ? `pbkdf2-${of.digest}` : 'pbkdf2';
  const algorithm = of.kind === 'argon2' ? 'argon2' : pbkdf2;
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
    credentialData: JSON.stringify({ hashIterations: of.iterations, algorithm, additionalParameters }),
    secretData: JSON.stringify({ value: base64(of.hash), salt: base64(of.salt), additionalParameters: {} }),
  };
}

const otpCredential = ({ deviceName, secretKey, period, digits, algorithm }: TotpDevice) => ({
  type: 'otp',
  userLabel: deviceName,
  credentialData: JSON.stringify({
    ...{ subType: 'totp', digits, counter: 0, period },
    ...{ algorithm: `Hmac${algorithm}`, secretEncoding: 'BASE32' },
  }),
  secretData: JSON.stringify({ value: secretKey }),
});

/** Bodies of `POST /admin/realms/{realm}/partialImport`. */
export const keycloak: Target = {
  title: 'Keycloak',
  files: { name: 'users', list: ['{"ifResourceExists":"SKIP","users":[', ']}'], maxUsers: MAX_USERS },
  hashed(hash) {
    const members = keycloakPassword(hash);
    return members && { members };
  },
  plainText: (value) => ({ members: { value } }),
  firstSignIn: { needsLink: true },
  takes: {
    // Keycloak keeps algorithm, digits and period for each device. It offers 6 and 8 digits.
    totp: { max: Number.POSITIVE_INFINITY, accepts: ({ digits }) => digits === 6 || digits === 8 },
    provider: (provider) => provider,
    externalId: () => true,
    metadata: (metadata) => metadata.length <= MAX_ATTRIBUTE,
    roles: true,
    phoneNumbers: true,
    timesOfJoining: true,
  },
  userJson: (user) => JSON.stringify(representationOf(user)),
  steps: () => [
    'The realm settings (user profile) must not require first and last names, unless all users have them, and must allow unmanaged attributes. The aliases of identity providers must be those of this service (google, github, …). Users get no default roles unless you add them (docs/moving-to.md#keycloak). Then, for each file:',
    { shell: 'kcadm.sh create partialImport -r REALM -f users-00001.json' },
  ],
};

/**
 * Keycloak with a PasswordHashProvider `user-import`, which asks this service for hashes that Keycloak cannot verify.
 * Keycloak replaces such a hash with its own at the first sign-in.
 */
export const keycloakHash: Target = {
  ...keycloak,
  title: 'Keycloak with the provider user-import',
  hashed: (hash, signerKey) => keycloak.hashed(hash, signerKey) ?? { members: askedPassword(hash) },
  steps: (files) => [
    'Install examples/keycloak-hash-provider first. Without it, nobody with such a hash can sign in.',
    ...keycloak.steps(files),
  ],
};

const askedPassword = ({ algorithm, encoded, secretId }: ParsedHash) => ({
  credentialData: JSON.stringify({
    ...{ algorithm: 'user-import', hashIterations: 1 },
    additionalParameters: {
      hashingAlgorithm: [algorithm],
      ...(secretId !== undefined && { hashingSecretId: [secretId] }),
    },
  }),
  secretData: JSON.stringify({ value: encoded, salt: '', additionalParameters: {} }),
});

function representationOf(user: TargetUser) {
  const { email, externalId, profile, metadata, password } = user;
  const credentials = [
    ...(password === undefined ? [] : [{ type: 'password', ...password.members }]),
    ...user.totpDevices.map(otpCredential),
  ];
  const claims = Object.entries(membersOf(profile, ATTRIBUTES, { maxCharacters: MAX_ATTRIBUTE }));
  const attributes = {
    ...(externalId !== undefined && { externalUserId: [externalId] }),
    ...Object.fromEntries(claims.map(([name, value]) => [name, [value]])),
    ...(metadata !== undefined && { userMetadata: [metadata] }),
    // Roles become an attribute, because a role of the same name may allow more in Keycloak: `admin` in the realm `master`.
    ...(user.roles.length > 0 && { userRoles: user.roles }),
    ...(user.phoneNumbers.length > 0 && { phoneNumber: user.phoneNumbers }),
  };
  const federatedIdentities = user.identities.map(({ provider, userId, email: userName }) => {
    return { identityProvider: provider, userId, userName };
  });
  return {
    id: externalId !== undefined && ID.test(externalId) ? externalId : undefined,
    federationLink: user.waits?.link,
    // The user name is the address, and not a name from the metadata: people can sign in with a user name, and such a
    // name could belong to somebody else.
    username: email,
    email,
    emailVerified: user.isVerified,
    enabled: !user.isDisabled,
    ...membersOf(profile, { given_name: 'firstName', family_name: 'lastName' }, NAMES),
    createdTimestamp: user.timeJoinedMs,
    credentials: filled(credentials),
    attributes: filled(attributes),
    federatedIdentities: filled(federatedIdentities),
  };
}
