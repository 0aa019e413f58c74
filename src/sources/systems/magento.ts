import { looksLikeMagentoHash, magentoPassword } from '../fields/magento-password.ts';
import { REALM, realmsInColumn } from '../fields/realms.ts';
import { baseName } from '../fields/tables.ts';
import { flagOf, textOf } from '../fields/values.ts';
import { system, type Users, words } from './declare.ts';

const CUSTOMERS = {
  email: 'email',
  // Until a Magento customer has confirmed the address, the column contains the key to send back.
  verified: ({ record }) =>
    record.confirmation === undefined ? undefined : textOf(record.confirmation) === undefined,
  joined: 'created_at',
  hash: ({ record, joined }) =>
    magentoPassword(textOf(record.password_hash) ?? joined('attributes')[0]?.password_hash),
  metadata: 'firstname lastname website_id=website_id|_website',
  states: { is_active: 'active' },
  lockedUntil: 'lock_expires',
  reads: 'confirmation password_hash',
} as const satisfies Partial<Users>;

/** Tables of attributes, by the type of the value. */
const VALUES = words('varchar int datetime text decimal')
  .map((type) => `customer_entity_${type}`)
  .join(' ');
/** Magento installs attributes of customers and addresses first, and then more than twenty of catalogues. */
const FIRST_ADDED = 45;

const UNUSED = `group_id store_id updated_at created_in disable_auto_group_change prefix middlename suffix dob gender
  rp_token rp_token_created_at rp_customer_id default_billing default_shipping taxvat failures_num first_failure session_cutoff
  increment_id`;

/**
 * `website_id` names the website where a customer registered. All websites belong to one merchant, and may share their
 * customers (setting customer/account_share/scope), so several of them do not stop an import. Schema:
 * magento/magento2: app/code/Magento/Customer/etc/db_schema.xml (2.4); code:
 * lib/internal/Magento/Framework/Encryption/Encryptor.php
 */
export const magento = system(
  { name: 'magento', title: 'Magento', settings: REALM },
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
        on: 'entity_id',
        keep: ({ value }) => (looksLikeMagentoHash(value) ? { password_hash: value } : undefined),
        keys: { key: 'attribute_id', value: 'value', known: (number) => Number(number) < FIRST_ADDED },
        unused: 'value_id entity_type_id',
      },
      // Employees of companies, in Adobe Commerce.
      companies: {
        table: 'company_advanced_customer_entity',
        has: 'customer_id company_id status',
        on: 'customer_id',
        keep: 'status',
        unused: 'job_title telephone',
      },
    },
    id: 'entity_id',
    realms: { ...realmsInColumn('websites', 'website_id'), areOneSet: true },
    state: ({ joined }) =>
      joined('companies').some(({ status }) => flagOf(status) !== true) ? 'DISABLED' : undefined,
    unused: `${UNUSED} entity_type_id attribute_set_id`,
    advice: ({ tables }) => [
      ...(tables.some(({ columns }) => columns.has('password_hash') || columns.has('attribute_id'))
        ? []
        : [
            {
              level: 'warn',
              text: 'The table customer_entity has no column password_hash. Magento 1 keeps the hashes in customer_entity_varchar: dump both, mysqldump … customer_entity customer_entity_varchar.',
            } as const,
          ]),
      ...(tables.some((table) => baseName(table).endsWith('admin_user'))
        ? [{ level: 'note', text: 'The table admin_user holds the staff, who are not imported.' } as const]
        : []),
    ],
    unusedTables: `admin_passwords admin_user admin_user_session authorization_role catalog_* cataloginventory_* cms_*
      customer_address_entity customer_address_entity_* customer_grid_flat customer_log customer_visitor downloadable_* eav_*
      log_* newsletter_* oauth_token persistent_session product_alert_* quote quote_* rating_* report_* review_* sales_*
      salesrule_* sendfriend_log tax_* tfa_user_config ui_bookmark vault_payment_token wishlist wishlist_*`,
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
      // A customer may have several rows. Only the first one names the website.
      of: () => (record) => textOf(record._website),
    },
    unused: `${UNUSED} _store password reward_update_notification reward_warning_notification _address_city _address_company
      _address_country_id _address_fax _address_firstname _address_lastname _address_middlename _address_postcode
      _address_prefix _address_region _address_street _address_suffix _address_telephone _address_vat_id
      _address_default_billing_ _address_default_shipping_`,
  },
);
