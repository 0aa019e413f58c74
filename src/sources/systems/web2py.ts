import { byWord, stateOf } from '../fields/states.ts';
import { textOf } from '../fields/values.ts';
import { system } from './declare.ts';

/** py4web's `action_token` may have a secret behind the first colon. */
const ACTIONS = byWord({
  ACTIVE: 'reset-password-request',
  DISABLED: 'pending-registration pending-approval account-blocked',
});

/** Schema: web2py/web2py: gluon/tools.py (auth_user), web2py/py4web: py4web/utils/auth.py */
export const web2py = system('web2py', 'web2py and py4web', {
  table: 'auth_user',
  has: 'id email password first_name last_name registration_key|action_token',
  hasNot: 'is_staff is_superuser date_joined',
  id: 'id',
  email: 'email',
  joined: 'created_on',
  hash: 'password',
  families: 'web2py',
  // web2py's registration_id may be an address of another provider, and has no provider's name.
  identities: ({ record }) => {
    const [, provider, userId] = /^([^:]+):(.+)$/s.exec(textOf(record.sso_id) ?? '') ?? [];
    return provider === undefined ? [] : [{ provider, userId }];
  },
  metadata: 'username first_name last_name',
  states: { is_active: 'active' },
  mayLack: { is_active: 'of tables with record versioning' },
  state: (row) => {
    const { registration_key, action_token } = row.record;
    // web2py: pending, blocked, disabled, or the token that confirms a registration.
    if ((textOf(registration_key) ?? '').trim() !== '') return 'DISABLED';
    return stateOf('action_token', textOf(action_token)?.split(':', 1)[0], ACTIONS, row);
  },
  phone: 'phone_number',
  reads: 'sso_id registration_key action_token',
  unused:
    'registration_id reset_password_key last_password_change past_passwords_hash created_by modified_on modified_by',
  unusedTables:
    'auth_membership auth_event auth_cas auth_permission auth_user_archive auth_user_tag_groups auth_api_token auth_simple_token py4web_session',
});
