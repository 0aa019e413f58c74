import { totpOfBase32 } from '../fields/totp.ts';
import { flagOf, isSet, mayBeYes, textOf } from '../fields/values.ts';
import { system } from './declare.ts';

/**
 * Users of Mastodon, and the accounts that belong to them, which may be suspended (also by a request for deletion) or a
 * memorial. People who have moved to another server may still sign in.
 * Schema: mastodon/mastodon: db/schema.rb, 2.0 to 4.5; sign-in: app/models/user.rb
 */
export const mastodon = system(
  { name: 'mastodon', title: 'Mastodon' },
  {
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
        identity: { provider: 'provider', userId: 'uid' },
        unused: 'id created_at updated_at',
        missing:
          'The table identities is missing: single sign-on (OpenID Connect, SAML, CAS) is lost. Dump it, too: pg_dump -t users -t accounts -t identities mastodon.',
      },
    },
    unusedTables:
      'backups invites ips login_activities markers oauth_applications session_activations user_ips user_invite_requests web_push_subscriptions web_settings email_subscriptions',
    id: 'id',
    email: 'email',
    verified: 'confirmed_at',
    joined: 'created_at',
    hash: 'encrypted_password',
    metadata: 'locale',
    states: { disabled: 'disabled', approved: 'active' },
    factors: ({ record }) => mayBeYes(record.otp_required_for_login) && totpOfBase32(record.otp_secret),
    roles: ({ record: { role_id, admin, moderator } }) =>
      isSet(role_id) || flagOf(admin) === true || flagOf(moderator) === true,
    reads: 'otp_secret role_id admin moderator',
    unused:
      'updated_at age_verified_at chosen_languages confirmation_sent_at confirmation_token consumed_timestep current_sign_in_at current_sign_in_ip last_sign_in_at last_sign_in_ip last_emailed_at otp_backup_codes require_tos_interstitial reset_password_sent_at reset_password_token settings sign_in_count sign_in_token sign_in_token_sent_at skip_sign_in_token sign_up_ip time_zone unconfirmed_email created_by_application_id invite_id webauthn_id encrypted_otp_secret encrypted_otp_secret_iv encrypted_otp_secret_salt filtered_languages allowed_languages remember_created_at remember_token',
  },
);
