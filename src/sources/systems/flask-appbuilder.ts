import { textOf } from '../fields/values.ts';
import { hashOf, system } from './declare.ts';

/** Domain of addresses that Flask-AppBuilder invents for users whose directory or provider has none. */
const NO_ADDRESS = '@email.notfound';

/**
 * Superset and Airflow store their users in Flask-AppBuilder. Schema: dpgaspar/Flask-AppBuilder:
 * flask_appbuilder/security/sqla/models.py (5.0); apache/superset: superset/models (tables that refer to users)
 */
export const flaskAppBuilder = system('flask-appbuilder', 'Flask-AppBuilder (Superset, Airflow)', {
  table: 'ab_user',
  has: 'username password active email login_count fail_login_count',
  id: 'id',
  email: ({ record }) => (textOf(record.email)?.endsWith(NO_ADDRESS) ? undefined : record.email),
  username: 'username',
  joined: 'created_on',
  hash: ({ record }) => hashOf('werkzeug', record.password),
  metadata: 'username first_name last_name',
  states: { active: 'active' },
  unused: 'last_login changed_on created_by_fk changed_by_fk',
  unusedTables:
    'ab_user_role ab_user_group ab_api_key ab_register_user cache_keys dag_run_note dashboard_user database_user_oauth2_tokens favstar keyvalue logs query report_schedule_user saved_query sl_dataset_users slice_user slices:last_saved_by_fk sqlatable_user tab_state tagged_object task_instance_note task_subscribers user_attribute user_favorite_tag',
  note: 'Roles (ab_user_role) are not imported. Users of OAuth, LDAP or REMOTE_USER have no hash, or that of an empty or random password, and no id of their account: they need a new password.',
});
