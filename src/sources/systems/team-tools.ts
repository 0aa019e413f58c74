import type { SourceRecord } from '../containers/table.ts';
import { digestHash, hashText } from '../fields/hashes.ts';
import { chosenProvider, lacksServers } from '../fields/providers.ts';
import { byWord, stateOf } from '../fields/states.ts';
import { flagOf, isSet, mayBeYes, textOf } from '../fields/values.ts';
import { type Address, hashOf, type Row, system } from './declare.ts';

// Metabase

/** Schema: metabase/metabase: resources/migrations (core_user), src/metabase/users/models/user.clj */
export const metabase = system('metabase', 'Metabase', {
  table: 'core_user',
  has: 'id email password password_salt is_superuser is_active date_joined',
  joined: 'date_joined',
  // Hashes are bcrypt of the salt and the password. Users of LDAP have a random password.
  hash: ({ record }) => {
    const [hash, salt] = [hashText(record.password), hashText(record.password_salt)];
    return hash === undefined || salt === undefined || mayBeYes(record.ldap_auth)
      ? undefined
      : hashOf('metabase', `$metabase$s=${Buffer.from(salt).toString('base64')}${hash}`);
  },
  metadata: 'first_name last_name locale',
  states: {
    is_active: 'active',
    deactivated_at: 'disabled',
    type: { personal: 'ACTIVE', internal: 'SERVICE_ACCOUNT', 'api-key': 'SERVICE_ACCOUNT' },
  },
  mayLack: { deactivated_at: 'since 0.50', type: 'since 0.48' },
  factors: 'totp_enabled',
  totp: 'totp_secret',
  roles: 'is_superuser',
  reads: 'ldap_auth',
  unused:
    'last_login reset_token reset_triggered is_qbnewb is_datasetnewb google_auth sso_source login_attributes jwt_attributes settings ' +
    'updated_at entity_id tenant_id deactivated_with_tenant is_data_analyst totp_recovery_codes',
  unusedTables: `
      action activity api_key application_permissions_revision audit_log auth_identity bookmark_ordering card_bookmark
      collection collection_bookmark collection_permission_graph_revision collection_revision comment comment_reaction
      connection_impersonations core_session dashboard_bookmark dashboard_favorite dependency login_history
      metabase_session metabase_table metabot_conversation metabot_message moderation_review notification
      notification_recipient parameter_card permissions_group_membership permissions_revision pulse_channel_recipient
      query_execution recent_views remote_sync_task report_card report_cardfavorite report_dashboard revision
      semantic_search_token_tracking support_access_grant_log transform user_key_value user_parameter_value view_log`,
  note: 'Metabase stores no ids of accounts at Google and at SAML providers: these users come in by a password reset, or by a hook.',
});

// Nextcloud

/** Preferences that are read: the address, and whether the account is enabled. Apps add thousands of others. */
const PREFERENCES: ReadonlySet<string> = new Set(['settings email', 'core enabled']);

const preferenceOf = ({ joined }: Row, name: string) =>
  joined('oc_preferences').find(({ appid, configkey }) => `${textOf(appid)} ${textOf(configkey)}` === name)
    ?.configvalue;

