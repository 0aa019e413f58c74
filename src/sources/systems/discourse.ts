import type { JsonObject } from '../../lib/json/json-object.ts';
import { hashText, isDigest, pbkdf2Hash, unknownAlgorithm } from '../fields/hashes.ts';
import { isOfDatabase, mayBe } from '../fields/tables.ts';
import { bytesOf, flagOf, isSet, objectOf, textOf } from '../fields/values.ts';
import type { AdviceContext } from '../source.ts';
import type { SourcePassword, UserState } from '../source-user.ts';
import { type Address, type Row, system, type Users } from './declare.ts';

const DUMP =
  'Dump the tables: pg_dump --data-only -t users -t user_emails -t user_passwords -t user_associated_accounts -t reviewables -t user_second_factors -t user_security_keys discourse.';

/** Returns the addresses of a user, the primary one first. Before 2017, the only address was in the table of users. */
function addressesOf({ record, joined }: Row): Address[] {
  const isPrimary = (one: JsonObject) => Number(flagOf(one.primary) === true);
  const found = joined('emails').toSorted((one, other) => isPrimary(other) - isPrimary(one));
  return found.length > 0 ? found.map(({ email }) => ({ email })) : [{ email: record.email }];
}

/** Algorithm of password hashes that were stored before Discourse had the column `password_algorithm`. */
const FORMER_ALGORITHM = '$pbkdf2-sha256$i=64000,l=32$';
const ALGORITHM = /^\$pbkdf2-(sha1|sha256|sha512)\$i=([1-9]\d{0,8})(?:,l=\d{1,4})?\$$/;

/** Reads the password. Hashes are in the table of users until 2025, and in `user_passwords` since then. */
function passwordOf({ record, joined }: Row): SourcePassword | undefined {
  const [row] = joined('passwords');
  if (row === undefined) return hashOf(record.password_hash, record.salt, record.password_algorithm);
  // Discourse rejects an expired password, so its hash is not imported, even if the time cannot be read.
  if (isSet(row.password_expired_at)) return undefined;
  return hashOf(row.password_hash, row.password_salt, row.password_algorithm);
}

function hashOf(hash: unknown, salt: unknown, algorithm: unknown): SourcePassword | undefined {
  if (hashText(hash) === undefined) return undefined;
  const [, digest, iterations] = ALGORITHM.exec(textOf(algorithm) ?? FORMER_ALGORITHM) ?? [];
  if (!isDigest(digest))
    return unknownAlgorithm('password_algorithm is none of $pbkdf2-<digest>$i=<iterations>,l=<bytes>$');
  // Discourse uses the hexadecimal digits of the salt as the salt, without decoding them.
  return pbkdf2Hash({ digest, iterations, salt: bytesOf(salt, 'utf8'), hash: bytesOf(hash, 'hex') });
}

const APPROVED = '1';

/**
 * Reads the state. On some sites, staff must approve new users; on others, nobody has the flag `approved`. A user
 * without the flag is therefore disabled only if there is a request for approval that staff have not granted.
 */
function stateOf({ record, joined }: Row): UserState | undefined {
  // Discourse's own accounts have negative ids: `system` is -1, `discobot` -2.
  if (textOf(record.id)?.startsWith('-')) return 'SERVICE_ACCOUNT';
  if (flagOf(record.approved) === true) return undefined;
  return joined('reviewables').some(({ status }) => textOf(status) !== APPROVED) ? 'DISABLED' : undefined;
}

/** Values of `user_second_factors.method` and `user_security_keys.factor_type`. */
const TOTP = '0';
const SECOND_FACTOR = '0';

const lacks = ({ tables }: AdviceContext, name: string, column: string): boolean =>
  !tables.some((table) => mayBe(table, name) && table.columns.has('user_id') && table.columns.has(column)) &&
  !tables.some(
    (table) =>
      (!isOfDatabase(table) || mayBe(table, 'users')) &&
      table.columns.has('username') &&
      table.columns.has(column),
  );

const users: Omit<Users, 'forms' | 'unused'> = {
  table: 'users',
  has: 'id username active suspended_till',
  proof: 'staged',
  addresses: addressesOf,
  // Discourse creates staged users for incoming mails, whose addresses were never confirmed.
  verified: ({ record }) => flagOf(record.active) === true && flagOf(record.staged) !== true,
  joined: 'created_at',
  hash: passwordOf,
  metadata: 'username name',
  states: { suspended_till: 'disabled until' },
  state: stateOf,
  roles: 'admin moderator',
  reads: 'email password_hash salt password_algorithm',
};

/** Unused columns that the table of users and the admin page's list both have. */
const UNUSED =
  'last_posted_at last_seen_at last_emailed_at trust_level title views suspended_at silenced_till ip_address';

/**
 * Addresses are in a separate table of Discourse since 2017, and passwords since 2025. Sign-in checks `active`, the
 * suspension and the approval. Schema: discourse/discourse: app/models/user.rb, app/models/user_password.rb,
 * lib/password_hasher.rb, app/controllers/session_controller.rb
 */
