import { hashText } from '../fields/hashes.ts';
import { byWord, stateOf } from '../fields/states.ts';
import { isSet, textOf } from '../fields/values.ts';
import { type Row, system } from './declare.ts';

// Mastodon

/**
 * Users of Mastodon, and their accounts. An account may be suspended (also by a request for deletion) or a memorial.
 * People who have moved to another server may still sign in.
 * Schema: mastodon/mastodon: db/schema.rb, 2.0 to 4.5; sign-in: app/models/user.rb
 */
export const mastodon = system('mastodon', 'Mastodon', {
  forms: { sql: 'mastodon-pg_dump', csv: 'mastodon-csv', json: 'mastodon-json' },
  table: 'users',
  has: 'id email encrypted_password account_id disabled approved otp_required_for_login',
  joins: {
    accounts: {
      table: 'accounts',
      has: 'id username domain suspended_at',
      // Accounts of other servers have a domain.
      on: ({ id, domain }) => (isSet(domain) ? undefined : textOf(id)),
      by: 'account_id',
      metadata: 'username display_name',
      states: { suspended_at: 'disabled', memorial: 'disabled' },
      unused:
        'private_key public_key created_at updated_at note uri url avatar_file_name avatar_content_type avatar_file_size avatar_updated_at header_file_name header_content_type header_file_size header_updated_at avatar_remote_url avatar_storage_schema_version header_storage_schema_version locked header_remote_url last_webfingered_at inbox_url outbox_url shared_inbox_url followers_url following_url protocol moved_to_account_id featured_collection_url fields actor_type discoverable also_known_as silenced_at hide_collections sensitized_at suspension_origin trendable reviewed_at requested_review_at indexable attribution_domains id_scheme feature_approval_policy secret remote_url salmon_url hub_url subscription_expires_at silenced suspended statuses_count followers_count following_count devices_url trust_level',
      of: 'every',
      decides: 'states',
      missing: 'Dump it, too: pg_dump -t users -t accounts -t identities mastodon.',
    },
    identities: {
      table: 'identities',
      has: 'user_id provider uid',
      keep: 'provider userId=uid',
      are: 'accounts',
      unused: 'id created_at updated_at',
      missing:
        'The table identities is missing: single sign-on (OpenID Connect, SAML, CAS) is lost. Dump it, too: pg_dump -t users -t accounts -t identities mastodon.',
    },
  },
  unusedTables: `
      account_aliases account_conversations account_deletion_requests account_domain_blocks account_migrations
      account_moderation_notes account_notes account_pins account_relationship_severance_events account_stats
      account_statuses_cleanup_policies account_summaries account_warnings accounts_tags admin_action_logs
      announcement_mutes announcement_reactions annual_report_statuses_per_account_counts appeals backups blocks
      bookmarks bulk_imports canonical_email_blocks collection_items collections conversation_mutes custom_filters
      devices email_subscriptions favourites featured_tags follow_recommendation_mutes
      follow_recommendation_suppressions follow_requests follows generated_annual_reports imports
      instance_moderation_notes invites ips keypairs list_accounts lists login_activities markers media_attachments
      mentions mutes notification_permissions notification_policies notification_requests notifications
      oauth_access_grants oauth_access_tokens oauth_applications poll_votes polls quotes report_notes reports
      scheduled_statuses session_activations settings status_edits status_pins status_trends statuses tag_follows
      tagged_objects tombstones user_invite_requests user_ips web_push_subscriptions web_settings`,
  verified: 'confirmed_at',
  joined: 'created_at',
  hash: 'encrypted_password',
  metadata: 'locale',
  states: { disabled: 'disabled', approved: 'active' },
  factors: 'otp_required_for_login',
  totp: 'otp_secret',
  roles: 'role_id admin moderator',
  unused:
    'updated_at age_verified_at chosen_languages confirmation_sent_at confirmation_token consumed_timestep current_sign_in_at current_sign_in_ip last_sign_in_at last_sign_in_ip last_emailed_at otp_backup_codes require_tos_interstitial reset_password_sent_at reset_password_token settings sign_in_count sign_in_token sign_in_token_sent_at skip_sign_in_token sign_up_ip time_zone unconfirmed_email created_by_application_id invite_id webauthn_id encrypted_otp_secret encrypted_otp_secret_iv encrypted_otp_secret_salt filtered_languages allowed_languages remember_created_at remember_token',
});

// Matrix Synapse

/** Returns the confirmed addresses of a user, the oldest first. In Synapse, users can sign in with each of them. */
const addressesOf = ({ joined }: Row, medium: string) =>
  joined('threepids')
    .filter((one) => one.medium === medium && isSet(one.validated_at))
    .toSorted((one, other) => Number(textOf(one.added_at)) - Number(textOf(other.added_at)));