/** Schema: nextcloud/server 31: core/Migrations (users, preferences, twofactor_providers), lib/private/User/User.php, lib/private/Security/Hasher.php */
export const nextcloud = system('nextcloud', 'Nextcloud', {
  table: 'users',
  isPrefixed: true,
  has: 'uid displayname password',
  proof: 'uid_lower',
  joins: {
    oc_preferences: {
      table: 'preferences',
      has: 'userid appid configkey configvalue',
      on: ({ userid, appid, configkey }) =>
        PREFERENCES.has(`${textOf(appid)} ${textOf(configkey)}`) ? textOf(userid) : undefined,
      keep: 'appid configkey configvalue',
      unused: 'lazy type flags indexed',
      decides: 'states',
      missing: 'It has the addresses, too: dump oc_users, oc_preferences and oc_twofactor_providers.',
    },
    oc_twofactor_providers: {
      table: 'twofactor_providers',
      are: 'factors',
      has: 'uid provider_id enabled',
      // Nextcloud does not ask for a second factor if a user has only recovery codes.
      keep: ({ provider_id: provider, enabled }) =>
        flagOf(enabled) === false || provider === 'backup_codes' ? undefined : { provider },
      missing: 'Dump oc_users, oc_preferences and oc_twofactor_providers.',
    },
  },
  id: 'uid',
  email: (row) => preferenceOf(row, 'settings email'),
  hash: 'password',
  families: 'nextcloud',
  metadata: 'username=uid name=displayname',
  state: (row) => stateOf('core.enabled', preferenceOf(row, 'core enabled'), 'active', row),
  unusedTables: `
      accounts accounts_data activity activity_mq authtoken calendar_invitations calendar_reminders calendarobjects
      cards circles_member circles_membership collres_accesscache collres_resources comments comments_read_markers
      credentials dav_absence direct_edit directlink files_reminders files_trash flow_operations_scope group_admin
      group_user known_users login_address login_flow_v2 login_ips_aggregated mounts notifications
      notifications_pushhash notifications_pushtoken notifications_settings open_local_link photos_albums
      profile_config properties share_external storages_credentials suspicious_login taskprocessing_tasks
      text2image_tasks text_sessions textprocessing_tasks twofactor_backupcodes user_status user_transfer_owner
      vcategory webauthn webhook_listeners`,
  note: 'Users of LDAP and of SAML providers are not in the table of users.',
});

// Odoo

/** Providers by the host of their `auth_endpoint`. Their names do not count, because administrators choose them. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'accounts.google.com': 'google',
  'www.facebook.com': 'facebook',
  'github.com': 'github',
  'gitlab.com': 'gitlab',
};

/** Names of Odoo's own users: the server, visitors, and templates of new users. */
const OF_ODOO: ReadonlySet<string> = new Set(['__system__', 'public', 'default', 'portaltemplate']);

function providerOf({ record, joined }: Row): ReturnType<typeof chosenProvider> {
  const [provider] = joined('auth_oauth_provider');
  const url = textOf(provider?.auth_endpoint);
  const host = url !== undefined && URL.canParse(url) ? new URL(url).host : '';
  const name = textOf(provider?.name) ?? textOf(record.oauth_provider_id) ?? 'unknown';
  const known = Object.hasOwn(PROVIDERS, host) ? PROVIDERS[host] : undefined;
  return known === undefined ? chosenProvider(name) : { provider: known };
}

/**
 * Odoo. Users sign in by `login`, which mostly is their address; Odoo confirms no addresses. TOTP secrets are not
 * encrypted. Schema: odoo/odoo (10 to 19): odoo/addons/base/models/res_users.py, res_partner.py, addons/auth_totp,
 * addons/auth_oauth, and the fields that other modules of the community edition add
 */
