import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { stateOfWord } from '../fields/read-state.ts';
import { REALM, realmsInColumn } from '../fields/realms.ts';
import { isDemanded } from '../fields/second-factors.ts';
import { SIGNER_KEY } from '../fields/signer-key.ts';
import { hasColumns, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfUrl } from '../fields/totp.ts';
import { flagOf, isSameAddress, listOf, metadataOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, Form, ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';
import { kratosPassword } from './kratos-password.ts';

interface Identity {
  /** Credentials of the identity by type: password, provider, TOTP, …. */
  credentials: JsonObject;
  addresses: readonly JsonObject[];
}

const NOTHING: JsonObject = {};
const memberOf = (object: JsonObject, name: string): JsonObject => objectOf(object[name]) ?? NOTHING;

/** @param record identity of Kratos in the form of the API, of an import body, or of the table `identities` */
function readIdentity(
  record: JsonObject,
  { credentials, addresses }: Identity,
  { settings, drop }: ReadContext,
): SourceUser {
  const traits = memberOf(record, 'traits');
  const password = memberOf(credentials, 'password');
  const email = emailOf(traits, password, addresses);
  const hasPhone = textOf(traits.phone) !== undefined || addresses.some(({ via }) => via === 'sms');
  if (hasPhone)
    drop('phone numbers', [
      traits.phone,
      ...addresses.flatMap(({ via, value }) => (via === 'sms' ? [value] : [])),
    ]);
  if (SECOND_FACTORS.some((type) => credentials[type] !== undefined))
    drop('mfa', totpOfUrl(memberOf(memberOf(credentials, 'totp'), 'config').totp_url));
  if (textOf(record.organization_id) !== undefined) drop('organisations');
  return {
    externalUserId: textOf(record.id),
    email,
    isVerified: addresses.some(({ value, verified }) => flagOf(verified) === true && isSame(value, email)),
    timeJoinedMs: timeOf(record.created_at),
    password: kratosPassword(memberOf(password, 'config')),
    identities: [
      ...identitiesOf(memberOf(credentials, 'oidc'), false),
      ...identitiesOf(memberOf(credentials, 'saml'), true),
    ],
    metadata: metadataOf({
      traits,
      metadata_public: objectOf(record.metadata_public),
      metadata_admin: objectOf(record.metadata_admin),
      external_id: textOf(record.external_id),
    }),
    state: stateOfWord('state', record.state, STATES, settings),
    hasPhone,
  };
}

const STATES = { active: 'ACTIVE', inactive: 'DISABLED' } as const;
const SECOND_FACTORS = ['totp', 'webauthn', 'passkey', 'lookup_secret'];

/** The operator of Kratos defines the schema of traits, so there may be no `email`. */
function emailOf(
  traits: JsonObject,
  password: JsonObject,
  addresses: readonly JsonObject[],
): string | undefined {
  return (
    textOf(traits.email) ??
    textOf(listOf(password.identifiers).find((one) => typeof one === 'string' && one.includes('@'))) ??
    textOf(addresses.find(({ via }) => via === 'email')?.value)
  );
}

/** Kratos stores addresses in lower case. */
const isSame = (value: unknown, email: string | undefined) =>
  typeof value === 'string' && email !== undefined && isSameAddress(value, email);

function identitiesOf(credential: JsonObject, isSaml: boolean): SourceIdentity[] {
  const providers = objectsOf(memberOf(credential, 'config').providers);
  // Without `include_credential=oidc`, the API of Kratos only returns identifiers: `google:123`.
  if (providers.length === 0) {
    return listOf(credential.identifiers).flatMap((one) => identityOf(textOf(one) ?? '', isSaml));
  }
  return providers.flatMap(({ provider, subject, organization }) => {
    const [name, userId] = [textOf(provider), textOf(subject)];
    const isSso = isSaml || textOf(organization) !== undefined;
    return name === undefined || userId === undefined ? [] : [{ provider: name, userId, isSso }];
  });
}

function identityOf(identifier: string, isSso: boolean): SourceIdentity[] {
  const colon = identifier.indexOf(':');
  const userId = textOf(identifier.slice(colon + 1));
  return colon < 1 || userId === undefined ? [] : [{ provider: identifier.slice(0, colon), userId, isSso }];
}

const readExported = (record: SourceRecord, context: ReadContext) =>
  readIdentity(
    record,
    {
      credentials: memberOf(record, 'credentials'),
      addresses: objectsOf(record.verifiable_addresses),
    },
    context,
  );

const isExported = (table: TableHead) =>
  table.container === 'json' && hasColumns(table, 'schema_id', 'traits') && !isTable(table);

/** Only Kratos' table `identities` has the column `nid` (the network); the API does not show it. */
const isTable = (table: TableHead) =>
  hasColumns(table, 'id', 'schema_id', 'traits') && (table.container !== 'json' || table.columns.has('nid'));

const hasHash = (record: JsonObject) =>
  textOf(memberOf(memberOf(memberOf(record, 'credentials'), 'password'), 'config').hashed_password) !==
  undefined;

function adviceOnExported({ tables }: { tables: readonly TableHead[] }): Advice[] {
  const records = tables.filter(isExported).flatMap(({ first }) => first);
  return [...(records.length === 0 || records.some(hasHash) ? [] : [NO_HASHES]), ...signerKey(records)];
}

const NO_HASHES: Advice = {
  level: 'warn',
  text: 'The first identities have no password hashes. Fetch them with GET /admin/identities?include_credential=password&include_credential=oidc.',
};

function signerKey(records: readonly JsonObject[]): Advice[] {
  const isFirebase = (record: JsonObject) =>
    textOf(
      memberOf(memberOf(memberOf(record, 'credentials'), 'password'), 'config').hashed_password,
    )?.startsWith('$firescrypt$') === true;
  if (!records.some(isFirebase)) return [];
  return [
    {
      level: 'note',
      text: 'There are hashes of Firebase. The last part of each is the signer key of the project: put it into external_password_hashing_signer_key of the service, once.',
    },
  ];
}

const exported: Form = {
  name: 'kratos-identities',
  hasPages: true,
  isUsers: isExported,
  read: readExported,
  advice: adviceOnExported,
};

/** Bodies for Kratos' `PATCH /admin/identities`: `{"identities":[{"create":{…}}]}`. */
const imported: Form = {
  name: 'kratos-import',
  isUsers: ({ container, columns, first }) =>
    container === 'json' &&
    columns.has('create') &&
    first.some(({ create }) => isJsonObject(create) && isJsonObject(create.traits)),
  read: ({ create }, context) => readExported(objectOf(create) ?? NOTHING, context),
};

const credentials: Detail = {
  fits: (table) => mayBe(table, 'identity_credentials') && hasColumns(table, 'identity_id', 'config'),
  keyOf: ({ identity_id }) => textOf(identity_id),
  keep: ({ config, identity_credential_type_id: typeId }) => {
    const picked = pickConfig(objectOf(config) ?? NOTHING);
    return picked === undefined ? undefined : { ...picked, typeId };
  },
  missing:
    'The table identity_credentials is missing: it has all password hashes and social logins. Dump the whole database: pg_dump kratos > dump.sql',
};

/** The ids of Kratos' credential types differ between databases. */
const types: Detail = {
  fits: (table) => mayBe(table, 'identity_credential_types') && hasColumns(table, 'id', 'name'),
  keyOf: ({ id }) => textOf(id),
  keep: ({ name }) => ({ name }),
};

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

const addresses: Detail = {
  fits: (table) => hasColumns(table, 'identity_id', 'via', 'value', 'verified'),
  keyOf: ({ identity_id }) => textOf(identity_id),
  keep: ({ via, value, verified }) => ({ via, value, verified }),
  missing:
    'The table identity_verifiable_addresses is missing: who confirmed an address is not known without it. Dump the whole database: pg_dump kratos > dump.sql',
};

const tables: Form = {
  name: 'kratos-sql',
  isUsers: isTable,
  details: { credentials, types, addresses },
  realms: realmsInColumn('networks', 'nid'),
  read(record, context) {
    const id = textOf(record.id) ?? '';
    const configs = context.details('credentials', id);
    const isSaml = ({ typeId }: JsonObject) =>
      context.details('types', textOf(typeId) ?? '').some(({ name }) => name === 'saml');
    const providersOf = (found: readonly JsonObject[]) => ({
      config: { providers: found.flatMap(({ providers }) => objectsOf(providers)) },
    });
    return readIdentity(
      record,
      {
        credentials: {
          password: { config: configs.find(({ hashed_password }) => hashed_password !== undefined) },
          oidc: providersOf(configs.filter((config) => !isSaml(config))),
          saml: providersOf(configs.filter(isSaml)),
          // One second factor is sufficient, because only the users who have one are counted.
          totp: configs.find(({ isSecondFactor }) => isSecondFactor === true),
        },
        addresses: context.details('addresses', id),
      },
      context,
    );
  },
};

export const kratos: Source = {
  name: 'kratos',
  title: 'Ory Kratos',
  settings: { ...SIGNER_KEY, ...REALM },
  forms: [exported, imported, tables],
};
