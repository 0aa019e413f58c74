import type { SourceRecord, TableHead } from '../containers/table.ts';
import { formsOf, hasColumns, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { emailOrUsername, USERNAME_IS_EMAIL } from '../fields/username-as-email.ts';
import { flagOf, metadataOf, textOf } from '../fields/values.ts';
import type { ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';

const isUsers = (table: TableHead) =>
  mayBe(table, 'ab_user') &&
  hasColumns(table, 'username', 'password', 'active', 'email', 'login_count', 'fail_login_count');

/** Domain of addresses that Flask-AppBuilder invents for users whose directory or provider has none. */
const NO_ADDRESS = '@email.notfound';

function read(record: SourceRecord, { settings }: ReadContext): SourceUser {
  const email = textOf(record.email);
  return {
    externalUserId: textOf(record.id),
    ...emailOrUsername(email?.endsWith(NO_ADDRESS) ? undefined : email, record.username, settings),
    timeJoinedMs: timeOf(record.created_on),
    password: passwordOf(textOf(record.password)),
    metadata: metadataOf({
      username: record.username,
      first_name: record.first_name,
      last_name: record.last_name,
    }),
    state: flagOf(record.active) === true ? undefined : 'DISABLED',
  };
}

const passwordOf = (encoded: string | undefined): SourcePassword | undefined =>
  encoded === undefined ? undefined : { encoded, algorithm: 'werkzeug' };

/**
 * Superset and Airflow store their users in Flask-AppBuilder. Schema: dpgaspar/Flask-AppBuilder:
 * flask_appbuilder/security/sqla/models.py
 */
export const flaskAppBuilder: Source = {
  name: 'flask-appbuilder',
  title: 'Flask-AppBuilder (Superset, Airflow)',
  settings: USERNAME_IS_EMAIL,
  forms: formsOf(
    { sql: 'flask-appbuilder-sql', csv: 'flask-appbuilder-csv', json: 'flask-appbuilder-json' },
    {
      isUsers,
      ownStates: ['active'],
      read,
      advice: () => [
        {
          level: 'note',
          text: 'Roles (ab_user_role) are not imported. Users of OAuth, LDAP or REMOTE_USER have no hash, or that of an empty or random password, and no id of their account: they need a new password.',
        },
      ],
    },
  ),
};
