import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { fbscryptHash, TAKE_SIGNER_KEY } from '../fields/fbscrypt.ts';
import { REALM, realmsInColumn } from '../fields/realms.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { SIGNER_KEY } from '../fields/signer-key.ts';
import { hasColumns, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, listOf, metadataOf, objectOf, objectsOf, severalOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, Form, ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../source-user.ts';

const byUser = ({ user_id }: SourceRecord) => textOf(user_id);
const passwords: Detail = {
  fits: (table) => mayBe(table, 'password_credentials') && hasColumns(table, 'user_id', 'password'),
  keyOf: byUser,
  keep: ({ password }) => ({ password }),
  missing:
    'The table password_credentials is missing: it has all password hashes. Dump the whole database: pg_dump hanko',
};

const emails: Detail = {
  fits: (table) => mayBe(table, 'emails') && hasColumns(table, 'id', 'user_id', 'address', 'verified'),
  keyOf: byUser,
  keep: ({ id, address, verified }) => ({ id, address, verified }),
  missing: 'The table emails is missing: it has all addresses. Dump the whole database: pg_dump hanko',
};

const primaryEmails: Detail = {
  fits: (table) =>
    mayBe(table, 'primary_emails') &&
    hasColumns(table, 'email_id', 'user_id') &&
    !table.columns.has('provider_id'),
  keyOf: byUser,
  keep: ({ email_id }) => ({ id: email_id }),
  missing:
    'The table primary_emails is missing: of users with several addresses, it is not known which one signs in. Dump the whole database: pg_dump hanko',
};

/** Before Hanko 2.2, an identity referred to an e-mail address instead of a user. */
const identities: Detail = {
  fits: (table) => mayBe(table, 'identities') && hasColumns(table, 'provider_id', 'provider_user_id'),
  keyOf: ({ user_id, email_id }) => textOf(user_id) ?? textOf(email_id),
  keep: ({ id, provider_id, provider_user_id, data }) => {
    // The JSON of a Hanko identity may contain tokens of the provider, so only known members are
    // read.
    const { email, email_verified } = objectOf(data) ?? {};
    return { id, provider: provider_id, userId: provider_user_id, email, email_verified };
  },
  missing:
    'The table identities is missing: without it social logins are lost. Dump the whole database: pg_dump hanko',
};

const samlIdentities: Detail = {
  fits: (table) => mayBe(table, 'saml_identities') && hasColumns(table, 'identity_id'),
  keyOf: ({ identity_id }) => textOf(identity_id),
  keep: () => ({}),
};

const usernames: Detail = {
  fits: (table) => mayBe(table, 'usernames') && hasColumns(table, 'user_id', 'username'),
  keyOf: byUser,
  keep: ({ username }) => ({ username }),
};

const secondFactors: Detail = {
  fits: (table) =>
    (mayBe(table, 'otp_secrets') && hasColumns(table, 'user_id', 'secret')) ||
    (mayBe(table, 'webauthn_credentials') && hasColumns(table, 'user_id', 'public_key')),
  keyOf: byUser,
  keep: () => ({}),
};

const metadata: Detail = {
  fits: (table) => mayBe(table, 'user_metadata') && hasColumns(table, 'user_id', 'public_metadata'),
  keyOf: byUser,
  keep: ({ public_metadata, private_metadata, unsafe_metadata }) => ({
    public_metadata,
    private_metadata,
    unsafe_metadata,
  }),
};

const DETAILS = {
  passwords,
  emails,
  primaryEmails,
  identities,
  samlIdentities,
  usernames,
  secondFactors,
  metadata,
};

/** Hanko's table of users has neither passwords nor addresses, which are in other tables. */
const isUsers = (table: TableHead): boolean =>
  mayBe(table, 'users') &&
  hasColumns(table, 'id', 'created_at', 'updated_at') &&
  (table.container === 'sql'
    ? !table.columns.has('email')
    : [...table.columns].every((name) => COLUMNS_OF_USERS.has(name)));

const COLUMNS_OF_USERS = new Set([
  'id',
  'created_at',
  'updated_at',
  'tenant_id',
  'family_name',
  'given_name',
  'name',
  'picture',
]);

const tables: Form = {
  name: 'hanko-tables',
  // The name `users` alone does not show that the table belongs to Hanko.
  isUsers: (table, _settings, around) =>
    isUsers(table) &&
    (around?.isNamed === true ||
      around?.tables.some(primaryEmails.fits) === true ||
      hasColumns(table, 'tenant_id', 'family_name', 'given_name', 'picture')),
  details: DETAILS,
  keyOf: ({ id }) => textOf(id),
  // Before version 3, Hanko had only one tenant and no column for it.
  realms: realmsInColumn('tenants', 'tenant_id'),
  read(record, context) {
    const id = textOf(record.id) ?? '';
    const found = (name: keyof typeof DETAILS) => context.details(name, id);
    if (found('secondFactors').length > 0) context.drop('mfa');
    const addresses = found('emails');
    const primary = found('primaryEmails')[0]?.id;
    const email = addresses.find((one) => one.id === primary) ?? addresses[0];
    const [own] = found('metadata');
    return {
      externalUserId: textOf(record.id),
      email: textOf(email?.address),
      emails: severalOf(addresses.flatMap(({ address }) => textOf(address) ?? [])),
      isVerified: flagOf(email?.verified),
      timeJoinedMs: timeOf(record.created_at),
      password: passwordOf(found('passwords')[0]?.password),
      identities: [id, ...addresses.flatMap((one) => textOf(one.id) ?? [])].flatMap((key) =>
        context.details('identities', key).flatMap((one) => identityOf(one, context)),
      ),
      metadata: metadataOf({
        username: found('usernames')[0]?.username,
        name: record.name,
        given_name: record.given_name,
        family_name: record.family_name,
        picture: record.picture,
        public_metadata: objectOf(own?.public_metadata),
        private_metadata: objectOf(own?.private_metadata),
        unsafe_metadata: objectOf(own?.unsafe_metadata),
      }),
    };
  },
  advice: ({ tables: seen }) =>
    seen.some((table) => passwords.fits(table) && table.first.some(isOfFirebase)) ? [TAKE_SIGNER_KEY] : [],
};

const isOfFirebase = ({ password }: SourceRecord) => textOf(password)?.startsWith('$fbscrypt$') === true;

function passwordOf(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  return encoded?.startsWith('$fbscrypt$') === true ? fbscryptHash(encoded) : selfDescribingHash(encoded);
}

function identityOf(kept: JsonObject, { details, drop }: ReadContext): SourceIdentity[] {
  const [provider, userId] = [textOf(kept.provider), textOf(kept.userId)];
  if (provider === undefined || userId === undefined) {
    drop('identities without an id');
    return [];
  }
  const isSso = details('samlIdentities', textOf(kept.id) ?? '').length > 0;
  return [{ provider, userId, email: textOf(kept.email), isVerified: flagOf(kept.email_verified), isSso }];
}

/** Files of `hanko user export` and `hanko user import`. The export contains only addresses, and no hashes. */
const exported: Form = {
  name: 'hanko-export',
  hasPages: true,
  isUsers: ({ container, columns, first }) =>
    container === 'json' &&
    columns.has('emails') &&
    [...columns].every((name) => MEMBERS.has(name)) &&
    first.every(({ emails: some }) =>
      objectsOf(some).every((one) => 'is_primary' in one && 'is_verified' in one),
    ) &&
    first.some(({ emails: some }) => listOf(some).length > 0),
  read: readExported,
  advice: ({ tables: seen }) =>
    seen.some(
      ({ columns, first }) => columns.has('emails') && first.some(({ password }) => isPassword(password)),
    )
      ? []
      : [NO_HASHES],
};

const MEMBERS = new Set([
  'user_id',
  'emails',
  'username',
  'webauthn_credentials',
  'password',
  'otp_secret',
  'created_at',
  'updated_at',
]);

const isPassword = (value: unknown) => textOf(objectOf(value)?.password) !== undefined;

function readExported(record: SourceRecord, { drop }: ReadContext): SourceUser {
  const addresses = objectsOf(record.emails);
  const email = addresses.find(({ is_primary }) => is_primary === true) ?? addresses[0];
  if (listOf(record.webauthn_credentials).length > 0 || objectOf(record.otp_secret) !== undefined)
    drop('mfa');
  return {
    externalUserId: textOf(record.user_id),
    email: textOf(email?.address),
    emails: severalOf(addresses.flatMap(({ address }) => textOf(address) ?? [])),
    isVerified: flagOf(email?.is_verified),
    timeJoinedMs: timeOf(record.created_at),
    password: passwordOf(objectOf(record.password)?.password),
    metadata: metadataOf({ username: record.username }),
  };
}

const NO_HASHES: Advice = {
  level: 'warn',
  text: 'The export of Hanko has neither hashes nor social logins. Dump its database instead: pg_dump hanko > dump.sql',
};

/** Schema: teamhanko/hanko@f742d496:backend/persistence/models, backend/cmd/user/format.go */
export const hanko: Source = {
  name: 'hanko',
  title: 'Hanko',
  settings: { ...SIGNER_KEY, ...REALM },
  forms: [tables, exported],
};