export const odoo = system('odoo', 'Odoo', {
  table: 'res_users',
  has: 'id login password active partner_id company_id',
  email: ({ record: { login }, joined }) =>
    textOf(login)?.includes('@') === true ? login : joined('res_partner')[0]?.email,
  joined: 'create_date',
  // Up to Odoo 11, the module auth_crypt has hashes in `password_crypt`, and leaves `password` empty.
  hash: 'password|password_crypt',
  identities: (row) =>
    isSet(row.record.oauth_uid) ? [{ ...providerOf(row), userId: row.record.oauth_uid }] : [],
  metadata: 'login share',
  states: { active: 'active' },
  state: ({ record }) => (OF_ODOO.has(textOf(record.login) ?? '') ? 'SERVICE_ACCOUNT' : undefined),
  totp: 'totp_secret',
  joins: {
    res_partner: {
      table: 'res_partner',
      has: 'id name email commercial_partner_id',
      by: 'partner_id',
      keep: 'email',
      metadata: 'name lang tz',
      of: 'one',
      missing:
        'Without the table res_partner, nobody has a name, and users whose login is no address have none. Export it, too: pg_dump -t res_users -t res_partner -t auth_oauth_provider DATABASE.',
      unused: `
        account_peppol_is_endpoint_valid account_peppol_validity_last_check
        account_peppol_verification_state activation active additional_info assigned_partner_id
        associate_member autopost_bills barcode birthdate branch_code buyer_id calendar_last_notif_ack city
        city_id color comment commercial_company_name company_id company_name company_registry complete_name
        country_code country_id create_date create_uid credit_limit customer customer_rank date
        date_localization date_partnership date_review date_review_next date_review_prev debit_limit
        delivery_instructions display_name ean13 email_normalized employee fax first_name free_member
        function grade_id grade_sequence group_on group_rfq has_image iap_enrich_info iap_search_domain
        ignore_abnormal_invoice_amount ignore_abnormal_invoice_date image image_medium image_small
        implemented_count implemented_partner_count implemented_partner_id industry_id
        invoice_edi_format_store invoice_sending_method invoice_template_pdf_report_id invoice_warn
        invoice_warn_msg is_company is_published is_seo_optimized l10n_ar_afip_responsibility_type_id
        l10n_ar_gross_income_number l10n_ar_gross_income_type l10n_br_cpf_code l10n_br_ie_code
        l10n_br_im_code l10n_br_isuf_code l10n_ca_pst l10n_cl_activity_description l10n_cl_sii_taxpayer_type
        l10n_eg_building_no l10n_id_kode_transaksi l10n_id_nik l10n_id_pkp l10n_id_tax_address
        l10n_id_tax_name l10n_in_gst_treatment l10n_in_pan l10n_it_codice_fiscale l10n_it_pa_index
        l10n_it_pec_email l10n_ke_exemption_number l10n_latam_identification_type_id l10n_nl_kvk l10n_nl_oin
        l10n_no_bronnoysund_number l10n_pe_district l10n_se_check_vendor_ocr
        l10n_se_default_vendor_payment_ref l10n_sg_unique_entity_number last_name last_time_entries_checked
        membership_amount membership_cancel membership_start membership_state membership_stop message_bounce
        message_last_post message_main_attachment_id middle_name mobile notify_email nrc ocn_token opt_out
        parent_id partner_gid partner_latitude partner_longitude partner_share partner_weight peppol_eas
        peppol_endpoint phone phone_sanitized picking_warn picking_warn_msg plan_to_change_bike
        plan_to_change_car properties property_account_payable_id property_account_position_id
        property_account_receivable_id property_delivery_carrier_id property_inbound_payment_method_line_id
        property_outbound_payment_method_line_id property_payment_method_id property_payment_term_id
        property_product_pricelist property_purchase_currency_id property_stock_customer
        property_stock_subcontractor property_stock_supplier property_supplier_payment_term_id purchase_warn
        purchase_warn_msg receipt_reminder_email ref reminder_date_before_receipt sale_warn sale_warn_msg
        section_id seo_name signup_expiration signup_token signup_type siret
        specific_property_product_pricelist state_id street street2 street_name street_number street_number2
        supplier supplier_rank team_id title trust type ubl_cii_format use_parent_address user_id vat
        vat_subjected website website_description website_id website_meta_description website_meta_keywords
        website_meta_og_img website_meta_title website_published website_short_description write_date
        write_uid zip`,
    },
    auth_oauth_provider: {
      table: 'auth_oauth_provider',
      has: 'id auth_endpoint validation_endpoint',
      by: 'oauth_provider_id',
      keep: 'name auth_endpoint',
      unused:
        'body client_id create_date create_uid css_class data_endpoint enabled scope sequence write_date write_uid',
      missing:
        'Without the table auth_oauth_provider, logins at other providers have numbers for names. Export it, too: pg_dump -t auth_oauth_provider DATABASE.',
    },
  },
  reads: 'oauth_uid',
  unused: `
    action_id alias_id barcode calendar_default_privacy context_lang context_tz create_uid
    display_employees_suggestions display_groups_suggestions ean13 google_calendar_account_id
    google_calendar_cal_id google_calendar_last_sync_date google_calendar_rtoken google_calendar_sync_token
    google_calendar_token google_calendar_token_validity google_synchronization_stopped
    helpdesk_target_closed helpdesk_target_rating helpdesk_target_success karma last_lunch_location_id
    livechat_username login_date manual_im_status menu_id microsoft_calendar_account_id
    microsoft_calendar_rtoken microsoft_calendar_sync_token microsoft_calendar_token
    microsoft_calendar_token_validity microsoft_last_sync_date microsoft_synchronization_stopped
    next_rank_id notification_type notify_email oauth_access_token odoobot_failed odoobot_state
    out_of_office_from out_of_office_message out_of_office_to pos_config pos_config_id pos_security_pin
    property_warehouse_id rank_id sale_team_id signature target_sales_done target_sales_invoiced
    target_sales_won totp_last_counter tour_enabled website_id write_date write_uid`,
  unusedTables: `
    account_move auth_passkey_key auth_totp_device auth_totp_rate_limit_log auth_totp_wizard
    base_module_install_request bus_presence calendar_attendee calendar_event change_password_user crm_lead
    crm_team crm_team_member digest_digest_res_users_rel discuss_channel_member event_event fetchmail_server
    fleet_vehicle gamification_badge_user gamification_goal gamification_karma_tracking hr_applicant
    hr_employee hr_expense hr_expense_sheet hr_job hr_leave im_livechat_channel_im_user ir_act_server
    ir_cron ir_default ir_embedded_actions ir_filters ir_mail_server ir_ui_view_custom lunch_order
    mail_activity mail_activity_plan_template mail_activity_type mail_alias mail_blacklist
    mail_blacklist_remove mail_canned_response mail_compose_message mail_gateway_allowed mail_guest
    mail_ice_server mail_mail mail_message mail_message_reaction mail_presence mail_push_device
    mail_resend_partner mail_scheduled_message mail_tracking_value maintenance_request mrp_production
    note_note portal_wizard_user pos_order pos_session privacy_log privacy_lookup_wizard project_project
    project_task_user_rel purchase_order res_bank res_company res_company_users_rel res_config_settings
    res_device_log res_groups_report_rel res_groups_users_rel res_users_apikeys
    res_users_apikeys_description res_users_deletion res_users_identitycheck res_users_log
    res_users_settings res_users_settings_volumes resource_resource sale_order slide_channel sms_composer
    snailmail_letter stock_picking utm_campaign web_tour_tour`,
});

