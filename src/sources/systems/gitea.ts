import type { SourceRecord } from '../containers/table.ts';
import { argon2Hash, invalidHash, pbkdf2Hash, scryptHash, unknownAlgorithm } from '../fields/hashes.ts';
import { chosenProvider, knownThirdPartyId, lacksServers } from '../fields/providers.ts';
import { byWord } from '../fields/states.ts';
import { flagOf, isSameAddress, listOf, objectOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Address, type Row, system } from './declare.ts';

/** Kinds of login for which Gitea verifies the password itself: none, plain, and OAuth 2.0 beside a password. */
const OWN_LOGINS = ['0', '1', '6'];

/** The user's own address, and those that are activated. */
const addressesOf = ({ record, joined }: Row): Address[] =>
  joined('email_address')
    .filter(
      ({ email, is_activated }) =>
        flagOf(is_activated) === true || isSameAddress(textOf(email) ?? '', textOf(record.email) ?? ''),
    )
    .map(({ email, is_activated }) => ({ email, isVerified: is_activated }));

/** Schema: go-gitea/gitea 1.27: models/user/user.go, modules/auth/password/hash, and Forgejo 12 */
export const gitea = system('gitea', 'Gitea and Forgejo', {
  table: 'user',
  has: 'id lower_name email passwd passwd_hash_algo rands salt prohibit_login is_active type',
  joins: {
    email_address: {
      table: 'email_address',
      has: 'uid email is_activated',
      on: 'uid',
      keep: 'email is_activated',
      unused: 'id lower_email is_primary',
      missing:
        'Without the table email_address, only the address of each user is known. Dump the whole database.',
    },
    external_login_user: {
      table: 'external_login_user',
      has: 'external_id user_id login_source_id',
      keep: 'provider userId=external_id email login_source_id',
      unused:
        'raw_data name first_name last_name nick_name description avatar_url location access_token ' +
        'access_token_secret refresh_token expires_at',
      missing: 'Without the table external_login_user, nobody has a social login. Dump the whole database.',
    },
    login_source: {
      table: 'login_source',
      has: 'id type name cfg',
      on: 'id',
      keep: ({ cfg, is_active }) => {
        const { Provider: kind, CustomURLMapping, OpenIDConnectAutoDiscoveryURL } = objectOf(cfg) ?? {};
        const { AuthURL, ProfileURL } = objectOf(CustomURLMapping) ?? {};
        const servers = [AuthURL, ProfileURL, OpenIDConnectAutoDiscoveryURL];
        return { kind, servers, isOff: flagOf(is_active) === false };
      },
      unused: '*',
      missing: lacksServers('login_source'),
    },
    two_factor: {
      table: 'two_factor',
      has: 'uid scratch_salt scratch_hash',
      on: 'uid',
      keep: 'uid',
      unused: 'id secret scratch_token last_used_passcode created_unix updated_unix',
      decides: 'factors',
      missing: 'Dump the whole database.',
    },
  },
  unusedTables:
    'abuse_report access access_token action action_run action_run_attempt action_schedule auth_token collaboration email_hash federated_user follow forgejo_auth_token ' +
    'forgejo_blocked_user forgejo_user_activity issue_dependency issue_user issue_watch notification oauth2_application ' +
    'oauth2_authorization_code oauth2_grant org_user package_property quota_group_mapping reaction remember_me_token review_state session star stopwatch ' +
    'team_invite team_user tracked_time user_badge user_blocking user_open_id user_redirect user_setting watch',
  id: 'id',
  email: 'email',
  addresses: addressesOf,
  verified: ({ record }) => flagOf(record.is_active),
  joined: 'created_unix',
  hash: ({ record }) =>
    OWN_LOGINS.includes(textOf(record.login_type) ?? '0') ? passwordOf(record) : undefined,
  identities: ({ joined }) =>
    joined('external_login_user').flatMap(({ provider, userId, email, login_source_id }) => {
      // Accounts have the name of their source, which says what it is. A source that is gone has no row.
      const [source] = joined('login_source', textOf(login_source_id) ?? '');
      if (source === undefined) return { provider, userId, email };
      if (source.isOff === true) return [];
      const kind = source.kind === 'gplus' ? 'google' : (textOf(source.kind) ?? '');
      return knownThirdPartyId(kind) === undefined
        ? { ...chosenProvider(textOf(provider) ?? 'unknown'), userId, email }
        : { provider: kind, userId, email, servers: listOf(source.servers) };
    }),
  metadata: 'username=name name=full_name location website language',
  states: {
    is_active: 'active',
    prohibit_login: 'disabled',
    // From 0: persons, organisations, reserved names of persons and of organisations, bots, people of other servers.
    type: byWord({ ACTIVE: '0', DISABLED: '2 5', SERVICE_ACCOUNT: '1 3 4' }),
  },
  // Nobody signs in with a source that is switched off, not even with a password: services/auth/signin.go.
  state: ({ record, joined }) =>
    joined('login_source', textOf(record.login_source) ?? '').some(({ isOff }) => isOff === true)
      ? 'DISABLED'
      : undefined,
  factors: ({ joined }) => joined('two_factor').length > 0 && [],
  roles: 'is_admin',
  drops: { 'forced password changes': 'must_change_password' },
  reads: 'login_type',
  unused:
    'name full_name keep_email_private email_notifications_preference login_source login_name description updated_unix last_login_unix ' +
    'last_repo_visibility max_repo_creation is_restricted allow_git_hook allow_import_local allow_create_organization avatar ' +
    'avatar_email use_custom_avatar num_followers num_following num_stars num_repos num_teams num_members visibility ' +
    'repo_admin_change_team_access diff_view_style theme keep_activity_private pronouns keep_pronouns_private ' +
    'enable_repo_unit_hints normalized_federated_uri',
});

