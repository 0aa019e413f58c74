import { USERNAME_IS_EMAIL } from '../fields/login-address.ts';
import type { ReadState } from '../fields/states.ts';
import { flagOf, isSet, objectOf, textOf } from '../fields/values.ts';
import { type Row, system } from './declare.ts';

/** The groups of a user and all groups above them. */
function groupsOf({ joined }: Row): ReadonlySet<string> {
  const groups = new Set<string>();
  for (const { group_id } of joined('user_usergroup_map')) {
    let id = textOf(group_id);
    while (id !== undefined && !groups.has(id)) {
      groups.add(id);
      id = textOf(joined('usergroups', id)[0]?.parent_id);
    }
  }
  return groups;
}

/**
 * Joomla signs in only users of groups with the permission `core.login.site`, and none of a group to which it is denied.
 * Super users have all permissions.
 */
function stateByGroups(row: Row): ReadState {
  if (!['user_usergroup_map', 'usergroups', 'assets'].every((name) => row.hasDetail(name))) return undefined;
  const rules = objectOf(row.joined('assets', ROOT)[0]?.rules) ?? {};
  const groups = [...groupsOf(row)];
  const has = (permission: string, isAllowed: boolean) => {
    const byGroup = objectOf(rules[permission]) ?? {};
    return groups.some((group) => flagOf(byGroup[group]) === isAllowed);
  };
  const isSuper = has('core.admin', true);
  return isSuper || (has('core.login.site', true) && !has('core.login.site', false)) ? undefined : 'DISABLED';
}

/** Name of the asset with the permissions of the whole site. */
const ROOT = 'root.1';

const DUMP =
  'Export them together: mysqldump DATABASE jos_users jos_user_usergroup_map jos_usergroups jos_assets jos_user_mfa > dump.sql.';

/**
 * Joomla from 2.5 on. `activation` is the token of an activation, while which the user is blocked, or of a reset.
 * Schema: joomla/joomla-cms (2.5 to 6): installation/sql/mysql/base.sql. Sign-in: plugins/user/joomla
 */
export const joomla = system(
  { name: 'joomla', title: 'Joomla', settings: USERNAME_IS_EMAIL },
  {
    forms: { sql: 'joomla-sql', csv: 'joomla-csv', json: 'joomla-json' },
    table: 'users',
    isPrefixed: true,
    has: 'id name username email password block sendEmail registerDate lastvisitDate activation',
    id: 'id',
    email: 'email',
    username: 'username',
    joined: 'registerDate',
    hash: 'password',
    families: 'joomla-md5 hex-md5 bcrypt',
    metadata: 'username name',
    states: { block: 'disabled' },
    state: stateByGroups,
    // Up to Joomla 4.1, second factors are in the table of users. All are encrypted.
    factors: ({ record, joined }) =>
      isSet(record.otpKey) || joined('user_mfa').some(({ method }) => method !== 'backupcodes'),
    drops: { 'forced password changes': 'requireReset' },
    joins: {
      user_usergroup_map: {
        table: 'user_usergroup_map',
        has: 'user_id group_id',
        keep: 'group_id',
        decides: 'states',
        missing: DUMP,
      },
      usergroups: {
        table: 'usergroups',
        has: 'id parent_id lft rgt title',
        hasNot: 'rules',
        on: 'id',
        keep: 'parent_id',
        decides: 'states',
        missing: DUMP,
      },
      assets: {
        table: 'assets',
        has: 'id parent_id level name title rules',
        on: ({ name }) => (name === ROOT ? ROOT : undefined),
        keep: 'rules',
        unused: 'lft rgt',
        decides: 'states',
        missing: DUMP,
      },
      user_mfa: {
        table: 'user_mfa',
        has: 'user_id method options',
        keep: 'method',
        unused: 'id title default created_on last_used tries last_try',
        decides: 'factors',
        missing: `${DUMP} Joomla has it from 4.2 on.`,
      },
      user_profiles: {
        table: 'user_profiles',
        has: 'user_id profile_key profile_value',
        unused: 'ordering',
        // Keys of the plug-ins that Joomla brings along.
        keys: {
          key: 'profile_key',
          value: 'profile_value',
          known: (key) => /^(?:profile5?|terms|privacyconsent|joomlatoken|guidedtour)\./.test(key),
        },
      },
    },
    reads: 'otpKey',
    unused: 'usertype gid params lastResetTime resetCount otep authProvider',
    unusedTables: `
      action_logs action_logs_users banners categories contact_details content finder_terms_common history
      languages mail_templates menu messages messages_cfg newsfeeds overrider privacy_consents privacy_requests
      session tags ucm_base ucm_content ucm_history user_keys user_notes webauthn_credentials workflows`,
    note: 'Joomla signs in by name and does not keep who has confirmed an address: users sign in by their address here.',
  },
);