// Redmine

/** Returns the addresses of a user, the default one first. */
function addressesOf({ record, joined }: Row): Address[] {
  const isDefault = (one: SourceRecord) => Number(flagOf(one.is_default) === true);
  const found = joined('addresses').toSorted((one, other) => isDefault(other) - isDefault(one));
  return found.length > 0 ? found.map(({ address }) => ({ email: address })) : [{ email: record.mail }];
}

/** Redmine from version 1.2 on, whose hashes have a salt. Schema: redmine/redmine: db/migrate (6.1) */
export const redmine = system('redmine', 'Redmine', {
  has: 'id login hashed_password status type auth_source_id',
  joins: {
    addresses: {
      has: 'user_id address is_default',
      keep: 'address is_default',
      unused: 'id notify created_on updated_on',
    },
  },
  unusedTables: `
      attachments auth_sources changesets comments groups_users imports journals member_roles members
      oauth_applications queries reactions repositories time_entries tokens user_preferences watchers webhooks`,
  // Before Redmine 3, the address is in the table of users.
  addresses: addressesOf,
  joined: 'created_on',
  // Users of LDAP may have an old hash, which Redmine does not verify.
  hash: ({ record: { auth_source_id, hashed_password: hash, salt } }) =>
    isSet(auth_source_id) ? undefined : digestHash({ algorithm: 'redmine', salt, hash }),
  metadata: 'username=login firstname lastname',
  states: {
    // The table of users also contains groups.
    type: byWord({
      ACTIVE: 'user',
      ANONYMOUS: 'anonymoususer',
      SERVICE_ACCOUNT: 'group groupbuiltin groupanonymous groupnonmember',
    }),
    // Principal::STATUS_ANONYMOUS, ACTIVE, REGISTERED (awaits activation) and LOCKED.
    status: { 0: 'DISABLED', 1: 'ACTIVE', 2: 'DISABLED', 3: 'DISABLED' },
  },
  // With Redmine's `database_cipher_key`, the TOTP secret is encrypted and cannot be kept.
  factors: 'twofa_scheme',
  totp: 'twofa_totp_key',
  roles: 'admin',
  drops: { 'forced password changes': 'must_change_passwd' },
  reads: 'salt mail',
  unused:
    'mail_notification last_login_on language updated_on identity_url passwd_changed_on twofa_totp_last_used_at twofa_required',
  stop: {
    text: 'Table email_addresses is missing, and no user has an address without it. Export both: mysqldump redmine users email_addresses > dump.sql.',
    when: ({ tables }) =>
      tables.some(({ columns }) => columns.has('hashed_password') && !columns.has('mail')) &&
      !tables.some(({ columns }) => columns.has('address') && columns.has('is_default')),
  },
});