/** Parameters of hashes whose `passwd_hash_algo` names none. */
const DEFAULTS: Readonly<Record<string, string>> = {
  pbkdf2: '10000$50',
  argon2: '2$65536$8$50',
  scrypt: '65536$16$2$50',
};
/** Salts of this length are text. Longer ones are in hexadecimal digits. */
const TEXT_SALT = 10;

/** `pbkdf2$50000$50` beside a digest in hexadecimal digits, with 50 bytes. */
function passwordOf({
  passwd,
  passwd_hash_algo: algorithm,
  salt: saltText,
}: SourceRecord): SourcePassword | undefined {
  const [encoded, spec, text] = [textOf(passwd), textOf(algorithm), textOf(saltText) ?? ''];
  if (encoded === undefined || spec === undefined) return undefined;
  const [name = '', ...given] = spec.split('$');
  if (name === 'bcrypt') return { encoded, algorithm: 'bcrypt' };
  const parameters = given.length > 0 ? given : (DEFAULTS[name]?.split('$') ?? []);
  const [first = 0, second = 0, third = 0] = parameters.map(Number);
  const salt = text.length === TEXT_SALT ? Buffer.from(text) : bytesOf(text);
  const hash = bytesOf(encoded);
  if (salt === undefined || hash === undefined)
    return invalidHash('the hash or the salt is not in hexadecimal digits');
  switch (name) {
    case 'pbkdf2':
      return pbkdf2Hash({ digest: 'sha256', iterations: first, salt, hash });
    case 'argon2':
      return argon2Hash({ variant: 'argon2id', passes: first, memoryKiB: second, lanes: third, salt, hash });
    case 'scrypt':
      return scryptHash({ cost: first, blockSize: second, parallelization: third, salt, hash });
    default:
      return unknownAlgorithm('passwd_hash_algo is none that is known');
  }
}

const bytesOf = (hex: string): Buffer | undefined =>
  /^(?:[0-9a-f]{2})*$/i.test(hex) ? Buffer.from(hex, 'hex') : undefined;
