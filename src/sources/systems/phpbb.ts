import { flagOf, isSet, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { system } from './declare.ts';

/** Prefix of a provider's name in early versions of phpBB. */
const SERVICE = 'auth.provider.oauth.service.';

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>', '#039': "'" };

/** phpBB stores text that is escaped for HTML. */
const unescaped = (value: unknown) =>
  textOf(value)?.replace(/&(amp|quot|lt|gt|#039);/g, (entity, name: string) => CHARACTERS[name] ?? entity);

/** Prefix of hashes that phpBB took over from another forum and has not verified since. */
const CONVERTED = '$CP$';

function passwordOf(encoded: string | undefined): SourcePassword | undefined {
  if (encoded === undefined) return undefined;
  if (encoded.startsWith(CONVERTED))
    return {
      problem: 'HASH_ALGORITHM_UNKNOWN',
      message: 'phpBB took the hash over from another forum ($CP$), and does not say how it was made',
    };
  return { encoded, algorithm: 'phpbb' };
}

/** Schema: phpbb/phpbb: phpBB/phpbb/db/migration/data (3.0 to 4.0) */
export const phpbb = system(
  { name: 'phpbb', title: 'phpBB' },
  {
    forms: { sql: 'phpbb-sql', csv: 'phpbb-csv', json: 'phpbb-json' },
    isPrefixed: true,
    has: 'user_id user_type username_clean user_password user_email',
    joins: {
      // `banlist` up to phpBB 3.3, `bans` from 4.0 on. Bans of addresses have no user.
      bans: {
        has: 'ban_userid ban_end ban_exclude|ban_mode',
        on: ({ ban_userid, ban_exclude, ban_mode }) => {
          const isOfUser =
            ban_mode === undefined ? flagOf(ban_exclude) !== true : textOf(ban_mode) === 'user';
          return isSet(ban_userid) && isOfUser ? textOf(ban_userid) : undefined;
        },
        states: { ban_end: 'banned until' },
        unused: 'ban_id ban_ip ban_email ban_item ban_start ban_reason ban_give_reason ban_reason_display',
        decides: 'states',
        missing:
          'Export it, too: mysqldump DATABASE phpbb_users phpbb_banlist phpbb_oauth_accounts > dump.sql; from phpBB 4 on, phpbb_bans in place of phpbb_banlist.',
      },
      accounts: {
        has: 'user_id provider oauth_provider_id',
        keep: 'provider oauth_provider_id',
      },
    },
    unusedTables: `acl_users bookmarks bots drafts forums_access forums_track forums_watch log login_attempts
      moderator_cache notification_emails notification_push notifications oauth_states oauth_tokens poll_votes posts
      privmsgs privmsgs_folder privmsgs_rules privmsgs_to profile_fields_data push_subscriptions reports sessions
      sessions_keys topics topics_posted topics_track topics_watch user_group user_notifications warnings zebra`,
    id: 'user_id',
    email: ({ record }) => unescaped(record.user_email),
    joined: 'user_regdate',
    hash: ({ record }) => passwordOf(textOf(record.user_password)),
    identities: ({ joined }) =>
      joined('accounts').map(({ provider, oauth_provider_id }) => ({
        provider: textOf(provider)?.replace(SERVICE, ''),
        userId: oauth_provider_id,
      })),
    metadata: ({ record }) => ({ username: unescaped(record.username) }),
    // Inactive, bots and guests, founders.
    states: { user_type: { 0: 'ACTIVE', 1: 'DISABLED', 2: 'SERVICE_ACCOUNT', 3: 'ACTIVE' } },
    reads: 'username',
    unused: `group_id user_permissions user_perm_from user_ip user_passchg user_pass_convert user_email_hash user_birthday
      user_lastvisit user_last_active user_lastmark user_lastpost_time user_lastpage user_last_confirm_key user_last_search
      user_warnings user_last_warning user_login_attempts user_inactive_reason user_inactive_time user_posts user_lang
      user_timezone user_dst user_dateformat user_style user_rank user_colour user_new_privmsg user_unread_privmsg
      user_last_privmsg user_message_rules user_full_folder user_emailtime user_topic_show_days user_topic_sortby_type
      user_topic_sortby_dir user_post_show_days user_post_sortby_type user_post_sortby_dir user_notify user_notify_pm
      user_notify_type user_allow_pm user_allow_viewonline user_allow_viewemail user_allow_massemail user_options
      user_avatar user_avatar_type user_avatar_width user_avatar_height user_sig user_sig_bbcode_uid
      user_sig_bbcode_bitfield user_from user_icq user_aim user_yim user_msnm user_jabber user_website user_occ
      user_interests user_actkey user_actkey_expiration user_newpasswd user_form_salt user_new user_reminded
      user_reminded_time reset_token reset_token_expiration`,
  },
);
