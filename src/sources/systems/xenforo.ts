import type { JsonObject } from '../../lib/json/json-object.ts';
import {
  digestHash,
  invalidHash,
  ofUser,
  pbkdf2Hash,
  selfDescribingHash,
  unknownAlgorithm,
} from '../fields/hashes.ts';
import { byWord, stateOf } from '../fields/states.ts';
import { bytesOf, flagOf, objectOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { hashOf, system } from './declare.ts';

/** One text, number, flag or null of a serialized array: `s:4:"hash";`, `i:10;`, `N;`. Lengths of texts are in bytes. */
const CELL = /^(?:s:(\d+):"|[idb]:([^;"]*);|N;)/;

/** Parses a flat array that PHP has serialized: `a:1:{s:4:"hash";s:60:"$2y$…";}`. Undefined for anything else. */
function phpArrayOf(value: unknown): Readonly<Record<string, string>> | undefined {
  const bytes = Buffer.from(textOf(value) ?? '');
  const textAt = (start: number, end: number) => bytes.toString('utf8', start, end);
  let at = /^a:\d+:\{/.exec(textAt(0, 16))?.[0].length;
  const cells: string[] = [];
  while (at !== undefined && bytes[at] !== CLOSE) {
    const [head, length, scalar = ''] = CELL.exec(textAt(at, at + 64)) ?? [];
    if (head === undefined) return undefined;
    const start: number = at + Buffer.byteLength(head);
    const end: number = start + Number(length ?? 0);
    cells.push(length === undefined ? scalar : textAt(start, end));
    at = length === undefined ? start : end + '";'.length;
  }
  return at === undefined ? undefined : Object.fromEntries(pairs(cells));
}

const CLOSE = '}'.charCodeAt(0);

const pairs = (cells: readonly string[]): [string, string][] =>
  cells.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, cells[index + 1] ?? '']] : [],
  );

const membersOf = (data: unknown): JsonObject => phpArrayOf(data) ?? objectOf(data) ?? {};

/** Algorithms by `scheme_class` of XenForo 1 and 2, for hashes with a digest and a salt that come from other forums. */
const SALTED: Readonly<Record<string, string>> = {
  vBulletin: 'vbulletin',
  MyBb: 'mybb',
  IPBoard: 'ipb2',
  IpsForums3x: 'ipb2',
};
/** Values of `scheme_class` with complete hashes, whose format shows their family. */
const WHOLE: ReadonlySet<string> = new Set(['Core12', 'PhpBb3', 'IPBoard40x', 'IpsForums4x']);

function passwordOf({ scheme_class, data }: JsonObject): SourcePassword | undefined {
  const scheme = (textOf(scheme_class) ?? '').replace(/^(?:XenForo_Authentication_|XF:)/, '');
  const { hash, salt, hashFunc, token, username, algo, iterations } = membersOf(data);
  if (WHOLE.has(scheme)) return selfDescribingHash(hash);
  if (scheme === 'Core' || scheme === 'Default') {
    // Without `hashFunc`, PHP on the old server chose the digest. The length of the hash shows which one.
    const digest = textOf(hashFunc) ?? (textOf(hash)?.length === 40 ? 'sha1' : 'sha256');
    return digestHash({ algorithm: `xenforo-${digest}`, salt, hash });
  }
  if (scheme === 'vBulletin5') return hashOf('bcrypt-md5', token);
  if (scheme === 'SMF')
    return digestHash({ algorithm: 'smf1', parameters: ofUser(textOf(username) ?? ''), salt: '', hash });
  if (scheme === 'Discourse' && algo === 'sha256')
    return pbkdf2Hash({
      ...{ digest: 'sha256', iterations, salt: bytesOf(salt, 'utf8'), hash: bytesOf(hash, 'hex') },
    });
  const algorithm = Object.hasOwn(SALTED, scheme) ? SALTED[scheme] : undefined;
  return algorithm === undefined
    ? unknownAlgorithm('scheme_class is none of XenForo itself')
    : digestHash({ algorithm, salt, hash });
}

const NO_PASSWORD = /(?:NoPassword|invalid)$/;

/** Reads the password of a user. Only a scheme for users without a password means that there is none. */
const passwordIn = (row: JsonObject): SourcePassword | undefined =>
  NO_PASSWORD.test(textOf(row.scheme_class) ?? '')
    ? undefined
    : (passwordOf(row) ?? invalidHash('data has no hash, or cannot be read'));

const DUMP =
  'Export all together: mysqldump DATABASE xf_user xf_user_authenticate xf_user_ban xf_user_connected_account xf_user_tfa > dump.sql.';

