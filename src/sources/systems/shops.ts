import type { JsonObject } from '../../lib/json/json-object.ts';
import {
  hashText,
  isGiven,
  saltedDigest,
  selfDescribingHash,
  unsupportedAlgorithm,
} from '../fields/hashes.ts';
import { realmsInColumn } from '../fields/realms.ts';
import { stateOf } from '../fields/states.ts';
import { baseName, isOfDatabase, mayBe } from '../fields/tables.ts';
import { bytesOf, flagOf, isSameAddress, isSet, objectOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { hasAll, hashOf, type Row, rolesIn, system, type Users, words } from './declare.ts';

// Magento

const MAGENTO_1 = /^(?:[0-9a-f]{32}|[0-9a-f]{64}):[^:]+$/;
/** Beginning of a Magento 2 hash, followed by version numbers. The digest may have any length. */
const MAGENTO_2 = /^[0-9a-f]{32,256}:[^:]*:/;
const FAMILIES = words('magento2 magento1 hex-md5 hex-sha256 bcrypt');

/** Whether the value is a Magento hash, and not another attribute of a customer. */
const looksLikeMagentoHash = (value: unknown): boolean =>
  typeof value === 'string' && (MAGENTO_1.test(value) || MAGENTO_2.test(value));

/**
 * Converts `hash:salt` of Magento 1 in the Enterprise Edition, which is SHA-256. Others are `hash:salt:version…` of Magento
 * 2, `hash:salt` of Magento 1, or a digest without a salt.
 */
function magentoPassword(value: unknown): SourcePassword | undefined {
  const encoded = hashText(value);
  if (encoded === undefined) return undefined;
  const [, digits, salt] = /^([0-9a-f]{64}):([^:]+)$/.exec(encoded) ?? [];
  return digits === undefined
    ? { encoded, families: FAMILIES }
    : saltedDigest({
        ...{ digest: 'sha256', order: 'sp', salt: bytesOf(salt, 'utf8'), hash: bytesOf(digits, 'hex') },
      });
}

const CUSTOMERS = {
  // Until a Magento customer has confirmed the address, the column contains the key to send back.
  verified: ({ record }) =>
    record.confirmation === undefined ? undefined : textOf(record.confirmation) === undefined,
  joined: 'created_at',
  hash: ({ record, joined }) =>
    magentoPassword(hashText(record.password_hash) ?? joined('attributes')[0]?.password_hash),
  metadata: 'firstname lastname website_id=website_id|_website',
  states: { is_active: 'active' },
  lockedUntil: 'lock_expires',
  reads: 'confirmation password_hash',
} as const satisfies Partial<Users>;

/** Tables of attributes, by the type of the value. */
const VALUES = words('varchar int datetime text decimal')
  .map((type) => `customer_entity_${type}`)
  .join(' ');
/**
 * Upper limit of `attribute_id` for Magento's own attributes of customers and addresses, which it installs first. More
 * than twenty of catalogues follow.
 */
const FIRST_ADDED = 45;

const MAGENTO_UNUSED = `group_id store_id updated_at created_in disable_auto_group_change prefix middlename suffix dob gender
  rp_token rp_token_created_at rp_customer_id default_billing default_shipping taxvat failures_num first_failure session_cutoff
  increment_id`;

/**
 * `website_id` names the website where a customer registered. All websites belong to one merchant, and may share their
 * customers (setting customer/account_share/scope), so several of them do not stop an import. Schema:
 * magento/magento2: app/code/Magento/Customer/etc/db_schema.xml (2.4); code:
 * lib/internal/Magento/Framework/Encryption/Encryptor.php
 */
export const magento = system('magento', 'Magento', [
  {
    ...CUSTOMERS,
    forms: { sql: 'magento-mysqldump', csv: 'magento-csv', json: 'magento-json' },
    table: 'customer_entity',
    isPrefixed: true,
    has: 'entity_id email website_id',
    joins: {
      // Magento 1 stores attributes of customers, and among them the hash, in separate tables. The number of an
      // attribute differs between shops, and only hashes have the form of digits, a colon and a salt. Attributes that a
      // shop or an extension adds, such as account_is_active, are columns like any other.
      attributes: {
        table: VALUES,
        has: 'entity_id attribute_id value',
        keep: ({ value }) => (looksLikeMagentoHash(value) ? { password_hash: value } : undefined),
        keys: { key: 'attribute_id', value: 'value', known: (number) => Number(number) < FIRST_ADDED },
        unused: 'value_id entity_type_id',
      },
      // Employees of companies, in Adobe Commerce.
      companies: {
        table: 'company_advanced_customer_entity',
        has: 'customer_id company_id status',
        keep: 'status',
        unused: 'job_title telephone',
      },
    },
    id: 'entity_id',
    realms: { ...realmsInColumn('websites', 'website_id'), areOneSet: true },
    state: ({ joined }) =>
      joined('companies').some(({ status }) => flagOf(status) !== true) ? 'DISABLED' : undefined,
    unused: `${MAGENTO_UNUSED} entity_type_id attribute_set_id`,
    note: {
      text: 'The table admin_user holds the staff, who are not imported.',
      when: ({ tables }) => tables.some((table) => baseName(table).endsWith('admin_user')),
    },
    warning: {
      text: 'The table customer_entity has no column password_hash. Magento 1 keeps the hashes in customer_entity_varchar: dump both, mysqldump … customer_entity customer_entity_varchar.',
      when: ({ has }) => !has('password_hash', 'attribute_id'),
    },
    unusedTables: `
      admin_passwords admin_user admin_user_expiration admin_user_session authorization_role catalog_*
      cataloginventory_* cms_* customer_address_entity customer_address_entity_* customer_grid_flat
      customer_group_excluded_website customer_log customer_visitor downloadable_* eav_* email_template gift_message
      googleoptimizer_code import_history importexport_importdata integration log_* login_as_customer* magento_bulk
      magento_login_as_customer_log media_content_asset newsletter_* oauth_consumer oauth_token
      oauth_token_request_log paypal_* persistent_session product_alert_* quote quote_* rating rating_* report_*
      reporting_* review review_* sales_* salesrule_* sendfriend_log sitemap tax_* tfa_user_config ui_bookmark
      url_rewrite vault_payment_token weee_tax widget widget_instance wishlist wishlist_*`,
  },
  {
    // File of Magento's System → Export → Customers Main File.
    ...CUSTOMERS,
    forms: { csv: 'magento-customers-csv' },
    has: 'email _website password_hash group_id',
    id: 'entity_id',
    realms: {
      title: 'websites',
      place: 'column _website',
      areOneSet: true,
      // A customer may have several rows. Only the first of them has the website.
      of: () => (record) => textOf(record._website),
    },
    unused: `${MAGENTO_UNUSED} _store password reward_update_notification reward_warning_notification _address_city _address_company
      _address_country_id _address_fax _address_firstname _address_lastname _address_middlename _address_postcode
      _address_prefix _address_region _address_street _address_suffix _address_telephone _address_vat_id
      _address_default_billing_ _address_default_shipping_`,
  },
]);

// Medusa

/** Kinds of people in Medusa. Customers sign in to the shop, and users to its administration. */
type Actor = 'customer' | 'user';

const STAFF = 'id email first_name avatar_url deleted_at';
const IDENTITIES = 'id app_metadata deleted_at';
/** Medusa's auth provider that stores passwords. */
const EMAILPASS = 'emailpass';
const MEDUSA_DUMP =
  "pg_dump --data-only -t customer -t '\"user\"' -t 'auth_*' -t provider_identity -t '*rbac_role' DATABASE > dump.sql";

/** Returns the ids of the identities with which a person signs in. */
const identitiesOf = ({ joined }: Row): string[] =>
  joined('identities').flatMap(({ id }) => textOf(id) ?? []);

const ofIdentities = (row: Row, name: string): JsonObject[] =>
  identitiesOf(row).flatMap((id) => row.joined(name, id));

/** Returns the hash in the metadata of a provider. Metadata that cannot be read count as a hash that cannot be read. */
const passwordIn = (metadata: unknown): unknown => {
  const read = objectOf(metadata);
  return read === undefined && isGiven(metadata) ? {} : read?.password;
};

const hashesOf = (row: Row) => ofIdentities(row, 'providers').filter(({ password }) => isGiven(password));

/** Returns the address of the login. The customer's own address may differ, because it can be changed separately. */
const emailOf = (row: Row) => textOf(hashesOf(row)[0]?.entity_id) ?? textOf(row.record.email);

function isVerified(row: Row): boolean | undefined {
  const email = emailOf(row) ?? '';
  const found = ofIdentities(row, 'verifications').find(({ entity_id }) =>
    isSameAddress(textOf(entity_id) ?? '', email),
  );
  return flagOf(found?.isVerified);
}

const MEDUSA_UNUSED = 'created_at updated_at';

const usersOf = (actor: Actor): Omit<Users, 'has'> => ({
  forms: { sql: `medusa-${actor}-sql`, csv: `medusa-${actor}-csv`, json: `medusa-${actor}-json` },
  table: actor,
  joins: {
    identities: {
      table: 'auth_identity',
      has: IDENTITIES,
      // An identity of Medusa may belong to both a customer and a user.
      on: ({ app_metadata }) => textOf(objectOf(app_metadata)?.[`${actor}_id`]),
      keep: ({ id, deleted_at }) => (isSet(deleted_at) ? undefined : { id }),
      unused: MEDUSA_UNUSED,
      missing: `The table auth_identity is missing, which says who has which login. Export it, too: ${MEDUSA_DUMP}`,
    },
    providers: {
      table: 'provider_identity',
      has: 'auth_identity_id entity_id provider provider_metadata',
      keep: ({ provider, entity_id, user_metadata, provider_metadata, deleted_at }) =>
        isSet(deleted_at)
          ? undefined
          : {
              provider,
              entity_id,
              email: textOf(objectOf(user_metadata)?.email),
              password: provider === EMAILPASS ? passwordIn(provider_metadata) : undefined,
            },
      reads: 'user_metadata deleted_at',
      unused: `id ${MEDUSA_UNUSED}`,
      missing: `The table provider_identity is missing. All hashes and social logins stand in it, so nobody can be imported without it. Export it, too: ${MEDUSA_DUMP}`,
    },
    auth_mfa_factor: {
      table: 'auth_mfa_factor',
      has: 'auth_identity_id provider status',
      keep: ({ status, deleted_at }) => (status === 'disabled' || isSet(deleted_at) ? undefined : {}),
      reads: 'deleted_at',
      unused: `id provider_metadata metadata ${MEDUSA_UNUSED}`,
      decides: 'factors',
      missing: `Medusa has it from 2.15 on. Export it, too: ${MEDUSA_DUMP}.`,
    },
    user_rbac_role: {
      table: 'user_rbac_role',
      has: 'user_id rbac_role_id',
      keep: ({ rbac_role_id, deleted_at }) => (isSet(deleted_at) ? undefined : { role_id: rbac_role_id }),
      reads: 'rbac_role_id deleted_at',
      unused: `id ${MEDUSA_UNUSED}`,
    },
    roles: {
      table: 'rbac_role',
      has: 'id name description',
      only: isOfDatabase,
      on: 'id',
      keep: 'name',
      unused: '*',
    },
    verifications: {
      table: 'auth_verification',
      has: 'auth_identity_id entity_id verified_at',
      keep: ({ entity_id, verified_at, deleted_at }) =>
        isSet(deleted_at) ? undefined : { entity_id, isVerified: isSet(verified_at) },
      reads: 'deleted_at',
      unused: `id entity_type code_provider requested_at provider_metadata metadata ${MEDUSA_UNUSED}`,
    },
  },
  unusedTables: `
    account_holder auth_mfa_recovery_code auth_password_reset_token cart cart_address cart_line_item customer
    customer_account_holder customer_address customer_group customer_group_customer index_sync invite
    layout_configuration notification order order_address order_cart order_line_item property_label
    store_credit_account user user_preference view_configuration`,
  email: emailOf,
  verified: isVerified,
  joined: 'created_at',
  hash: (row) => hashOf('scrypt-kdf', hashesOf(row)[0]?.password),
  identities: (row) =>
    ofIdentities(row, 'providers')
      .filter(({ provider, entity_id }) => provider !== EMAILPASS && textOf(entity_id) !== undefined)
      .map(({ provider, entity_id, email }) => ({ provider, userId: entity_id, email })),
  metadata: 'first_name last_name company_name metadata{}',
  states: { deleted_at: 'deleted' },
  phone: 'phone',
  factors: (row) => ofIdentities(row, 'auth_mfa_factor').length > 0,
  roles: (row) => rolesIn(row, { assigned: 'user_rbac_role', roles: 'roles' }),
  drops: { 'further hashes': (row) => hashesOf(row).length > 1 },
  reads: 'email has_account',
  unused: 'updated_at created_by avatar_url',
  note: {
    text: 'The table user holds the staff of the shop, who are not imported. To import them, and no customers: --set actor=user.',
    when: ({ tables, settings }) =>
      settings.actor === undefined &&
      tables.some((table) => baseName(table) === 'user' && hasAll(table, STAFF)),
  },
  stop: {
    text: ({ settings }) => `--set actor=${settings.actor}: there are customer and user.`,
    when: ({ settings: { actor } }) => actor !== undefined && actor !== 'customer' && actor !== 'user',
  },
});

/**
 * Medusa 2. Schema: medusajs/medusa: packages/modules/auth/src/models, packages/modules/customer/src/models,
 * packages/modules/user/src/models, packages/modules/providers/auth-emailpass
 */
export const medusa = system('medusa', 'Medusa', [
  {
    settings: { actor: 'user: the staff is imported, and not the customers' },
    ...usersOf('customer'),
    has: 'id email company_name has_account deleted_at',
    only: (_table, { actor }) => actor !== 'user',
    // A customer without an account has only ordered something, and may have signed up in another row with the same
    // address.
    state: ({ record }) => (flagOf(record.has_account) === true ? undefined : 'ANONYMOUS'),
  },
  {
    ...usersOf('user'),
    has: STAFF,
    // Many systems have a table `user` with names; the table of identities beside it shows that it is Medusa's staff.
    only: (_table, { actor }, around) =>
      actor === 'user' &&
      around?.tables.some((one) => mayBe(one, 'auth_identity') && hasAll(one, IDENTITIES)) === true,
  },
]);

// PrestaShop

const MD5 = /^[0-9a-f]{32}$/i;

/** Schema: PrestaShop/PrestaShop 9: install-dev/data/db_structure.sql, classes/Customer.php */
export const prestashop = system('prestashop', 'PrestaShop', {
  table: 'customer',
  isPrefixed: true,
  has: 'id_customer email passwd active deleted',
  unusedTables: `
      cart_rule contact customer_group customer_message customer_message_sync_imap customer_session customer_thread
      employee log mail store`,
  realms: { title: 'shops', column: 'id_shop' },
  id: 'id_customer',
  joined: 'date_add',
  // Before PrestaShop 1.7, hashes are MD5 of the shop's _COOKIE_KEY_ and the password.
  hash: ({ record }) =>
    MD5.test(textOf(record.passwd) ?? '')
      ? unsupportedAlgorithm(
          'this MD5 was made with the _COOKIE_KEY_ of the shop: the person needs a new password',
        )
      : selfDescribingHash(record.passwd),
  metadata: 'first_name=firstname last_name=lastname company website birthday',
  states: { active: 'active', deleted: 'deleted' },
  // Guests cannot sign in: they have a random password, and perhaps the address of a customer.
  state: (row) => {
    const guest = stateOf('is_guest', row.record.is_guest, 'disabled', row);
    return guest === 'DISABLED' ? 'NO_LOGIN_METHOD' : guest;
  },
  reads: 'is_guest firstname lastname',
  unused:
    'id_shop_group id_gender id_default_group id_lang id_risk siret ape last_passwd_gen newsletter ip_registration_newsletter ' +
    'newsletter_date_add optin outstanding_allow_amount show_public_prices max_payment_days secure_key note date_upd ' +
    'reset_password_token reset_password_validity',
});

// Vendure

const VENDURE_DUMP = `pg_dump -t '"user"' -t authentication_method -t customer -t user_roles_role -t role vendure > dump.sql`;
const NATIVE = 'NativeAuthenticationMethod';
/** Role of every customer, which is therefore no loss. */
const CUSTOMER_ROLE = '__customer_role__';

/** Without the table of roles, nobody can tell the role of all customers from others. */
function rolesOfVendure(row: Row): boolean | readonly unknown[] {
  const found = rolesIn(row, { assigned: 'user_roles_role', roles: 'roles' });
  return typeof found === 'object' && found.filter((name) => name !== CUSTOMER_ROLE);
}

/**
 * Customers and administrators. Sign-in finds users by `identifier`, except deleted ones. Guests have no password.
 * Schema: vendure-ecommerce/vendure: packages/core/src/entity/user, authentication-method and customer, 1 to 3;
 * sign-in: packages/core/src/service/services/auth.service.ts and user.service.ts
 */
export const vendure = system('vendure', 'Vendure', {
  table: 'user',
  isPrefixed: true,
  has: 'id identifier verified deletedAt',
  proof: 'lastLogin',
  joins: {
    methods: {
      table: 'authentication_method',
      has: 'userId type passwordHash externalIdentifier strategy',
      are: 'accounts',
      keep: ({ type, passwordHash, strategy: provider, externalIdentifier: userId }) =>
        type === NATIVE ? { passwordHash } : { provider, userId },
      unused:
        'id createdAt updatedAt identifier verificationToken passwordResetToken identifierChangeToken pendingIdentifier metadata',
      missing: `The table authentication_method is missing. All hashes and social logins stand in it, so nobody can be imported without it. Dump it, too: ${VENDURE_DUMP}`,
    },
    customers: {
      table: 'customer',
      has: 'userId emailAddress firstName lastName phoneNumber deletedAt',
      on: ({ userId, deletedAt }) => (isSet(deletedAt) ? undefined : textOf(userId)),
      keep: 'phoneNumber',
      metadata: 'title firstName lastName',
      unused: 'id createdAt updatedAt emailAddress customFields__fix_relational_custom_fields__',
      missing: `The table customer is missing, which has the names. Dump it, too: ${VENDURE_DUMP}`,
    },
    user_roles_role: {
      table: 'user_roles_role',
      has: 'userId roleId',
      on: 'userId',
      keep: 'role_id=roleId',
    },
    roles: { table: 'role', has: 'id code permissions', on: 'id', keep: 'name=code', unused: '*' },
  },
  unusedTables: `address administrator api_key customer_channels_channel customer_groups_customer_group history_entry order
      session tax_rate`,
  // The identifier of an administrator may be a name.
  email: ({ record: { identifier } }) => (textOf(identifier)?.includes('@') ? identifier : undefined),
  verified: 'verified',
  joined: 'createdAt',
  hash: ({ joined }) =>
    selfDescribingHash(joined('methods').find(({ provider }) => provider === undefined)?.passwordHash),
  states: { deletedAt: 'deleted' },
  phone: ({ joined }) => [joined('customers')[0]?.phoneNumber],
  roles: rolesOfVendure,
  unused: 'updatedAt customFields__fix_relational_custom_fields__',
});