// Zammad

/** Schema: zammad/zammad: db/migrate/20120101000001_create_base.rb and later migrations (6.5), lib/password_hash.rb */
export const zammad = system('zammad', 'Zammad', {
  table: 'users',
  has: 'id login firstname lastname email password active verified',
  joins: {
    authorizations: {
      table: 'authorizations',
      has: 'user_id provider uid',
      keep: 'provider userId=uid',
      unused: 'id token secret username created_at updated_at',
      missing: 'Without the table authorizations, nobody has a social login. Dump it, too.',
    },
    // GitLab may be a private server. The setting is YAML.
    settings: {
      table: 'settings',
      has: 'name state_current',
      on: ({ name }) => /^auth_(gitlab)_credentials$/.exec(textOf(name) ?? '')?.[1],
      keep: ({ state_current }) => ({
        site: /^\s+site: *['"]?([^'"\s]+)/m.exec(textOf(state_current) ?? '')?.[1],
      }),
      unused: '*',
      missing: lacksServers('settings'),
    },
    user_two_factor_preferences: {
      table: 'user_two_factor_preferences',
      has: 'user_id method configuration',
      are: 'factors',
      unused: 'id created_by_id updated_by_id created_at updated_at',
      missing: 'Dump users, authorizations and user_two_factor_preferences.',
    },
  },
  unusedTables: `
      active_job_locks activity_streams ai_analytics_usages ai_stored_results avatars chat_agents chat_sessions
      checklists cti_caller_ids cti_logs data_privacy_tasks email_addresses external_credentials groups_users
      karma_activities karma_users knowledge_base_answers link_requests macros_users mentions oauth_access_grants
      oauth_access_tokens online_notifications organizations_users overviews_users recent_closes recent_views
      roles_users sessions stats_stores taskbars ticket_articles ticket_shared_draft_starts ticket_shared_draft_zooms
      tickets tokens user_devices user_overview_sortings users_groups`,
  identities: ({ joined }) =>
    joined('authorizations').map(({ provider, userId }) => ({
      ...{ provider, userId },
      servers: joined('settings', textOf(provider) ?? '').map(({ site }) => site),
    })),
  verified: 'verified',
  joined: 'created_at',
  hash: 'password',
  families: 'argon2 zammad-sha2',
  metadata:
    'username=login first_name=firstname last_name=lastname web department street zip city country address',
  states: { active: 'active' },
  phone: 'mobile|phone',
  state: ({ record }) => (record.login === '-' ? 'SERVICE_ACCOUNT' : undefined),
  unused:
    'organization_id image image_source fax vip note last_login source login_failed out_of_office out_of_office_start_at ' +
    'out_of_office_end_at out_of_office_replacement_id preferences updated_by_id created_by_id updated_at',
});
