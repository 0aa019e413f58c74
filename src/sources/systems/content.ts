import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import { hashText } from '../fields/hashes.ts';
import { byWord, type ReadState } from '../fields/states.ts';
import { baseName } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, isSet, objectOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { hashOf, type Row, system, words } from './declare.ts';

// Joomla

/** Returns the ids of a user's groups, and of all groups above them. */
function groupsOf({ joined }: Row): ReadonlySet<string> {
  const groups = new Set<string>();
  for (const { group_id } of joined('user_usergroup_map')) {
    let id = textOf(group_id);
    while (id !== undefined && !groups.has(id)) {
      groups.add(id);
      id = textOf(joined('usergroups', id)[0]?.parent_id);
    }
  }
  return groups;
}

/**
 * Reads the state from the groups of a user. One of them must have the permission `core.login.site`, and none of them
 * may be denied it. Super users have all permissions.
 */
function stateByGroups(row: Row): ReadState {
  if (!['user_usergroup_map', 'usergroups', 'assets'].every((name) => row.hasDetail(name))) return undefined;
  const rules = objectOf(row.joined('assets', ROOT)[0]?.rules) ?? {};
  const groups = [...groupsOf(row)];
  const has = (permission: string, isAllowed: boolean) => {
    const byGroup = objectOf(rules[permission]) ?? {};
    return groups.some((group) => flagOf(byGroup[group]) === isAllowed);
  };
  const isSuper = has('core.admin', true);
  return isSuper || (has('core.login.site', true) && !has('core.login.site', false)) ? undefined : 'DISABLED';
}

/** Name of the asset with the permissions of the whole site. */
const ROOT = 'root.1';

const DUMP =
  'Export them together: mysqldump DATABASE jos_users jos_user_usergroup_map jos_usergroups jos_assets jos_user_mfa > dump.sql.';

/**
 * Joomla from 2.5 on. `activation` is the token of a password reset, or of an activation; until then, the user is
 * blocked.
 * Schema: joomla/joomla-cms (2.5 to 6): installation/sql/mysql/base.sql. Sign-in: plugins/user/joomla
 */
export const joomla = system('joomla', 'Joomla', {
  table: 'users',
  isPrefixed: true,
  has: 'id name username email password block sendEmail registerDate lastvisitDate activation',
  username: 'username',
  joined: 'registerDate',
  hash: 'password',
  families: 'joomla-md5 hex-md5 bcrypt',
  metadata: 'username name',
  states: { block: 'disabled' },
  state: stateByGroups,
  // Up to Joomla 4.1, second factors are in the table of users. All of them are encrypted, so none can be kept.
  factors: 'otpKey',
  drops: { 'forced password changes': 'requireReset' },
  joins: {
    user_usergroup_map: {
      table: 'user_usergroup_map',
      has: 'user_id group_id',
      keep: 'group_id',
      decides: 'states',
      missing: DUMP,
    },
    usergroups: {
      table: 'usergroups',
      has: 'id parent_id lft rgt title',
      hasNot: 'rules',
      keep: 'parent_id',
      decides: 'states',
      missing: DUMP,
    },
    assets: {
      table: 'assets',
      has: 'id parent_id level name title rules',
      on: ({ name }) => (name === ROOT ? ROOT : undefined),
      keep: 'rules',
      unused: 'lft rgt',
      decides: 'states',
      missing: DUMP,
    },
    user_mfa: {
      table: 'user_mfa',
      has: 'user_id method options',
      are: 'factors',
      keep: ({ method }) => (method === 'backupcodes' ? undefined : {}),
      unused: 'id title default created_on last_used tries last_try',
      missing: `${DUMP} Joomla has it from 4.2 on.`,
    },
    user_profiles: {
      table: 'user_profiles',
      has: 'user_id profile_key profile_value',
      unused: 'ordering',
      // Keys of the plug-ins that are part of Joomla.
      keys: {
        key: 'profile_key',
        value: 'profile_value',
        known: (key) => /^(?:profile5?|terms|privacyconsent|joomlatoken|guidedtour)\./.test(key),
      },
    },
  },
  unused: 'usertype gid params lastResetTime resetCount otep authProvider',
  unusedTables: `
      action_logs action_logs_users banner_clients categories contact_details fields guidedtours history messages_cfg
      privacy_consents privacy_requests session tags ucm_content ucm_history user_keys user_notes webauthn_credentials`,
  note: 'Joomla signs in by name and does not keep who has confirmed an address: users sign in by their address here.',
});

// MediaWiki

/** Token of MediaWiki's system accounts (User::INVALID_TOKEN), with which nobody can sign in. */
const INVALID_TOKEN = '*** INVALID ***';
/** The token in columns of bytes, in hexadecimal digits. Zeros may follow. */
const INVALID_BYTES = Buffer.from(INVALID_TOKEN).toString('hex');

