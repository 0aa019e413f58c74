import { REALM } from '../fields/realms.ts';
import { stateOf } from '../fields/states.ts';
import { textOf } from '../fields/values.ts';
import { system } from './declare.ts';

/** Schema: zulip/zulip: zerver/models/users.py (10), zerver/models/realms.py */
export const zulip = system(
  { name: 'zulip', title: 'Zulip', settings: REALM },
  {
    forms: { sql: 'zulip-sql', csv: 'zulip-csv', json: 'zulip-json' },
    table: 'zerver_userprofile',
    has: 'id password delivery_email realm_id is_active is_bot is_mirror_dummy',
    joins: {
      zerver_realm: {
        table: 'zerver_realm',
        has: 'id string_id deactivated',
        on: 'id',
        keep: 'deactivated',
        of: 'one',
        decides: 'states',
        missing:
          'Users of a deactivated organisation cannot sign in. Dump zerver_userprofile and zerver_realm.',
      },
    },
    realms: { title: 'organisations', column: 'realm_id' },
    id: 'id',
    email: 'delivery_email',
    joined: 'date_joined',
    // Without a password, Django writes an exclamation mark and random text.
    hash: ({ record }) => {
      const encoded = textOf(record.password);
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
    unused:
      'email uuid api_key tos_version last_login is_superuser is_staff is_api_super_user is_realm_admin is_guest is_billing_admin bot_type ' +
      'bot_owner_id long_term_idle last_active_message_id last_reminder can_change_user_emails can_create_users can_forge_sender ' +
      'default_sending_stream_id default_events_register_stream_id default_all_public_streams rate_limits zoom_token ' +
      'third_party_api_state avatar_source avatar_version avatar_hash tutorial_status onboarding_steps recipient_id invites_granted ' +
      'invites_used pointer quota muted_topics alert_words enter_sends left_side_userlist default_language default_view ' +
      'web_home_view web_escape_navigates_to_home_view dense_mode fluid_layout_width high_contrast_mode night_mode color_scheme ' +
      'starred_message_counts translate_emoticons display_emoji_reaction_users twenty_four_hour_time web_suggest_update_timezone ' +
      'web_font_size_px web_line_height_percent web_animate_image_previews demote_inactive_streams web_mark_read_on_scroll_policy ' +
      'web_channel_default_view emojiset user_list_style web_stream_unreads_count_display_policy web_navigate_to_sent_message ' +
      'web_inbox_show_channel_folders web_left_sidebar_show_channel_folders web_left_sidebar_unreads_count_summary hide_ai_features ' +
      'email_notifications_batching_period_seconds enable_stream_desktop_notifications enable_stream_email_notifications ' +
      'enable_stream_push_notifications enable_stream_audible_notifications enable_stream_sounds notification_sound ' +
      'wildcard_mentions_notify enable_followed_topic_desktop_notifications enable_followed_topic_email_notifications ' +
      'enable_followed_topic_push_notifications enable_followed_topic_audible_notifications ' +
      'enable_followed_topic_wildcard_mentions_notify enable_desktop_notifications pm_content_in_desktop_notifications ' +
      'enable_sounds enable_offline_email_notifications message_content_in_email_notifications enable_offline_push_notifications ' +
      'enable_online_push_notifications desktop_icon_count_display enable_digest_emails enable_login_emails ' +
      'enable_marketing_emails presence_enabled realm_name_in_notifications realm_name_in_email_notifications_policy ' +
      'automatically_follow_topics_policy automatically_unmute_topics_in_muted_streams_policy ' +
      'automatically_follow_topics_where_mentioned resolved_topic_notice_auto_read_policy enable_drafts_synchronization ' +
      'send_stream_typing_notifications send_private_typing_notifications send_read_receipts allow_private_data_export ' +
      'receives_typing_notifications email_address_visibility',
    note: 'Zulip signs people in by the address that Google, GitHub or a SAML provider sends, and stores no ids of such accounts: these users come in by a password reset, or by a hook.',
  },
);
