import type { SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { formsOf, hasColumns, mayBe } from '../fields/tables.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { emailOrUsername, USERNAME_IS_EMAIL } from '../fields/username-as-email.ts';
import { flagOf, metadataOf, textOf } from '../fields/values.ts';
import type { ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';

const isUsers = (table: TableHead) =>
  mayBe(table, 'users') &&
  hasColumns(
    table,
    'id',
    'username',
    'password',
    'is_ldap_user',
    'disable_login_form',
    'twofactor_activated',
    'twofactor_secret',
  );

/** Role of Kanboard users without any rights beyond their own projects. */
const ORDINARY_ROLE = 'app-user';

function read(record: SourceRecord, { settings, drop }: ReadContext): SourceUser {
  const isDisabled = record.is_active !== undefined && flagOf(record.is_active) !== true;
  if (!isDisabled) {
    if (flagOf(record.twofactor_activated) === true) drop('mfa', totpOfBase32(record.twofactor_secret));
    if (textOf(record.role) !== undefined && record.role !== ORDINARY_ROLE) drop('roles');
  }
  return {
    externalUserId: textOf(record.id),
    ...emailOrUsername(textOf(record.email), record.username, settings),
    password: acceptsPassword(record) ? selfDescribingHash(textOf(record.password)) : undefined,
    identities: identitiesOf(record),
    metadata: metadataOf({ username: record.username, name: record.name }),
    state: isDisabled ? 'DISABLED' : undefined,
  };
}

/**
 * Kanboard does not verify hashes of users of LDAP and of a reverse proxy, who may still have one from
 * before.
 */
const acceptsPassword = ({ is_ldap_user, disable_login_form }: SourceRecord): boolean =>
  flagOf(is_ldap_user) !== true && flagOf(disable_login_form) !== true;

/** Accounts at providers that Kanboard's plugins for OAuth have linked. */
const identitiesOf = (record: SourceRecord): SourceIdentity[] =>
  ['google', 'github', 'gitlab'].flatMap((provider) => {
    const userId = textOf(record[`${provider}_id`]);
    return userId === undefined ? [] : { provider, userId };
  });

/** Schema: kanboard/kanboard: app/Schema/Mysql.php, app/Auth/DatabaseAuth.php */
export const kanboard: Source = {
  name: 'kanboard',
  title: 'Kanboard',
  settings: USERNAME_IS_EMAIL,
  forms: formsOf(
    { sql: 'kanboard-sql', csv: 'kanboard-csv', json: 'kanboard-json' },
    {
      isUsers,
      ownStates: ['is_active'],
      ownFactors: ['twofactor_activated', 'twofactor_secret'],
      read,
    },
  ),
};
