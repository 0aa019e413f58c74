import { mayBeYes, textOf } from '../fields/values.ts';
import { hashOf, system } from './declare.ts';

/** Schema: metabase/metabase: resources/migrations (core_user), src/metabase/users/models/user.clj */
export const metabase = system(
  { name: 'metabase', title: 'Metabase' },
  {
    forms: { sql: 'metabase-sql', csv: 'metabase-csv', json: 'metabase-json' },
    table: 'core_user',
    has: 'id email password password_salt is_superuser is_active date_joined',
    id: 'id',
    email: 'email',
    joined: 'date_joined',
    // bcrypt of the salt and the password. Users of LDAP have a random one.
    hash: ({ record }) => {
      const [hash, salt] = [textOf(record.password), textOf(record.password_salt)];
      return hash === undefined || salt === undefined || mayBeYes(record.ldap_auth)
        ? undefined
        : hashOf('metabase', `$metabase$s=${Buffer.from(salt).toString('base64')}${hash}`);
    },
    metadata: 'first_name last_name locale',
    states: {
      is_active: 'active',
      deactivated_at: 'disabled',
      type: { personal: 'ACTIVE', internal: 'SERVICE_ACCOUNT', 'api-key': 'SERVICE_ACCOUNT' },
    },
    mayLack: { deactivated_at: 'since 0.50', type: 'since 0.48' },
    roles: 'is_superuser',
    reads: 'ldap_auth',
    unused:
      'last_login reset_token reset_triggered is_qbnewb is_datasetnewb google_auth sso_source login_attributes jwt_attributes settings ' +
      'updated_at entity_id tenant_id',
    unusedTables:
      'activity audit_log auth_identity bookmark_ordering card_bookmark collection_bookmark core_session dashboard_bookmark ' +
      'dashboard_favorite login_history metabase_session permissions_group_membership pulse_channel_recipient query_execution ' +
      'recent_views report_cardfavorite user_key_value user_parameter_value view_log connection_impersonations',
    note: 'Metabase stores no ids of accounts at Google and at SAML providers: these users come in by a password reset, or by a hook.',
  },
);
