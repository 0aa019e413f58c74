import type { JsonObject } from '../../../lib/json/json-object.ts';
import { gravestState, stateOf } from '../../fields/states.ts';
import { textOf } from '../../fields/values.ts';
import type { Row, Users } from '../declare.ts';
import { passwordOf, totpOf } from './credential.ts';
import { identityOf } from './identity-providers.ts';
import { REALM_NAMES, REALMS_OF_TABLES } from './realms.ts';
import { isFactorAction, isPasswordAction } from './required-actions.ts';

const WHOLE = 'Export the whole database: pg_dump keycloak';

const ofType = ({ joined }: Row, isPassword: boolean) =>
  joined('credential').filter(({ type }) => (type === 'password') === isPassword);

const actionsOf = ({ joined }: Row) => joined('actions').map(({ required_action }) => required_action);

/** Attributes of a user, each as a list of values, as in a realm export. */
function attributesOf(found: readonly JsonObject[]): Record<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const { name, value } of found) {
    const [key, text] = [textOf(name), textOf(value)];
    if (key === undefined || text === undefined) continue;
    lists.set(key, [...(lists.get(key) ?? []), text]);
  }
  return Object.fromEntries(lists);
}

/** Schema: keycloak/keycloak: model/jpa/src/main/resources/META-INF/jpa-changelog-*.xml (8 to 26) */
export const tables: Users = {
  forms: { sql: 'keycloak-tables', csv: 'keycloak-tables', json: 'keycloak-tables' },
  has: 'id email email_verified enabled realm_id created_timestamp username',
  joins: {
    credential: {
      has: 'user_id type secret_data credential_data',
      on: 'user_id',
      keep: ({ type, secret_data: secretData, credential_data: credentialData, user_label: userLabel }) => {
        if (type === 'password') return { type, secretData, credentialData };
        return type === 'otp' ? { type, secretData, credentialData, userLabel } : { type };
      },
      reads: 'user_label',
      unused:
        'id salt created_date priority version value device hash_iterations counter digits period algorithm',
      decides: 'factors',
      missing: `Without it nobody has a password. ${WHOLE}`,
    },
    federated: {
      has: 'user_id identity_provider federated_user_id',
      on: 'user_id',
      keep: 'alias=identity_provider id=federated_user_id',
      unused: 'realm_id federated_username token',
      missing: `The table federated_identity is missing: without it social logins are lost. ${WHOLE}`,
    },
    attributes: {
      table: 'user_attribute',
      has: 'user_id name value',
      on: 'user_id',
      keep: 'name value=value|long_value',
      unused: 'id long_value_hash long_value_hash_lower_case',
    },
    actions: { has: 'user_id required_action', on: 'user_id', keep: 'required_action' },
    [REALM_NAMES]: {
      table: 'realm',
      has: 'id name ssl_required',
      on: 'id',
      keep: 'name enabled',
      unused: `access_code_lifespan access_token_life_implicit access_token_lifespan account_theme
        admin_events_details_enabled admin_events_enabled admin_theme allow_user_managed_access browser_flow
        client_auth_flow default_locale default_role direct_grant_flow docker_auth_flow
        duplicate_emails_allowed edit_username_allowed email_theme events_enabled events_expiration
        internationalization_enabled login_lifespan login_theme login_with_email_allowed
        master_admin_client not_before offline_session_idle_timeout otp_policy_alg otp_policy_counter otp_policy_digits
        otp_policy_period otp_policy_type otp_policy_window password_policy
        refresh_token_max_reuse reg_email_as_username registration_allowed registration_flow
        remember_me reset_credentials_flow reset_password_allowed revoke_refresh_token social sso_idle_timeout
        sso_idle_timeout_remember_me sso_max_lifespan sso_max_lifespan_remember_me update_profile_on_soc_login
        user_action_lifespan verify_email`,
    },
  },
  unusedTables: `admin_event_entity broker_link event_entity fed_user_attribute fed_user_consent fed_user_credential
      fed_user_group_membership fed_user_required_action fed_user_role_mapping federated_user offline_user_session
      user_consent user_group_membership user_role_mapping user_session username_login_failure user_verifiable_credential`,
  realms: REALMS_OF_TABLES,
  id: 'id',
  email: 'email',
  username: 'username',
  verified: 'email_verified',
  joined: 'created_timestamp',
  hash: (row) => {
    const [credential] = ofType(row, true);
    return credential && passwordOf(credential);
  },
  identities: (row) =>
    row.joined('federated').map(({ alias, id }) => {
      const [name, userId] = [textOf(alias), textOf(id)];
      return name === undefined || userId === undefined
        ? { provider: name ?? 'unknown', userId: undefined }
        : identityOf(name, userId, row);
    }),
  metadata: ({ record, joined }) => ({
    username: record.username,
    firstName: record.first_name,
    lastName: record.last_name,
    attributes: attributesOf(joined('attributes')),
  }),
  states: { enabled: 'active' },
  state: (row) =>
    gravestState([
      textOf(row.record.service_account_client_link) === undefined ? undefined : 'SERVICE_ACCOUNT',
      // Nobody signs in to a realm that is not enabled.
      ...row
        .joined(REALM_NAMES, textOf(row.record.realm_id))
        .map(({ enabled }) => stateOf(`${REALM_NAMES}.enabled`, enabled, 'active', row)),
    ]),
  factors: (row) => {
    const others = ofType(row, false);
    return (others.length > 0 || actionsOf(row).some(isFactorAction)) && others.flatMap(totpOf);
  },
  drops: {
    'further hashes': (row) => ofType(row, true).length > 1,
    'forced password changes': (row) => actionsOf(row).some(isPasswordAction),
  },
  reads: 'first_name last_name service_account_client_link',
  unused: 'email_constraint federation_link not_before last_modified_timestamp totp',
};