/**
 * Matrix Synapse. It hashes the password in Unicode's form NFKC, together with the pepper if the server has one.
 * Schema: element-hq/synapse 1.163: synapse/storage/schema/main. Sign-in: synapse/rest/client/login.py
 */
export const synapse = system('synapse', 'Matrix Synapse', {
  table: 'users',
  has: 'name password_hash creation_ts is_guest appservice_id',
  id: 'name',
  addresses: (row) => addressesOf(row, 'email').map(({ address }) => ({ email: address, isVerified: true })),
  verified: () => false,
  joined: 'creation_ts',
  hash: 'password_hash',
  families: 'synapse',
  metadata: 'username=name',
  states: {
    deactivated: 'deleted',
    is_guest: { 0: 'ACTIVE', 1: 'ANONYMOUS' },
    user_type: { '': 'ACTIVE', bot: 'SERVICE_ACCOUNT', support: 'SERVICE_ACCOUNT' },
    locked: 'disabled',
    suspended: 'disabled',
    shadow_banned: 'disabled',
    // Users from before Synapse 1.69 have no value, and need no approval.
    approved: { '': 'ACTIVE', ...byWord({ ACTIVE: 't true 1', DISABLED: 'f false 0' }) },
  },
  state({ record, joined, nowMs }) {
    if (textOf(record.appservice_id) !== undefined) return 'SERVICE_ACCOUNT';
    return joined('validity').some(({ expiration_ts_ms }) => !(Number(textOf(expiration_ts_ms)) > nowMs))
      ? 'DISABLED'
      : undefined;
  },
  roles: 'admin',
  phone: (row) => addressesOf(row, 'msisdn').map(({ address }) => address),
  joins: {
    threepids: {
      table: 'user_threepids',
      has: 'user_id medium address validated_at',
      keep: 'medium address validated_at added_at',
      missing:
        'Table user_threepids is missing, and nobody has an address without it: pg_dump -t users -t user_threepids -t user_external_ids -t account_validity synapse > dump.sql.',
    },
    identities: {
      table: 'user_external_ids',
      has: 'user_id auth_provider external_id',
      are: 'accounts',
      keep: ({ auth_provider: provider, external_id: userId }) => ({
        ...{ provider, userId, isSso: provider === 'saml' || provider === 'cas' },
      }),
      missing:
        'Table user_external_ids is missing, so users of single sign-on have no login: pg_dump -t user_external_ids synapse.',
    },
    validity: {
      table: 'account_validity',
      has: 'user_id expiration_ts_ms',
      keep: 'expiration_ts_ms',
      unused: 'email_sent renewal_token token_used_ts_ms',
      decides: 'states',
      missing: 'Export it, too: pg_dump -t account_validity synapse.',
    },
  },
  reads: 'admin',
  unused: 'upgrade_ts consent_version consent_server_notice_sent consent_ts is_partner',
  unusedTables: `
    access_tokens account_data blocked_rooms dehydrated_devices delayed_events deleted_pushers
    device_auth_providers device_inbox device_lists_changes_in_room device_lists_outbound_last_success
    device_lists_outbound_pokes device_lists_remote_cache device_lists_remote_extremeties
    device_lists_remote_pending device_lists_remote_resync device_lists_stream devices
    e2e_cross_signing_keys e2e_cross_signing_signatures e2e_device_keys_json e2e_fallback_keys_json
    e2e_one_time_keys_json e2e_room_keys e2e_room_keys_versions erased_users event_push_actions
    event_push_actions_staging event_push_summary event_reports event_txn_id event_txn_id_device_id
    group_attestations_remote group_attestations_renewals group_invites group_summary_users group_users
    ignored_users local_current_membership local_group_membership local_group_updates local_media_repository
    login_tokens monthly_active_users open_id_tokens per_user_experimental_features presence presence_stream
    profile_updates profile_updates_per_user profiles push_rules push_rules_enable push_rules_stream pushers
    quarantined_media_changes ratelimit_override receipts_graph receipts_linearized refresh_tokens
    remote_media_cache remote_profile_cache room_account_data room_ban_redactions room_memberships
    room_reports room_stats_state room_tags room_tags_revisions sessions
    sliding_sync_connection_lazy_members sliding_sync_connections sliding_sync_joined_rooms
    sliding_sync_membership_snapshots thread_subscriptions user_daily_visits user_directory
    user_directory_search user_directory_stale_remote_users user_filters user_ips user_reports
    user_signature_stream user_stats user_stats_current user_stats_historical user_threepid_id_server
    users_in_public_rooms users_pending_deactivation users_to_send_full_presence_to
    users_who_share_private_rooms users_who_share_public_rooms users_who_share_rooms`,
  note: {
    when: ({ hasSecret }) => hasSecret !== true,
    text: 'If homeserver.yaml has password_config: pepper, it must be one of hashing_secrets of the service, for synapse: --hashing-secret-id ID',
  },
});

