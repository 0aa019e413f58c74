import type { TableHead } from '../containers/table.ts';
import { fbscryptHash, SIGNER_KEY, selfDescribingHash, TAKE_SIGNER_KEY } from '../fields/hashes.ts';
import { mayBe } from '../fields/tables.ts';
import { listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Address, hasAll, type Identity, type Join, type Row, system, words } from './declare.ts';

/** Columns of every table. */
const COMMON = 'id created_at updated_at tenant_id';
const WHOLE = 'Dump the whole database: pg_dump hanko';

const joins: Readonly<Record<string, Join>> = {
  passwords: {
    table: 'password_credentials',
    has: 'user_id password',
    keep: 'password',
    unused: COMMON,
    missing: `The table password_credentials is missing: it has all password hashes. ${WHOLE}`,
  },
  emails: {
    table: 'emails',
    has: 'id user_id address verified',
    keep: 'id address verified',
    unused: COMMON,
    missing: `The table emails is missing: it has all addresses. ${WHOLE}`,
  },
  // Before Hanko 2.2, an identity referred to an e-mail address instead of a user.
  identities: {
    table: 'identities',
    has: 'provider_id provider_user_id',
    on: 'user_id|email_id',
    keep: ({ id, provider_id, provider_user_id, data }) => {
      // The JSON of an identity may contain tokens of the provider, so only known members are read.
      const { email, email_verified } = objectOf(data) ?? {};
      return { id, provider: provider_id, userId: provider_user_id, email, email_verified };
    },
    reads: 'data',
    unused: COMMON,
    missing: `The table identities is missing: without it social logins are lost. ${WHOLE}`,
  },
  primaryEmails: {
    table: 'primary_emails',
    has: 'email_id user_id',
    keep: 'id=email_id',
    unused: COMMON,
    missing: `The table primary_emails is missing: of users with several addresses, it is not known which one signs in. ${WHOLE}`,
  },
  samlIdentities: {
    table: 'saml_identities',
    has: 'identity_id',
    on: 'identity_id',
    unused: `${COMMON} domain`,
  },
  usernames: {
    table: 'usernames',
    has: 'user_id username',
    metadata: 'username',
    unused: COMMON,
  },
  secondFactors: {
    are: 'factors',
    table: 'otp_secrets webauthn_credentials',
    has: 'user_id secret|public_key',
    unused: `${COMMON} last_validated_step attestation_type aaguid sign_count name backup_eligible backup_state last_used_at
      mfa_only user_handle_id`,
    decides: 'factors',
    missing: WHOLE,
  },
  metadata: {
    table: 'user_metadata',
    has: 'user_id public_metadata',
    metadata: 'public_metadata{} private_metadata{} unsafe_metadata{}',
    unused: COMMON,
  },
};

function passwordOf(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  return isOfFirebase(encoded) ? fbscryptHash(encoded ?? '') : selfDescribingHash(encoded);
}

const isOfFirebase = (encoded: unknown) => textOf(encoded)?.startsWith('$fbscrypt$') === true;

function addressesOf({ joined }: Row): Address[] {
  const primary = joined('primaryEmails')[0]?.id;
  return joined('emails').map(({ id, address, verified }) => ({
    ...{ email: address, isVerified: verified, isPrimary: id === primary },
  }));
}

function identitiesOf({ record, joined }: Row): Identity[] {
  const keys = [record, ...joined('emails')].flatMap(({ id }) => textOf(id) ?? []);
  return keys
    .flatMap((key) => joined('identities', key))
    .map(({ id, provider, userId, email, email_verified: isVerified }) => ({
      provider,
      userId,
      email,
      isVerified,
      isSso: joined('samlIdentities', textOf(id) ?? '').length > 0,
    }));
}

const COLUMNS = new Set(words(`${COMMON} name family_name given_name picture`));

const MEMBERS = new Set(
  words('user_id emails username webauthn_credentials password otp_secret created_at updated_at'),
);

/** Files of `hanko user export` and `hanko user import`. The export contains only addresses, and no hashes. */
const isExport = ({ columns, first }: TableHead) =>
  [...columns].every((name) => MEMBERS.has(name)) &&
  first.every(({ emails }) =>
    objectsOf(emails).every((one) => 'is_primary' in one && 'is_verified' in one),
  ) &&
  first.some(({ emails }) => listOf(emails).length > 0);

const exportedAddressesOf = ({ record }: Row): Address[] =>
  objectsOf(record.emails).map(({ address, is_primary, is_verified }) => ({
    ...{ email: address, isVerified: is_verified, isPrimary: is_primary === true },
  }));

/** Schema: teamhanko/hanko@f742d496: backend/persistence/migrations and models, backend/cmd/user/format.go */
export const hanko = system('hanko', 'Hanko', [
  {
    settings: SIGNER_KEY,
    forms: { sql: 'hanko-tables', csv: 'hanko-tables', json: 'hanko-tables' },
    table: 'users',
    has: 'id created_at updated_at',
    // Hanko's table of users has neither passwords nor addresses, which are in other tables.
    hasNot: 'email password',
    // The name `users` alone does not show that the table belongs to Hanko, and other files name no table.
    only: (table, _settings, around) =>
      (table.container === 'sql' || [...table.columns].every((name) => COLUMNS.has(name))) &&
      (around?.isNamed === true ||
        hasAll(table, 'tenant_id family_name given_name picture') ||
        around?.tables.some(
          (one) =>
            mayBe(one, 'primary_emails') &&
            hasAll(one, 'email_id user_id') &&
            !one.columns.has('provider_id'),
        ) === true),
    joins,
    unusedTables:
      'audit_logs passcodes passlinks saml_providers sessions tokens trusted_devices webauthn_credential_user_handles webauthn_session_data',
    // Before version 3, Hanko had only one tenant and no column for it.
    realms: { title: 'tenants', column: 'tenant_id' },
    id: 'id',
    addresses: addressesOf,
    joined: 'created_at',
    hash: ({ joined }) => passwordOf(joined('passwords')[0]?.password),
    identities: identitiesOf,
    metadata: 'name given_name family_name picture',
    note: {
      text: TAKE_SIGNER_KEY,
      when: ({ records }) => records.some(({ password }) => isOfFirebase(password)),
    },
  },
  {
    forms: { json: 'hanko-export' },
    hasPages: true,
    has: 'emails',
    only: isExport,
    id: 'user_id',
    addresses: exportedAddressesOf,
    joined: 'created_at',
    hash: ({ record }) => passwordOf(objectOf(record.password)?.password),
    metadata: 'username',
    factors: ({ record }) =>
      listOf(record.webauthn_credentials).length > 0 || objectOf(record.otp_secret) !== undefined,
    reads: 'password webauthn_credentials otp_secret',
    unused: 'updated_at',
    warning: {
      text: 'The export of Hanko has neither hashes nor social logins. Dump its database instead: pg_dump hanko > dump.sql',
      when: ({ tables }) =>
        !tables.some(({ first }) => first.some(({ password }) => textOf(objectOf(password)?.password))),
    },
  },
]);