/** Schema: XenForo 1.1 to 2.3: install/data/MySql.php, XF/Entity/User.php, XF/Authentication, XF/Service/User/LoginService.php */
export const xenforo = system('xenforo', 'XenForo', {
  table: 'xf_user',
  has: 'user_id username email user_group_id secondary_group_ids user_state is_banned register_date',
  joins: {
    xf_user_authenticate: {
      table: 'xf_user_authenticate',
      has: 'user_id scheme_class data',
      keep: 'scheme_class data',
      unused: 'remember_key',
      missing: `The table xf_user_authenticate is missing: it has all password hashes. ${DUMP}`,
    },
    xf_user_ban: {
      table: 'xf_user_ban',
      has: 'user_id ban_user_id end_date',
      states: { end_date: 'banned until' },
      unused: 'ban_date user_reason triggered',
      missing: `The table xf_user_ban is missing: a ban that has ended counts until XenForo lifts it. ${DUMP}`,
    },
    // The table is `xf_user_external_auth` in XenForo 1.
    xf_user_connected_account: {
      table: 'xf_user_connected_account xf_user_external_auth',
      has: 'user_id provider provider_key',
      keep: 'provider userId=provider_key',
      are: 'accounts',
      unused: 'extra_data',
      missing: `The table xf_user_connected_account is missing: without it, social logins are lost. ${DUMP}`,
    },
    xf_user_tfa: {
      table: 'xf_user_tfa',
      has: 'user_id provider_id provider_data',
      are: 'factors',
      keep: ({ provider_id, provider_data }) =>
        provider_id === 'totp' ? { secret: membersOf(provider_data).secret } : {},
      unused: 'user_tfa_id last_used_date',
      decides: 'factors',
      missing: `${DUMP} XenForo has xf_user_tfa from 1.5 on.`,
    },
  },
  id: 'user_id',
  email: 'email',
  // Administrators choose whether addresses must be confirmed, so it is unknown, except in these two states: the
  // address was changed and not confirmed yet, or mail to it bounces.
  verified: ({ record: { user_state } }) =>
    user_state === 'email_confirm_edit' || user_state === 'email_bounce' ? false : undefined,
  joined: 'register_date',
  // A password that was locked is refused until the user resets it by e-mail.
  hash: ({ record, joined }) =>
    record.security_lock === 'reset' ? undefined : passwordIn(joined('xf_user_authenticate')[0] ?? {}),
  metadata: 'username',
  states: {
    // A moderator may have to approve users after they have confirmed their address.
    user_state: byWord({
      ACTIVE: 'valid email_confirm_edit email_bounce',
      DISABLED: 'email_confirm moderated rejected disabled',
    }),
    security_lock: { '': 'ACTIVE', change: 'ACTIVE', reset: 'ACTIVE' },
  },
  mayLack: { security_lock: 'XenForo 1 has none' },
  // If a user has records in xf_user_ban, they say when the ban ends. Otherwise, the flag decides.
  state: (row) =>
    row.joined('xf_user_ban').length === 0
      ? stateOf('is_banned', row.record.is_banned ?? null, 'disabled', row)
      : undefined,
  roles: ({ record }) => ['is_admin', 'is_moderator'].some((name) => flagOf(record[name]) === true),
  drops: { 'forced password changes': ({ record }) => record.security_lock === 'change' },
  unused: `username_date username_date_visible gender custom_title language_id style_id style_variation timezone visible
      activity_visible display_style_group_id permission_combination_id message_count question_solution_count
      conversations_unread last_activity last_summary_email_date trophy_points alerts_unviewed alerts_unread avatar_date
      avatar_width avatar_height avatar_highdpi avatar_optimized gravatar is_moderator is_admin like_count reaction_score
      vote_score warning_points is_staff secret_key privacy_policy_accepted terms_accepted`,
  unusedTables: `
    xf_admin xf_admin_log xf_admin_permission_entry xf_api_attachment_key xf_api_key
    xf_api_login_token xf_approval_queue xf_attachment xf_attachment_data xf_ban_email
    xf_bb_code_parse_cache xf_bookmark_item xf_bookmark_label xf_change_log xf_content_activity_log
    xf_content_spam_cache xf_content_vote xf_conversation_master xf_conversation_message
    xf_conversation_recipient xf_conversation_user xf_cookie_consent_log xf_deletion_log xf_draft
    xf_edit_history xf_email_bounce_log xf_email_bounce_soft xf_error_log xf_featured_content xf_feed
    xf_find_new xf_find_new_default xf_flood_check xf_forum xf_forum_read xf_forum_watch xf_icon_usage xf_ip
    xf_ip_match xf_liked_content xf_moderation_queue xf_moderator xf_moderator_content xf_moderator_log
    xf_news_feed xf_notice xf_notice_dismissed xf_oauth_client xf_oauth_request xf_oauth_token xf_passkey
    xf_permission xf_permission_cache_content xf_permission_combination xf_permission_entry
    xf_permission_entry_content xf_poll xf_poll_vote xf_post xf_pre_reg_action xf_profile_post
    xf_profile_post_comment xf_purchase_request xf_reaction_content xf_report xf_report_comment xf_route
    xf_search xf_search_forum xf_search_forum_cache_user xf_search_index xf_session_activity
    xf_spam_cleaner_log xf_spam_trigger_log xf_style_property xf_tag_content xf_tag_result_cache
    xf_tfa_attempt xf_thread xf_thread_field xf_thread_question xf_thread_read xf_thread_reply_ban
    xf_thread_user_post xf_thread_watch xf_upgrade_log xf_user_alert xf_user_alert_optout
    xf_user_change_temp xf_user_confirmation xf_user_field xf_user_field_value xf_user_follow
    xf_user_group_change xf_user_group_promotion_log xf_user_group_relation xf_user_ignored
    xf_user_news_feed_cache xf_user_option xf_user_privacy xf_user_profile xf_user_push_optout
    xf_user_push_subscription xf_user_reject xf_user_remember xf_user_status xf_user_tfa_trusted
    xf_user_trophy xf_user_upgrade_active xf_user_upgrade_expired xf_user_upgrade_log xf_username_change
    xf_warning xf_warning_action_trigger`,
});
