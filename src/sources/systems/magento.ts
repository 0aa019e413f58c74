import type { SourceRecord, TableHead } from '../containers/table.ts';
import { looksLikeMagentoHash, magentoPassword } from '../fields/magento-password.ts';
import { stateOfFlag } from '../fields/read-state.ts';
import { REALM, realmsInColumn } from '../fields/realms.ts';
import { baseName, formsOf, hasAnyColumn, hasColumns, mayBePrefixed } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { metadataOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, ReadContext, Source } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** Magento 1 stores attributes of customers, and among them the hash, in separate tables. */
const attributes: Detail = {
  fits: (table) =>
    mayBePrefixed(table, 'customer_entity_varchar') &&
    hasColumns(table, 'entity_id', 'attribute_id', 'value'),
  keyOf: (record) => textOf(record.entity_id),
  // The number of an attribute differs between Magento shops. Only hashes have the form of digits, a
  // colon and a salt.
  keep: ({ value }) => (looksLikeMagentoHash(value) ? { password_hash: value } : undefined),
};

const isCustomers = (table: TableHead) =>
  mayBePrefixed(table, 'customer_entity') && hasColumns(table, 'entity_id', 'email', 'website_id');

/**
 * Code: magento/magento2:lib/internal/Magento/Framework/Encryption/Encryptor.php. `website_id` names the
 * website where a customer registered. All websites belong to one merchant, and may share their customers
 * (setting customer/account_share/scope), so several of them do not stop an import.
 */
export const magento: Source = {
  name: 'magento',
  title: 'Magento',
  settings: REALM,
  forms: [
    ...formsOf(
      { sql: 'magento-mysqldump', csv: 'magento-csv', json: 'magento-json' },
      {
        isUsers: isCustomers,
        details: { attributes },
        keyOf: (record) => textOf(record.entity_id),
        realms: { ...realmsInColumn('websites', 'website_id'), areOneSet: true },
        read,
        advice: ({ tables }) => adviceOf(tables),
      },
    ),
    {
      // File of Magento's System → Export → Customers Main File.
      name: 'magento-customers-csv',
      isUsers: (table) =>
        table.container === 'csv' && hasColumns(table, 'email', '_website', 'password_hash', 'group_id'),
      realms: {
        title: 'websites',
        place: 'column _website',
        areOneSet: true,
        // A customer may have several rows. Only the first one names the website.
        of: () => (record) => textOf(record._website),
      },
      read,
    },
  ],
};

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const id = textOf(record.entity_id);
  const locked = timeOf(record.lock_expires);
  if (locked !== undefined && locked > context.nowMs) context.drop('temporary locks');
  const hash =
    textOf(record.password_hash) ??
    (id === undefined ? undefined : context.details('attributes', id)[0]?.password_hash);
  return {
    externalUserId: id,
    email: textOf(record.email),
    // Until a Magento customer has confirmed the address, the column contains the key to send back.
    isVerified: record.confirmation === undefined ? undefined : textOf(record.confirmation) === undefined,
    timeJoinedMs: timeOf(record.created_at),
    password: magentoPassword(hash),
    metadata: metadataOf({
      firstname: record.firstname,
      lastname: record.lastname,
      website_id: textOf(record.website_id ?? record._website),
    }),
    state: stateOfFlag('is_active', record.is_active, false, context.settings),
  };
}

function adviceOf(tables: readonly TableHead[]): Advice[] {
  const advice: Advice[] = [];
  const hasHashes = tables.some(
    (table) => (isCustomers(table) && hasAnyColumn(table, 'password_hash')) || attributes.fits(table),
  );
  if (!hasHashes)
    advice.push({
      level: 'warn',
      text: 'The table customer_entity has no column password_hash. Magento 1 keeps the hashes in customer_entity_varchar: dump both, mysqldump … customer_entity customer_entity_varchar.',
    });
  if (tables.some((table) => baseName(table).endsWith('admin_user')))
    advice.push({ level: 'note', text: 'The table admin_user holds the staff, who are not imported.' });
  return advice;
}
