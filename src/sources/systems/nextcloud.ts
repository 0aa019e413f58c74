import { stateOf } from '../fields/states.ts';
import { flagOf, textOf } from '../fields/values.ts';
import { type Row, system } from './declare.ts';

/** The preferences that count: the address, and whether the account is enabled. Apps have thousands of others. */
const PREFERENCES: ReadonlySet<string> = new Set(['settings email', 'core enabled']);

const preferenceOf = ({ joined }: Row, name: string) =>
  joined('oc_preferences').find(({ appid, configkey }) => `${textOf(appid)} ${textOf(configkey)}` === name)
    ?.configvalue;

/** Schema: nextcloud/server 31: core/Migrations (users, preferences, twofactor_providers), lib/private/User/User.php, lib/private/Security/Hasher.php */
export const nextcloud = system(
  { name: 'nextcloud', title: 'Nextcloud' },
  {
    forms: { sql: 'nextcloud-sql', csv: 'nextcloud-csv', json: 'nextcloud-json' },
    table: 'users',
    isPrefixed: true,
    has: 'uid displayname password',
    proof: 'uid_lower',
    joins: {
      oc_preferences: {
        table: 'preferences',
        has: 'userid appid configkey configvalue',
        on: ({ userid, appid, configkey }) =>
          PREFERENCES.has(`${textOf(appid)} ${textOf(configkey)}`) ? textOf(userid) : undefined,
        keep: 'appid configkey configvalue',
        unused: 'lazy type flags indexed',
        decides: 'states',
        missing: 'It has the addresses, too: dump oc_users, oc_preferences and oc_twofactor_providers.',
      },
      oc_twofactor_providers: {
        table: 'twofactor_providers',
        has: 'provider_id uid enabled',
        on: 'uid',
        // Recovery codes alone are not asked for.
        keep: ({ provider_id: provider, enabled }) =>
          flagOf(enabled) === false || provider === 'backup_codes' ? undefined : { provider },
        decides: 'factors',
        missing: 'Dump oc_users, oc_preferences and oc_twofactor_providers.',
      },
    },
    id: 'uid',
    email: (row) => preferenceOf(row, 'settings email'),
    hash: 'password',
    families: 'nextcloud',
    metadata: 'username=uid name=displayname',
    state: (row) => stateOf('core.enabled', preferenceOf(row, 'core enabled'), 'active', row),
    factors: ({ joined }) => joined('oc_twofactor_providers').length > 0 && [],
    note: 'Users of LDAP and of SAML providers are not in the table of users.',
  },
);
