import { byWord } from '../fields/states.ts';
import { isSet, textOf } from '../fields/values.ts';
import { type Row, system } from './declare.ts';

/** Confirmed addresses of a user, the first that was added first. Synapse signs in with each of them. */
const addressesOf = ({ joined }: Row, medium: string) =>
  joined('threepids')
    .filter((one) => one.medium === medium && isSet(one.validated_at))
    .toSorted((one, other) => Number(textOf(one.added_at)) - Number(textOf(other.added_at)));

/**
 * Matrix Synapse. Its hashes are of the password in the form NFKC and of the pepper, if the server has one.
 * Schema: element-hq/synapse 1.163: synapse/storage/schema/main. Sign-in: synapse/rest/client/login.py
 */
export const synapse = system(
  { name: 'synapse', title: 'Matrix Synapse' },
  {
    forms: { sql: 'synapse-sql', csv: 'synapse-csv', json: 'synapse-json' },
    table: 'users',
    has: 'name password_hash creation_ts is_guest appservice_id',
    id: 'name',
    addresses: (row) =>
      addressesOf(row, 'email').map(({ address }) => ({ email: address, isVerified: true })),
    verified: () => false,
    joined: 'creation_ts',
    hash: 'password_hash',
    families: 'synapse',
    identities: ({ joined }) =>
      joined('identities').map(({ auth_provider, external_id }) => ({
        provider: auth_provider,
        userId: external_id,
        isSso: auth_provider === 'saml' || auth_provider === 'cas',
      })),
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
        keep: 'auth_provider external_id',
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
      device_lists_remote_pending device_lists_remote_resync device_lists_stream devices e2e_cross_signing_keys
      e2e_cross_signing_signatures e2e_device_keys_json e2e_fallback_keys_json e2e_one_time_keys_json e2e_room_keys
      e2e_room_keys_versions erased_users event_push_actions event_push_actions_staging event_push_summary
      event_reports event_txn_id event_txn_id_device_id group_attestations_remote group_attestations_renewals
      group_invites group_summary_users group_users ignored_users local_current_membership local_group_membership
      local_group_updates local_media_repository login_tokens monthly_active_users open_id_tokens
      per_user_experimental_features presence presence_stream profile_updates profile_updates_per_user profiles
      push_rules push_rules_enable push_rules_stream pushers quarantined_media_changes ratelimit_override
      receipts_graph receipts_linearized refresh_tokens remote_media_cache remote_profile_cache room_account_data
      room_ban_redactions room_memberships room_reports room_stats_state room_tags room_tags_revisions sessions
      sliding_sync_connection_lazy_members sliding_sync_connections sliding_sync_joined_rooms
      sliding_sync_membership_snapshots thread_subscriptions user_daily_visits user_directory user_directory_search
      user_directory_stale_remote_users user_filters user_ips user_reports user_signature_stream user_stats
      user_stats_current user_stats_historical user_threepid_id_server users_in_public_rooms
      users_pending_deactivation users_to_send_full_presence_to users_who_share_private_rooms
      users_who_share_public_rooms users_who_share_rooms`,
    advice: [
      {
        when: ({ hasSecret }) => hasSecret !== true,
        level: 'note',
        text: 'If homeserver.yaml has password_config: pepper, it must be one of hashing_secrets of the service, for synapse: --hashing-secret-id ID',
      },
    ],
  },
);
