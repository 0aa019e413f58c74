import { byWord } from '../fields/states.ts';
import { system } from './declare.ts';

/** Schema: TryGhost/Ghost: ghost/core/core/server/data/schema/schema.js (0.11 to 6), data/exporter@2397d2e5 */
export const ghost = system('ghost', 'Ghost', [
  {
    forms: { json: 'ghost-export', sql: 'ghost-mysqldump', csv: 'ghost-users-csv' },
    table: 'users',
    has: 'slug email password status visibility',
    unusedTables: `
      actions api_keys automated_email_recipients automation_action_revisions automation_runs comment_likes
      comment_reports comments donation_payment_events email_design_settings email_recipient_failures email_recipients
      email_spam_complaint_events emails gift_deliveries gifts invites members members_* mentions newsletters
      offer_redemptions permissions permissions_users recommendation_click_events recommendation_subscribe_events
      roles_users sessions subscriptions suppressions temp_mail_events welcome_email_automated_emails
      welcome_email_automation_runs`,
    id: 'id',
    email: 'email',
    joined: 'created_at',
    hash: 'password',
    metadata: 'name slug',
    states: {
      // A locked user can sign in again after setting a new password.
      status: byWord({ ACTIVE: 'active locked warn-1 warn-2 warn-3 warn-4', DISABLED: 'inactive' }),
    },
    drops: { 'forced password changes': ({ record }) => record.status === 'locked' },
    unused: `uuid image cover profile_image cover_image bio website location facebook twitter threads bluesky mastodon
      tiktok youtube instagram linkedin accessibility language locale meta_title meta_description tour last_seen last_login
      comment_notifications free_member_signup_notification paid_subscription_started_notification
      paid_subscription_canceled_notification mention_notifications recommendation_notifications
      milestone_notifications donation_notifications gift_subscription_purchase_notification ghost_auth_access_token
      ghost_auth_id created_by updated_at updated_by`,
    note: 'These users are the staff. Members of Ghost sign in by mail links and have no hashes. Roles are not imported.',
  },
  {
    forms: { csv: 'ghost-members-csv' },
    has: 'email complimentary_plan stripe_customer_id created_at subscribed_to_emails|subscribed',
    id: 'id',
    email: 'email',
    joined: 'created_at',
    metadata: 'name note labels',
    states: { deleted_at: 'deleted' },
    unused: 'tiers products',
    warning:
      'Members of Ghost sign in by mail links: there are no hashes to import. They can come in by sign-up or by a new password. The staff is in the JSON export: Settings → Import/Export → Export.',
  },
]);