// Zulip

/** Schema: zulip/zulip: zerver/models/users.py (10), zerver/models/realms.py */
export const zulip = system('zulip', 'Zulip', {
  table: 'zerver_userprofile',
  has: 'id password delivery_email realm_id is_active is_bot is_mirror_dummy',
  joins: {
    zerver_realm: {
      table: 'zerver_realm',
      has: 'id string_id deactivated',
      keep: 'deactivated',
      of: 'one',
      decides: 'states',
      missing:
        'Users of a deactivated organisation cannot sign in. Dump zerver_userprofile and zerver_realm.',
    },
  },
  realms: { title: 'organisations', column: 'realm_id' },
  email: 'delivery_email',
  joined: 'date_joined',
  // Without a password, Django writes an exclamation mark and random text.
  hash: ({ record }) => {
    const encoded = hashText(record.password);
    return encoded === undefined || encoded.startsWith('!')
      ? undefined
      : { encoded, families: ['django-argon2', 'django-pbkdf2', 'django-bcrypt-sha256', 'django-scrypt'] };
  },
  metadata: 'name=full_name timezone',
  states: {
    is_active: 'active',
    is_mirror_dummy: 'disabled',
    is_imported_stub: 'disabled',
    is_deleted: 'deleted',
  },
  mayLack: { is_imported_stub: 'since 12', is_deleted: 'since 12' },
  state: (row) => {
    const { is_bot: isBot, realm_id: realm } = row.record;
    if (stateOf('is_bot', isBot, 'disabled', row) !== undefined) return 'SERVICE_ACCOUNT';
    const [found] = row.joined('zerver_realm', textOf(realm) ?? '');
    return found === undefined && row.hasDetail('zerver_realm')
      ? { column: 'realm_id', word: 'no such realm' }
      : stateOf('zerver_realm.deactivated', found?.deactivated, 'disabled', row);
  },
  roles: ({ record }) => textOf(record.role) !== undefined && textOf(record.role) !== '400',
  reads: 'role',
  // Only zerver_userprofile and zerver_realm decide who may sign in: zproject/backends.py.
  unusedTables: 'zerver_* analytics_* confirmation_* corporate_* social_auth_* zilencer_*',
  unused: `
    email uuid api_key tos_version last_login is_superuser is_staff is_api_super_user is_realm_admin
    is_guest is_billing_admin bot_type bot_owner_id long_term_idle last_active_message_id last_reminder
    can_change_user_emails can_create_users can_forge_sender default_sending_stream_id
    default_events_register_stream_id default_all_public_streams rate_limits zoom_token
    third_party_api_state avatar_source avatar_version avatar_hash tutorial_status onboarding_steps
    recipient_id invites_granted invites_used pointer quota muted_topics alert_words enter_sends
    left_side_userlist default_language default_view web_animate_image_previews web_channel_default_view
    web_escape_navigates_to_home_view web_font_size_px web_home_view web_inbox_show_channel_folders
    web_left_sidebar_show_channel_folders web_left_sidebar_unreads_count_summary web_line_height_percent
    web_mark_read_on_scroll_policy web_navigate_to_sent_message web_stream_unreads_count_display_policy
    web_suggest_update_timezone dense_mode fluid_layout_width high_contrast_mode night_mode color_scheme
    starred_message_counts translate_emoticons display_emoji_reaction_users twenty_four_hour_time
    demote_inactive_streams emojiset user_list_style hide_ai_features
    email_notifications_batching_period_seconds enable_desktop_notifications enable_digest_emails
    enable_drafts_synchronization enable_followed_topic_audible_notifications
    enable_followed_topic_desktop_notifications enable_followed_topic_email_notifications
    enable_followed_topic_push_notifications enable_followed_topic_wildcard_mentions_notify
    enable_login_emails enable_marketing_emails enable_offline_email_notifications
    enable_offline_push_notifications enable_online_push_notifications enable_sounds
    enable_stream_audible_notifications enable_stream_desktop_notifications
    enable_stream_email_notifications enable_stream_push_notifications enable_stream_sounds
    notification_sound wildcard_mentions_notify pm_content_in_desktop_notifications
    message_content_in_email_notifications desktop_icon_count_display presence_enabled
    realm_name_in_email_notifications_policy realm_name_in_notifications automatically_follow_topics_policy
    automatically_follow_topics_where_mentioned automatically_unmute_topics_in_muted_streams_policy
    resolved_topic_notice_auto_read_policy send_stream_typing_notifications
    send_private_typing_notifications send_read_receipts allow_private_data_export
    receives_typing_notifications email_address_visibility`,
  note: 'Zulip signs people in by the address that Google, GitHub or a SAML provider sends, and stores no ids of such accounts: these users come in by a password reset, or by a hook.',
});