/** Whether a cell has a value. An empty text counts as a missing value. */
const isText = (value: unknown) => textOf(value) !== undefined || value === false;

/** Whether a block is in force in the whole wiki. An expiry that is not a time, such as `infinity`, never comes. */
function isInForce({ expiry, sitewide }: JsonObject, nowMs: number): boolean {
  if (flagOf(sitewide) === false && isText(sitewide)) return false;
  const endMs = timeOf(expiry);
  return endMs === undefined || endMs > nowMs;
}

function isBlocked({ joined, hasDetail, nowMs }: Row): boolean {
  return joined('blocks').some((block) => {
    const target = textOf(block.target);
    if (target === undefined) return isInForce(block, nowMs);
    return !hasDetail('ofTargets') || joined('ofTargets', target).some((one) => isInForce(one, nowMs));
  });
}

/**
 * Users who are blocked in the whole wiki are imported as disabled, although MediaWiki lets them sign in unless
 * `$wgBlockDisablesLogin` is set. Schema: wikimedia/mediawiki: sql/tables.json, maintenance/tables.sql (1.5 to 1.45)
 */
export const mediawiki = system('mediawiki', 'MediaWiki', {
  isPrefixed: true,
  has: 'user_id user_name user_password user_email user_email_authenticated|user_registration',
  joins: {
    // Up to version 1.41, blocks are in `ipblocks`. Since 1.42, `block_target` has the blocked users, by whose ids
    // `block` has the blocks.
    blocks: {
      has: 'ipb_user|bt_user ipb_expiry|bt_id',
      on: ({ ipb_user, bt_user }) => [ipb_user, bt_user].filter(isSet).map(textOf)[0],
      keep: ({ bt_id, ipb_expiry, ipb_sitewide }) => ({
        target: textOf(bt_id),
        expiry: ipb_expiry,
        sitewide: ipb_sitewide,
      }),
      reads: 'ipb_sitewide',
      unused: `ipb_id ipb_address ipb_by ipb_by_text ipb_by_actor ipb_reason ipb_reason_id ipb_timestamp ipb_auto
          ipb_anon_only ipb_create_account ipb_enable_autoblock ipb_range_start ipb_range_end ipb_deleted ipb_block_email
          ipb_allow_usertalk ipb_parent_block_id bt_address bt_user_text bt_auto bt_range_start bt_range_end bt_ip_hex
          bt_count`,
      decides: 'states',
      missing:
        'Export it, too: mysqldump wiki user ipblocks user_groups > dump.sql; from MediaWiki 1.42 on, block and block_target in place of ipblocks.',
    },
    ofTargets: {
      has: 'bl_target bl_expiry',
      keep: 'expiry=bl_expiry sitewide=bl_sitewide',
      unused: `bl_id bl_by_actor bl_reason_id bl_timestamp bl_anon_only bl_create_account bl_enable_autoblock bl_deleted
          bl_block_email bl_allow_usertalk bl_parent_block_id`,
    },
    // Second factors of the extension OATHAuth. Its newer and older versions have different tables.
    devices: {
      ...{ has: 'oad_user', are: 'factors' },
      unused: 'oad_id oad_type oad_name oad_created oad_data',
    },
    factors: {
      ...{ table: 'oathauth_users', has: 'id module data', are: 'factors' },
      unused: 'secret scratch_tokens',
    },
    groups: { has: 'ug_user ug_group', are: 'roles', unused: 'ug_expiry' },
  },
  unusedTables: `
      abuse_filter abuse_filter_history abuse_filter_log actor archive bot_passwords discussiontools_subscription
      echo_email_batch echo_notification echo_push_subscription filearchive image logging loginnotify_seen_net
      oldimage page_restrictions protected_titles recentchanges revision site_stats sites uploadstash
      user_autocreate_serial user_former_groups user_newtalk user_properties watchlist watchlist_label`,
  id: 'user_id',
  email: 'user_email',
  verified: 'user_email_authenticated',
  joined: 'user_registration',
  hash: ({ record }) => hashOf('mediawiki', record.user_password),
  metadata: 'name=user_real_name username=user_name',
  state: (row) => {
    const token = textOf(row.record.user_token) ?? '';
    if (token.startsWith(INVALID_TOKEN) || token.startsWith(INVALID_BYTES)) return 'SERVICE_ACCOUNT';
    return isBlocked(row) ? 'DISABLED' : undefined;
  },
  drops: {
    'forced password changes': ({ record, nowMs }) =>
      (timeOf(record.user_password_expires) ?? Number.POSITIVE_INFINITY) <= nowMs,
  },
  reads: 'user_token user_password_expires',
  unused: `user_newpassword user_newpass_time user_touched user_email_token user_email_token_expires user_editcount
      user_options user_rights user_is_temp`,
});

