import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { firebaseHash, hashObject, hashText, invalidHash, isGiven, SIGNER_KEY } from '../fields/hashes.ts';
import { isDemanded } from '../fields/second-factors.ts';
import { totpOfUrl } from '../fields/totp.ts';
import { flagOf, isSameAddress, listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { hasAll, type Identity, type Join, type Row, type Seen, system, type Users } from './declare.ts';

const NOTHING: JsonObject = {};
const memberOf = (object: JsonObject, ...path: readonly string[]): JsonObject =>
  path.reduce((found, name) => objectOf(found[name]) ?? NOTHING, object);

const SECOND_FACTORS = ['totp', 'webauthn', 'passkey', 'lookup_secret'];

const addressesOf = (record: SourceRecord) => objectsOf(record.verifiable_addresses);

/**
 * Returns the address. The administrators of Kratos define the schema of traits, so there may be no `email` in them.
 */
const emailOf = (record: SourceRecord): string | undefined =>
  textOf(memberOf(record, 'traits').email) ??
  listOf(memberOf(record, 'credentials', 'password').identifiers)
    .map(textOf)
    .find((one) => one?.includes('@')) ??
  textOf(addressesOf(record).find(({ via }) => via === 'email')?.value);

/** Compares addresses without case, because Kratos stores verifiable addresses in lower case. */
const isSame = (value: unknown, email: string | undefined) =>
  typeof value === 'string' && email !== undefined && isSameAddress(value, email);

function accountsOf(credential: JsonObject, isSaml: boolean): Identity[] {
  const providers = objectsOf(memberOf(credential, 'config').providers);
  // Without `include_credential=oidc`, the API of Kratos only returns identifiers: `google:123`.
  if (providers.length === 0)
    return listOf(credential.identifiers).flatMap((one) => {
      const [, provider, userId] = /^([^:]+):(.+)$/s.exec(textOf(one) ?? '') ?? [];
      return provider === undefined ? [] : { provider, userId, isSso: isSaml };
    });
  return providers.flatMap(({ provider, subject, organization }) =>
    textOf(provider) === undefined || textOf(subject) === undefined
      ? []
      : { provider, userId: subject, isSso: isSaml || textOf(organization) !== undefined },
  );
}

const isExported = (table: TableHead) => hasAll(table, 'schema_id traits') && !table.columns.has('nid');

const exportedHashes = ({ tables }: Seen) =>
  tables
    .filter(isExported)
    .flatMap(({ first }) => first)
    .map((record) => textOf(memberOf(record, 'credentials', 'password', 'config').hashed_password));

function pickConfig(config: JsonObject): JsonObject | undefined {
  const { hashed_password, providers } = config;
  if (hashed_password !== undefined) return { hashed_password };
  if (providers !== undefined) {
    // Only ids of accounts are kept, because Kratos' export also contains tokens of the providers.
    return {
      providers: objectsOf(providers).map(({ provider, subject, organization }) => ({
        provider,
        subject,
        organization,
      })),
    };
  }
  // Secrets of second factors and passkeys in Kratos' credentials are not kept.
  const isSecondFactor = ['totp_url', 'recovery_codes', 'credentials'].some((name) =>
    isDemanded(config[name]),
  );
  return isSecondFactor ? { isSecondFactor } : undefined;
}

/** Rules for identities in the form of the API. The other forms bring theirs into it by `as`. */
const users = {
  email: ({ record }) => emailOf(record),
  verified: ({ record }) =>
    addressesOf(record).some(
      ({ value, verified }) => flagOf(verified) === true && isSame(value, emailOf(record)),
    ),
  hash: ({ record }) => {
    const { config } = hashObject(memberOf(record, 'credentials').password) ?? NOTHING;
    return kratosPassword(hashObject(config) ?? NOTHING);
  },
  identities: ({ record }) => [
    ...accountsOf(memberOf(record, 'credentials', 'oidc'), false),
    ...accountsOf(memberOf(record, 'credentials', 'saml'), true),
  ],
  metadata: 'traits{} metadata_public{} metadata_admin{} external_id',
  states: { state: { active: 'ACTIVE', inactive: 'DISABLED' } },
  factors: ({ record }) => {
    const credentials = memberOf(record, 'credentials');
    return (
      SECOND_FACTORS.some((type) => credentials[type] !== undefined) &&
      totpOfUrl(memberOf(credentials, 'totp', 'config').totp_url)
    );
  },
  drops: { organisations: ({ record }) => textOf(record.organization_id) !== undefined },
  phone: ({ record }) => [
    memberOf(record, 'traits').phone,
    ...addressesOf(record).flatMap(({ via, value }) => (via === 'sms' ? value : [])),
  ],
} as const satisfies Partial<Users>;

/** Reads the parts of an identity from Kratos' tables, which are recognised by the column `nid` (the network). */
function ofTables({ record, joined }: Row): SourceRecord {
  const configs = joined('credentials');
  const isSaml = ({ typeId }: JsonObject) =>
    joined('types', textOf(typeId) ?? '').some(({ name }) => name === 'saml');
  const providersOf = (found: readonly JsonObject[]) => ({
    config: { providers: found.flatMap(({ providers }) => objectsOf(providers)) },
  });
  return {
    ...record,
    credentials: {
      password: { config: configs.find(({ hashed_password }) => hashed_password !== undefined) },
      oidc: providersOf(configs.filter((config) => !isSaml(config))),
      saml: providersOf(configs.filter(isSaml)),
      // One second factor is enough, because only the users with a second factor are counted.
      totp: configs.find(({ isSecondFactor }) => isSecondFactor === true),
    },
    verifiable_addresses: joined('addresses'),
  };
}

const WHOLE = 'Dump the whole database: pg_dump kratos > dump.sql';

const joins: Readonly<Record<string, Join>> = {
  credentials: {
    table: 'identity_credentials',
    has: 'identity_id config',
    keep: ({ config, identity_credential_type_id: typeId }) => {
      // A configuration that cannot be read may be a password, so it is kept as a password that cannot be read.
      const picked = pickConfig(objectOf(config) ?? (isGiven(config) ? { hashed_password: {} } : NOTHING));
      return picked === undefined ? undefined : { ...picked, typeId };
    },
    reads: 'identity_credential_type_id',
    unused: 'id created_at updated_at nid version',
    decides: 'factors',
    missing: `Without identity_credentials there are no password hashes and social logins. ${WHOLE}`,
  },
  // The ids of credential types differ between databases.
  types: { table: 'identity_credential_types', has: 'id name', keep: 'name' },
  addresses: {
    table: 'identity_verifiable_addresses',
    has: 'identity_id via value verified',
    keep: 'via value verified',
    unused: 'id status verified_at created_at updated_at nid',
    missing: `The table identity_verifiable_addresses is missing: who confirmed an address is not known without it. ${WHOLE}`,
  },
};

/**
 * Algorithms by the beginning of a Kratos hash. Some hashes look like those of other systems, but mean something else:
 * `ln` of scrypt is N itself, and not its logarithm.
 */
const FAMILIES: readonly (readonly [start: string, algorithm: string])[] = [
  ['$2', 'bcrypt'],
  ['$argon2', 'argon2'],
  ['$pbkdf2-', 'pbkdf2-kratos'],
  ['$scrypt$', 'scrypt-kratos'],
  ['$md5-crypt$', 'md5-crypt-kratos'],
  ['$sha256-crypt$', 'sha256-crypt-kratos'],
  ['$sha512-crypt$', 'sha512-crypt-kratos'],
  ['$md5$', 'md5-kratos'],
  ['$sha1$', 'sha-kratos'],
  ['$sha256$', 'sha-kratos'],
  ['$sha512$', 'sha-kratos'],
  ['$hmac-', 'hmac-kratos'],
];

/**
 * Reads the password in the `config` of a Kratos credential. With `use_password_migration_hook`, Kratos does not have
 * the hash yet: it asks another system at the first sign-in.
 * @see ory/kratos hash/hash_comparator.go
 */
export function kratosPassword({ hashed_password, password }: JsonObject): SourcePassword | undefined {
  const encoded = hashText(hashed_password);
  if (encoded === undefined) {
    const plainText = hashText(password);
    return plainText === undefined ? undefined : { plainText };
  }
  if (encoded.startsWith('$firescrypt$')) return firescrypt(encoded);
  const algorithm = FAMILIES.find(([start]) => encoded.startsWith(start))?.[1];
  return algorithm === undefined ? { encoded } : { encoded, algorithm };
}

/**
 * Converts `$firescrypt$ln=14,r=8,p=1$<salt>$<hash>$<separator>$<signer key>` of Kratos. The signer key
 * must be in the configuration of the service.
 */
function firescrypt(encoded: string): SourcePassword {
  const match = FIRESCRYPT.exec(encoded);
  if (match === null)
    return invalidHash(
      'the firescrypt hash is not $firescrypt$ln=…,r=…,p=1$<salt>$<hash>$<separator>$<signer key>',
    );
  const [, memCost = '', rounds = '', salt = '', hash = '', saltSeparator = '', signerKey] = match;
  return firebaseHash({ hash, salt, memCost, rounds, saltSeparator, signerKey });
}

const FIRESCRYPT = /^\$firescrypt\$ln=(\d+),r=(\d+),p=1\$([^$]*)\$([^$]*)\$([^$]*)\$([^$]*)$/;

const UNUSED = 'schema_url state_changed_at updated_at recovery_addresses identifier_credentials region';
const READS = 'credentials verifiable_addresses metadata_public metadata_admin external_id organization_id';

/** Schema: ory/kratos: persistence/sql/migrations/sql, identity/identity.go and handler.go (26) */
export const kratos = system('kratos', 'Ory Kratos', [
  {
    settings: SIGNER_KEY,
    ...users,
    forms: { json: 'kratos-identities' },
    hasPages: true,
    has: 'schema_id traits',
    hasNot: 'nid',
    joined: 'created_at',
    reads: READS,
    unused: UNUSED,
    note: {
      text: 'There are hashes of Firebase. The last part of each is the signer key of the project: put it into external_password_hashing_signer_key of the service, once.',
      when: (seen) => exportedHashes(seen).some((hash) => hash?.startsWith('$firescrypt$')),
    },
    warning: {
      text: 'The first identities have no password hashes. Fetch them with GET /admin/identities?include_credential=password&include_credential=oidc.',
      when: (seen) =>
        exportedHashes(seen).length > 0 && exportedHashes(seen).every((hash) => hash === undefined),
    },
  },
  {
    // Bodies for Kratos' `PATCH /admin/identities`: `{"identities":[{"create":{…}}]}`.
    ...users,
    forms: { json: 'kratos-import' },
    has: 'create',
    only: ({ first }) => first.some(({ create }) => isJsonObject(create) && isJsonObject(create.traits)),
    as: ({ record }) => memberOf(record, 'create'),
    unused: 'patch_id',
  },
  {
    ...users,
    forms: { sql: 'kratos-sql', csv: 'kratos-sql', json: 'kratos-sql' },
    has: 'id schema_id traits',
    only: ({ container, columns }) => container !== 'json' || columns.has('nid'),
    as: ofTables,
    joins,
    unusedTables:
      'continuity_containers courier_messages courier_message_dispatches identity_credential_identifiers identity_credential_types ' +
      'identity_login_codes identity_pending_traits_changes identity_recovery_addresses identity_recovery_codes identity_recovery_tokens identity_registration_codes ' +
      'identity_verification_codes identity_verification_tokens selfservice_errors selfservice_login_flows ' +
      'selfservice_recovery_flows selfservice_registration_flows selfservice_settings_flows selfservice_verification_flows ' +
      'session_devices session_token_exchanges sessions',
    realms: { title: 'networks', column: 'nid' },
    joined: 'created_at',
    stateReads: 'state',
    reads: `created_at ${READS}`,
    unused: `${UNUSED} available_aal`,
  },
]);