export const discourse = system('discourse', 'Discourse', [
  {
    ...users,
    forms: { csv: 'discourse-admin-csv' },
    has: `${users.has} email trust_level`,
    hasNot: 'password_hash username_lower',
    unused: `${UNUSED} silenced blocked secondary_emails topics_entered posts_read_count time_read topic_count post_count likes_given likes_received location website external_id external_email external_username external_name external_avatar_url group_names`,
    warning: `The list of users that the admin page exports has no hashes: everybody would need a new password. ${DUMP}`,
  },
  {
    ...users,
    forms: { sql: 'discourse-pg_dump', csv: 'discourse-csv', json: 'discourse-json' },
    joins: {
      emails: {
        table: 'user_emails',
        has: 'user_id email primary',
        keep: 'email primary',
        unused: 'id normalized_email created_at updated_at',
      },
      passwords: {
        table: 'user_passwords',
        has: 'user_id password_hash password_salt',
        keep: 'password_hash password_salt password_algorithm password_expired_at',
        unused: 'id created_at updated_at',
      },
      accounts: {
        table: 'user_associated_accounts',
        has: 'user_id provider_name provider_uid',
        keep: ({ provider_name, provider_uid, info }) => ({
          ...{ provider: provider_name, userId: provider_uid, email: textOf(objectOf(info)?.email) },
        }),
        are: 'accounts',
        reads: 'info',
        unused: 'id last_used credentials extra created_at updated_at',
        missing: `The table user_associated_accounts is missing: users of social providers cannot be imported without it. ${DUMP}`,
      },
      reviewables: {
        table: 'reviewables',
        has: 'type status target_type target_id',
        on: ({ type, target_type, target_id }) =>
          type === 'ReviewableUser' && target_type === 'User' ? textOf(target_id) : undefined,
        keep: 'status',
        unused:
          'id type_source created_by_id reviewable_by_moderator reviewable_by_group_id claimed_by_id category_id topic_id score potential_spam potentially_illegal target_created_by_id payload version latest_score force_review reject_reason created_at updated_at',
        decides: 'states',
        missing: `It has the users whom staff has not approved. ${DUMP}`,
      },
      user_second_factors: {
        table: 'user_second_factors',
        has: 'user_id method data enabled',
        are: 'factors',
        keep: ({ method, data, enabled }) => {
          if (flagOf(enabled) === false) return undefined;
          return textOf(method) === TOTP ? { secret: data } : {};
        },
        unused: 'id name last_used created_at updated_at',
        missing: DUMP,
      },
      user_security_keys: {
        table: 'user_security_keys',
        are: 'factors',
        has: 'user_id credential_id public_key factor_type',
        // Keys with another `factor_type` are passkeys, with which people sign in without a password.
        keep: ({ factor_type, enabled }) =>
          textOf(factor_type) === SECOND_FACTOR && flagOf(enabled) !== false ? {} : undefined,
        reads: 'enabled',
        unused: 'id name last_used created_at updated_at',
        missing: DUMP,
      },
    },
    unusedTables: `
      admin_notices ai_agents ai_api_audit_logs ai_api_request_stats ai_artifact_key_values
      ai_artifacts ai_personas ai_spam_logs ai_tools allowed_pm_users anonymous_users api_keys assignments
      bookmarks calendar_events categories category_users chat_channels chat_drafts
      chat_mention_notifications chat_mentions chat_message_interactions chat_message_mentions
      chat_message_reactions chat_message_revisions chat_messages chat_threads classification_results
      color_schemes data_explorer_queries developers direct_message_users directory_items
      discourse_automation_pending_automations discourse_automation_user_global_notices
      discourse_post_event_events discourse_post_event_invitees discourse_reactions_reaction_users
      discourse_solved_solved_topics discourse_solved_topics discourse_subscriptions_customers
      discourse_templates_usage_count dismissed_topic_users do_not_disturb_timings draft_sequences drafts
      email_change_requests email_logs email_tokens gamification_leaderboards gamification_score_events
      gamification_scores github_user_infos given_daily_likes group_archived_messages group_histories
      group_managers group_requests group_users groups ignored_users incoming_emails incoming_links
      instagram_user_infos invited_users invites llm_models model_accuracies muted_users notifications
      oauth2_user_infos permalinks policy_users poll_votes post_actions post_localizations post_reply_keys
      post_revisions post_timings posts push_subscriptions queued_posts reviewable_claimed_topics
      reviewable_histories reviewable_notes reviewable_scores screened_emails search_logs
      shared_ai_conversations sidebar_section_links sidebar_sections single_sign_on_records
      skipped_email_logs tag_users theme_settings_migrations themes topic_allowed_users topic_custom_fields
      topic_link_clicks topic_links topic_localizations topic_timers topic_users topic_views
      topic_voting_votes topics twitter_user_infos unsubscribe_keys upload_references uploads user_actions
      user_api_keys user_archived_messages user_associated_groups user_auth_token_logs user_auth_tokens
      user_avatars user_badges user_chat_channel_memberships user_chat_thread_memberships user_exports
      user_field_values user_fields user_histories user_ip_address_histories user_notification_schedules
      user_open_ids user_options user_profile_views user_profiles user_required_fields_versions
      user_search_data user_stats user_statuses user_uploads user_visits user_warnings web_hook_events`,
    // `approved` is not in `stateReads`, so the import does not ask if it is missing. Users whose request for approval
    // was not granted are disabled then.
    reads: `${users.reads} approved`,
    unused: `${UNUSED} updated_at seen_notification_id username_lower approved_by_id approved_at previous_visit_at date_of_birth flag_level uploaded_avatar_id locale primary_group_id registration_ip_address first_seen_at group_locked_trust_level manual_locked_trust_level trust_level_locked secure_identifier flair_group_id required_fields_version auth_token auth_token_updated_at blocked`,
    stop: {
      text: `The table user_emails is missing, so that nobody has an address. ${DUMP}`,
      when: (seen) => lacks(seen, 'user_emails', 'email'),
    },
    warning: {
      text: `The table user_passwords is missing, so that nobody has a hash. ${DUMP}`,
      when: (seen) => lacks(seen, 'user_passwords', 'password_hash'),
    },
  },
]);