// Moodle

/**
 * Sign-in plug-ins of Moodle that verify the hash in the table. Others leave the text `not cached` or an old hash
 * there.
 */
const OF_MOODLE = new Set(['manual', 'email']);
const FAMILIES = words('bcrypt sha512-crypt hex-md5');

function passwordOfMoodle({ auth, password }: SourceRecord): SourcePassword | undefined {
  const encoded = hashText(password);
  if (encoded === undefined || encoded === 'not cached' || !OF_MOODLE.has(textOf(auth) ?? ''))
    return undefined;
  return { encoded, families: FAMILIES };
}

/** Schema: moodle/moodle: lib/db/install.xml (2.0 to 5.0) and those of all plug-ins (4.3), lib/moodlelib.php */
export const moodle = system('moodle', 'Moodle', {
  table: 'user',
  isPrefixed: true,
  has: 'id auth confirmed deleted suspended username password email',
  joins: {
    // The table exists since Moodle 4.3.
    tool_mfa: {
      table: 'tool_mfa',
      has: 'userid factor secret revoked',
      are: 'factors',
      keep: ({ factor, secret, label: name, revoked }) => {
        if (flagOf(revoked) === true) return undefined;
        return factor === 'totp' ? { secret, name } : {};
      },
      reads: 'label',
      unused: 'id timecreated createdfromip timemodified lastverified lockcounter',
      missing: 'Export it, too: mysqldump DATABASE mdl_user mdl_user_preferences mdl_tool_mfa > dump.sql.',
    },
    preferences: {
      table: 'user_preferences',
      has: 'userid name value',
      keep: ({ name, value }) =>
        name === 'auth_forcepasswordchange' && flagOf(value) === true ? { mustChange: true } : undefined,
      unused: 'id',
    },
  },
  unusedTables: `
    adminpresets adminpresets_app ai_action_register ai_policy_register
    analytics_prediction_actions analytics_predictions assign_* assignfeedback_editpdf_quick
    auth_lti_linked_login auth_oauth2_linked_login backup_controllers badge badge_* bigbluebuttonbn_logs
    block_recent_activity block_recentlyaccesseditems block_rss_client blog_external chat_* choice_answers
    cohort_members comments communication_user competency_* config_log course_completion_crit_compl
    course_completions course_modules_completion course_modules_viewed data_records editor_atto_autosave
    enrol_flatfile enrol_lti_users enrol_paypal event event_subscriptions events_queue events_queue_handlers
    external_services_users external_tokens favourite feedback_completed feedback_completedtmp files forum_*
    glossary_entries grade_grades grade_grades_history grade_import_values groups_members
    h5pactivity_attempts infected_files lesson_* log logstore_standard_log lti_submission message_*
    messageinbound_messagelist mnet_log mnet_session mnet_sso_access_control mnetservice_enrol_enrolments
    moodlenet_share_progress my_pages notifications oauth2_issuer oauth2_refresh_token oauth2_system_account
    payment_gateways payments portfolio_instance_user portfolio_log portfolio_tempdata post
    question_attempt_steps quiz_* rating repository_instances role_assignments scale scale_history scorm_*
    search_simpledb_index sessions stats_user_* survey_analysis survey_answers tag tag_instance task_adhoc
    task_log tiny_autosave tool_cohortroles tool_dataprivacy_request tool_mfa_auth tool_mfa_secrets
    tool_monitor_history tool_monitor_rules tool_monitor_subscriptions tool_policy_acceptances upgrade_log
    user_devices user_enrolments user_info_category user_info_field user_lastaccess user_password_history
    user_password_resets user_private_key wiki_* workshop_* xapi_states`,
  // Only people who signed up themselves (`email`) have confirmed their address.
  verified: ({ record }) => (record.auth === 'email' ? flagOf(record.confirmed) : undefined),
  joined: 'timecreated',
  hash: ({ record }) => passwordOfMoodle(record),
  metadata: 'username firstname lastname idnumber',
  states: {
    auth: byWord({
      ACTIVE: 'manual email oauth2 ldap db cas shibboleth lti mnet',
      DISABLED: 'nologin',
      SERVICE_ACCOUNT: 'webservice',
    }),
    // Users who have not confirmed their sign-up cannot sign in.
    confirmed: 'active',
    deleted: 'deleted',
    suspended: 'disabled',
  },
  state: ({ record }) => (record.username === 'guest' ? 'ANONYMOUS' : undefined),
  drops: { 'forced password changes': ({ joined }) => joined('preferences').length > 0 },
  unused: `policyagreed mnethostid emailstop icq skype yahoo aim msn phone1 phone2 institution department address city country
      lang calendartype theme timezone firstaccess lastaccess lastlogin currentlogin lastip secret picture url description
      descriptionformat mailformat maildigest maildisplay htmleditor ajax autosubscribe trackforums timemodified trustbitmask
      imagealt lastnamephonetic firstnamephonetic middlename alternatename moodlenetprofile screenreader`,
  note: 'Users of other plug-ins than manual and email (LDAP, OAuth 2, SAML and the like) have no hash and no id of their account: they need a new password.',
});

