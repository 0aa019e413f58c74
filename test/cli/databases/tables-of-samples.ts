import type { TextTable } from './load-tables.ts';
import { sampleText } from './read-all.ts';

type Row = Readonly<Record<string, unknown>>;

/** Tables in PostgreSQL of systems whose samples are not dumps. */
export const TABLES_OF_SAMPLES: Readonly<
  Record<string, { files: readonly string[]; tables(): TextTable[] }>
> = {
  'better-auth': {
    files: ['user.json', 'account.json'],
    tables: () => [
      tableOf('user', json('better-auth/user.json')),
      tableOf('account', json('better-auth/account.json')),
    ],
  },
  authjs: {
    files: ['User.json', 'Account.json'],
    tables: () => [
      tableOf('User', json('authjs/User.json')),
      tableOf('Account', json('authjs/Account.json')),
    ],
  },
  django: { files: ['dumpdata.json'], tables: djangoTables },
  keycloak: { files: ['realm-export.json'], tables: keycloakTables },
  devise: { files: ['users.csv'], tables: () => [csv('users', 'devise/users.csv')] },
  lucia: {
    files: ['auth_user.csv', 'user_key.csv'],
    tables: () => [csv('auth_user', 'lucia/auth_user.csv'), csv('user_key', 'lucia/user_key.csv')],
  },
};

const json = (path: string): Row[] => JSON.parse(sampleText(path));

function tableOf(name: string, rows: readonly Row[]): TextTable {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { name, columns, rows: rows.map((row) => columns.map((column) => cellOf(row[column]))) };
}

function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Reads a sample in CSV that contains no quotes. */
function csv(name: string, path: string): TextTable {
  const [head = '', ...lines] = sampleText(path).trim().split(/\r?\n/);
  const rows = lines.map((line) => line.split(',').map((cell) => (cell === '' ? null : cell)));
  return { name, columns: head.split(','), rows };
}

/**
 * Converts Django's fixtures: `auth.user` is the table `auth_user`, and a foreign key has the suffix `_id`.
 */
function djangoTables(): TextTable[] {
  const fixtures = json('django/dumpdata.json') as { model: string; pk: unknown; fields: Row }[];
  return [...new Set(fixtures.map(({ model }) => model))].map((model) => {
    const rows = fixtures
      .filter((one) => one.model === model)
      .map(({ pk, fields }) => ({
        id: pk,
        ...Object.fromEntries(
          Object.entries(fields)
            .filter(([, value]) => !Array.isArray(value))
            .map(([name, value]) => [name === 'user' && model !== 'auth.user' ? 'user_id' : name, value]),
        ),
      }));
    return tableOf(model.replace('.', '_'), rows);
  });
}

interface KeycloakUser extends Row {
  id: string;
  credentials?: Row[];
  federatedIdentities?: Row[];
  attributes?: Record<string, string[]>;
}

function keycloakTables(): TextTable[] {
  const {
    id: realm,
    users,
    identityProviders = [],
  } = JSON.parse(sampleText('keycloak/realm-export.json')) as {
    id: string;
    users: KeycloakUser[];
    identityProviders?: Row[];
  };
  const each = (rows: (user: KeycloakUser) => Row[]) => users.flatMap(rows);
  return [
    tableOf(
      'user_entity',
      users.map((user) => ({
        id: user.id,
        email: user.email,
        email_verified: user.emailVerified,
        enabled: user.enabled,
        first_name: user.firstName,
        last_name: user.lastName,
        realm_id: realm,
        username: user.username,
        created_timestamp: user.createdTimestamp,
        service_account_client_link: user.serviceAccountClientId,
      })),
    ),
    tableOf(
      'credential',
      each(({ id, credentials = [] }) =>
        credentials.map((one, at) => ({
          id: `${id}-${at}`,
          user_id: id,
          type: one.type,
          // Before Keycloak 8, credentials had flat columns. A later Keycloak migrated the database.
          secret_data: one.secretData ?? JSON.stringify({ value: one.hashedSaltedValue, salt: one.salt }),
          credential_data:
            one.credentialData ??
            JSON.stringify({ hashIterations: one.hashIterations, algorithm: one.algorithm }),
        })),
      ),
    ),
    tableOf(
      'federated_identity',
      each(({ id, federatedIdentities = [] }) =>
        federatedIdentities.map((one) => ({
          user_id: id,
          identity_provider: one.identityProvider,
          federated_user_id: one.userId,
        })),
      ),
    ),
    tableOf(
      'identity_provider',
      identityProviders.map(({ alias, providerId }) => ({
        internal_id: alias,
        provider_alias: alias,
        provider_id: providerId,
        realm_id: realm,
      })),
    ),
    tableOf(
      'user_attribute',
      each(({ id, attributes = {} }) =>
        Object.entries(attributes).flatMap(([name, values]) =>
          values.map((value, at) => ({ id: `${id}-${name}-${at}`, user_id: id, name, value })),
        ),
      ),
    ),
  ];
}
