import type { SourceRecord, TableHead } from '../../containers/table.ts';
import { stateOfFlag } from '../../fields/read-state.ts';
import { hasColumns, mayBe } from '../../fields/tables.ts';
import { timeOf } from '../../fields/time.ts';
import { emailOrUsername } from '../../fields/username-as-email.ts';
import { flagOf, metadataOf, textOf } from '../../fields/values.ts';
import type { Detail, Form, ReadContext } from '../../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../../source-user.ts';
import { passwordOf, totpOf } from './credential.ts';
import { identityOf } from './identity-providers.ts';
import { isRealmTable, REALM_NAMES, REALMS_OF_TABLES } from './realms.ts';
import { dropRequiredActions } from './required-actions.ts';

const byUser = (record: SourceRecord) => textOf(record.user_id);

const credentials: Detail = {
  fits: (table) => hasColumns(table, 'user_id', 'type', 'secret_data', 'credential_data'),
  keyOf: byUser,
  keep: ({ type, secret_data: secretData, credential_data: credentialData, user_label: userLabel }) => {
    if (type === 'password') return { type, secretData, credentialData };
    return type === 'otp' ? { type, secretData, credentialData, userLabel } : { type };
  },
  missing:
    'The table credential is missing: without it nobody has a password. Export the whole database: pg_dump keycloak',
};

const federated: Detail = {
  fits: (table) => hasColumns(table, 'user_id', 'identity_provider', 'federated_user_id'),
  keyOf: byUser,
  keep: ({ identity_provider: alias, federated_user_id: id }) => ({ alias, id }),
  missing:
    'The table federated_identity is missing: without it social logins are lost. Export the whole database: pg_dump keycloak',
};

const actions: Detail = {
  fits: (table) => hasColumns(table, 'user_id', 'required_action'),
  keyOf: byUser,
  keep: ({ required_action: action }) => ({ action }),
};

const realms: Detail = {
  fits: isRealmTable,
  keyOf: (record) => textOf(record.id),
  keep: ({ name }) => ({ name }),
};

const attributes: Detail = {
  fits: (table) => mayBe(table, 'user_attribute') && hasColumns(table, 'user_id', 'name', 'value'),
  keyOf: byUser,
  keep: ({ name, value }) => ({ name, value }),
};

const isUserTable = (table: TableHead): boolean =>
  hasColumns(table, 'id', 'email', 'email_verified', 'enabled', 'realm_id', 'created_timestamp', 'username');

export const tables: Form = {
  name: 'keycloak-tables',
  isUsers: (table) => isUserTable(table),
  details: { credentials, federated, attributes, actions, [REALM_NAMES]: realms },
  keyOf: (record) => textOf(record.id),
  realms: REALMS_OF_TABLES,
  read,
};

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const { settings, details, drop } = context;
  const id = textOf(record.id) ?? '';
  const required = details('actions', id).map(({ action }) => action);
  dropRequiredActions(required, drop);
  const isService = textOf(record.service_account_client_link) !== undefined;
  return {
    externalUserId: textOf(record.id),
    ...emailOrUsername(record.email, record.username, settings),
    isVerified: flagOf(record.email_verified),
    timeJoinedMs: timeOf(record.created_timestamp),
    password: passwordIn(id, context),
    identities: details('federated', id).flatMap(({ alias, id: userId }): SourceIdentity[] => {
      const [name, there] = [textOf(alias), textOf(userId)];
      if (name !== undefined && there !== undefined) return [identityOf(name, there, context)];
      drop('identities without an id');
      return [];
    }),
    metadata: metadataOf({
      username: record.username,
      firstName: record.first_name,
      lastName: record.last_name,
      attributes: attributesOf(id, context),
    }),
    state: isService ? 'SERVICE_ACCOUNT' : stateOfFlag('enabled', record.enabled ?? false, false, settings),
  };
}

function passwordIn(id: string, { details, drop }: ReadContext): SourcePassword | undefined {
  let password: SourcePassword | undefined;
  for (const credential of details('credentials', id)) {
    if (credential.type !== 'password') drop('mfa', totpOf(credential));
    else if (password !== undefined) drop('further hashes');
    else password = passwordOf(credential);
  }
  return password;
}

/** Attributes of a Keycloak user, each as a list of values, as in a realm export. */
function attributesOf(id: string, { details }: ReadContext): Record<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const { name, value } of details('attributes', id)) {
    const [key, text] = [textOf(name), textOf(value)];
    if (key === undefined || text === undefined) continue;
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [text]);
    else list.push(text);
  }
  return Object.fromEntries(lists);
}
