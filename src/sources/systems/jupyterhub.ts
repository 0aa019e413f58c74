import { selfDescribingHash } from '../fields/hashes.ts';
import { addressOf, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, textInBytes, textOf } from '../fields/values.ts';
import { system } from './declare.ts';

/**
 * JupyterHub with NativeAuthenticator. Schema: jupyterhub/nativeauthenticator: nativeauthenticator/orm.py (1.3);
 * jupyterhub/jupyterhub: jupyterhub/orm.py (5.4)
 */
export const jupyterhub = system('jupyterhub', 'JupyterHub (NativeAuthenticator)', {
  table: 'users_info',
  settings: EMAIL_DOMAIN,
  has: 'username password is_authorized email has_2fa otp_secret',
  joins: {
    // Users of the hub itself, without hashes. The names are JupyterHub's only ids of both.
    hubUsers: {
      table: 'users',
      has: 'name admin created cookie_id',
      on: 'name',
      by: 'username',
      keep: 'admin created',
      unused: 'id user_info last_activity state encrypted_auth_state auth_token _server_id',
      missing:
        'The table users of the hub is missing, so it is not known when anybody joined: pg_dump --data-only -t users_info -t users jupyterhub > dump.sql.',
    },
  },
  unusedTables:
    'api_tokens oauth_access_tokens oauth_codes services share_codes shares spawners user_group_map user_role_map',
  id: 'id',
  joined: ({ joined }) => timeOf(joined('hubUsers')[0]?.created),
  hash: ({ record }) => selfDescribingHash(textInBytes(record.password)),
  metadata: 'username',
  // JupyterHub users can sign in only after an admin, or a link in an e-mail, has authorised them.
  states: { is_authorized: 'active' },
  // Every user has a secret, even without a second factor.
  factors: ({ record }) => flagOf(record.has_2fa) !== false,
  totp: 'otp_secret',
  roles: ({ joined }) => flagOf(joined('hubUsers')[0]?.admin) === true,
  email: 'email',
  username: 'username',
  // Most JupyterHubs do not ask for an address. A user name with an `@` counts as one only if the operator says so.
  user: ({ record: { email, username }, settings }) =>
    textOf(email) === undefined && textOf(username)?.includes('@') === false
      ? addressOf(textOf(username), settings)
      : {},
  unused: 'login_email_sent',
});