// Ghost

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
    joined: 'created_at',
    metadata: 'name note labels',
    states: { deleted_at: 'deleted' },
    unused: 'tiers products',
    warning:
      'Members of Ghost sign in by mail links: there are no hashes to import. They can come in by sign-up or by a new password. The staff is in the JSON export: Settings → Import/Export → Export.',
  },
]);

// Drupal

const ROLES = ['user__roles', 'users_roles'];

/** Reads a hash of Drupal. Code: drupal/core@401b0999:lib/Drupal/Core/Password/PhpassHashedPasswordBase.php */
function passwordOfDrupal(value: unknown): SourcePassword | undefined {
  const encoded = hashText(value);
  if (encoded === undefined) return undefined;
  // A migration from Drupal 6 hashes each stored MD5 again with bcrypt, and marks the result by `U`.
  if (encoded.startsWith('U$2')) return { encoded: encoded.slice(1), algorithm: 'bcrypt-md5' };
  // Drupal 6 stored MD5.
  return { encoded, families: words('hex-md5 drupal7 phpass bcrypt') };
}

/**
 * Schema: drupal/drupal: core/modules/user/src/Entity/User.php, core/modules/user/user.install (8 to 11);
 * modules/user/user.install (6 and 7)
 */
export const drupal = system('drupal', 'Drupal', {
  forms: { sql: 'drupal-mysqldump', csv: 'drupal-csv', json: 'drupal-json' },
  // `users` has no addresses since Drupal 8.
  table: 'users_field_data users',
  isPrefixed: true,
  has: 'uid name pass mail status',
  joins: {
    // From Drupal 8 on, modules store data of users here. Second factors are data of the module `tfa`.
    users_data: {
      table: 'users_data',
      are: 'factors',
      has: 'uid module name value',
      keep: ({ module, name }) =>
        textOf(module) === 'tfa' && textOf(name) !== 'tfa_user_settings' ? {} : undefined,
      keys: { key: 'module', value: 'value', known: 'contact tfa user' },
      unused: 'serialized',
      missing:
        'Export it, too: mysqldump DATABASE users_field_data users_data > dump.sql. Drupal 7 has no such table.',
    },
  },
  // Fields of other entities than users. Fields that a site adds to users are in tables such as `user__field_rank`,
  // about which the import asks.
  unusedTables: `
    accesslog aggregator_* authmap block_content__* block_content_field_revision block_content_revision
    block_content_revision__* comment comment__* comment_entity_statistics comment_field_data comments contact
    content_moderation_state_field_data content_moderation_state_field_revision field_data_body
    field_data_comment_body field_data_field_image field_data_field_tags field_revision_* file_managed files history
    media__* media_field_data media_field_revision media_revision media_revision__* menu_link_content_revision node
    node__* node_comment_statistics node_field_data node_field_revision node_revision node_revision__*
    node_revisions poll_vote poll_votes profile_value profile_values sessions shortcut_set_users taxonomy_term__*
    taxonomy_term_field_data taxonomy_term_field_revision taxonomy_term_revision taxonomy_term_revision__*
    tracker_user user__roles user__user_picture users users_roles watchdog workspace workspace_field_revision
    workspace_revision`,
  // A user has a row for each language, with the same account data. Only the row of the default language is read.
  skip: ({ record }) =>
    textOf(record.default_langcode) !== undefined && flagOf(record.default_langcode) === false,
  id: 'uid',
  email: 'mail',
  joined: 'created',
  hash: ({ record }) => passwordOfDrupal(record.pass),
  metadata: 'name',
  states: { status: 'active' },
  // The user with id 0 stands for guests.
  state: ({ record }) => (textOf(record.uid) === '0' ? 'ANONYMOUS' : undefined),
  reads: 'default_langcode',
  unused: `content_translation_* langcode preferred_langcode preferred_admin_langcode timezone timezone_name changed access login init theme
      signature signature_format language picture data mode sort threshold`,
  note: [
    'Drupal signs in by name and keeps no flag for verified addresses: users sign in by their address here.',
    {
      text: 'Roles are not imported, because this service has none.',
      when: ({ tables }) => tables.some((table) => ROLES.some((name) => baseName(table).endsWith(name))),
    },
  ],
});
