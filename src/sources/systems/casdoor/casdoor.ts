import type { SourceRecord } from '../../containers/table.ts';
import { textInBytes } from '../../fields/bytes.ts';
import { firstUsers } from '../../fields/first-users.ts';
import { REALM, realmsInColumn } from '../../fields/realms.ts';
import { formsOf, hasColumns, mayBePrefixed } from '../../fields/tables.ts';
import { timeOf } from '../../fields/time.ts';
import { totpOfBase32 } from '../../fields/totp.ts';
import { firstOf, flagOf, listOf, metadataOf, textOf } from '../../fields/values.ts';
import type { Advice, Detail, Form, ReadContext, Source } from '../../source.ts';
import type { SourcePassword, SourceUser, UserState } from '../../source-user.ts';
import { identitiesOf } from './identities.ts';
import { passwordOf } from './password.ts';

/** Columns in Casdoor's tables and in its JSON export. */
const PASSWORD_TYPE = ['password_type', 'passwordType'];
const PASSWORD_SALT = ['password_salt', 'passwordSalt'];
const DISABLE_SIGNIN = ['disable_signin', 'disableSignin'];
const IS_FORBIDDEN = ['is_forbidden', 'isForbidden'];
const IS_DELETED = ['is_deleted', 'isDeleted'];
/** Casdoor's columns that show a second factor: a text, a flag, or a list in JSON. */
const SECOND_FACTORS = [
  ['preferred_mfa_type', 'preferredMfaType'],
  ['totp_secret', 'totpSecret'],
  ['mfa_phone_enabled', 'mfaPhoneEnabled'],
  ['mfa_email_enabled', 'mfaEmailEnabled'],
  ['mfa_radius_enabled', 'mfaRadiusEnabled'],
  ['mfa_push_enabled', 'mfaPushEnabled'],
];
/** Guests of Casdoor have a random name and password, with which nobody must sign in after the import. */
const GUEST = 'guest-user';

const links: Detail = {
  fits: (table) =>
    hasColumns(table, 'owner', 'user_name', 'provider_name', 'provider_id') ||
    hasColumns(table, 'owner', 'userName', 'providerName', 'providerId'),
  keyOf: (record) => `${textOf(record.owner)}/${textOf(firstOf(record, ['user_name', 'userName']))}`,
  keep: (record) => ({
    provider: firstOf(record, ['provider_name', 'providerName']),
    id: firstOf(record, ['provider_id', 'providerId']),
  }),
};

const organizations: Detail = {
  fits: (table) =>
    hasColumns(table, 'name', 'password_type', 'password_salt', 'master_password') ||
    hasColumns(table, 'name', 'passwordType', 'passwordSalt', 'masterPassword'),
  keyOf: ({ name }) => textOf(name),
  keep: (record) => ({
    type: firstOf(record, PASSWORD_TYPE),
    salt: firstOf(record, PASSWORD_SALT),
    isClosed: firstOf(record, DISABLE_SIGNIN),
  }),
  missing:
    'The table organization is missing: it tells whether an organisation may sign in, and the password type and salt of users who have none of their own. Dump it, too: pg_dump -t user -t organization -t third_party_link.',
};

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const { drop } = context;
  const [owner, name] = [textOf(record.owner) ?? '', textOf(record.name) ?? ''];
  const organization = context.details('organizations', owner)[0] ?? {};
  const hasPhone = textOf(record.phone) !== undefined;
  if (hasPhone) drop('phone numbers', [record.phone]);
  if (listOf(record.groups).length > 0 || flagOf(firstOf(record, ['is_admin', 'isAdmin'])) === true)
    drop('roles');
  if (hasSecondFactor(record)) drop('mfa', totpOfBase32(firstOf(record, ['totp_secret', 'totpSecret'])));
  return {
    // User ids of Casdoor are empty in rows that an old version made.
    externalUserId: textOf(record.id) ?? `${owner}/${name}`,
    email: textOf(record.email),
    isVerified: flagOf(firstOf(record, ['email_verified', 'emailVerified'])),
    timeJoinedMs: timeOf(firstOf(record, ['created_time', 'createdTime'])),
    password: passwordIn(record, organization),
    identities: identitiesOf(record, `${owner}/${name}`, context),
    metadata: metadataOf({
      owner,
      name,
      displayName: firstOf(record, ['display_name', 'displayName']),
      firstName: firstOf(record, ['first_name', 'firstName']),
      lastName: firstOf(record, ['last_name', 'lastName']),
      avatar: record.avatar,
      affiliation: record.affiliation,
      title: record.title,
      homepage: record.homepage,
      bio: record.bio,
      tag: record.tag,
      language: record.language,
    }),
    state: stateOf(record, organization),
    hasPhone,
  };
}

/** Casdoor users of an LDAP directory sign in there, and not with the stored password. */
function passwordIn(record: SourceRecord, organization: SourceRecord): SourcePassword | undefined {
  const encoded = textOf(record.password);
  if (encoded === undefined || textOf(record.ldap) !== undefined) return undefined;
  return passwordOf({
    encoded,
    type: textOf(firstOf(record, PASSWORD_TYPE)) ?? textOf(organization.type),
    salt: textOf(firstOf(record, PASSWORD_SALT)) ?? textOf(organization.salt),
  });
}

function hasSecondFactor(record: SourceRecord): boolean {
  if (listOf(textInBytes(record.webauthnCredentials) ?? record.webauthnCredentials).length > 0) return true;
  return SECOND_FACTORS.some((names) => {
    const value = firstOf(record, names);
    return flagOf(value) ?? textOf(value) !== undefined;
  });
}

/**
 * Columns of later versions of Casdoor are null in older rows. A value that is neither yes nor no counts as
 * set, so that the user cannot sign in.
 */
const isOff = (value: unknown) => value === undefined || value === null || flagOf(value) === false;

function stateOf(record: SourceRecord, organization: SourceRecord): UserState | undefined {
  if (flagOf(firstOf(record, IS_DELETED)) === true) return 'DELETED';
  if (record.tag === GUEST) return 'ANONYMOUS';
  const mayEnter =
    isOff(firstOf(record, IS_DELETED)) &&
    isOff(firstOf(record, IS_FORBIDDEN)) &&
    isOff(organization.isClosed);
  return mayEnter ? undefined : 'DISABLED';
}

const JOINED: Pick<Form, 'details' | 'keyOf' | 'realms'> = {
  details: { organizations, links },
  keyOf: (record) => `${textOf(record.owner)}/${textOf(record.name)}`,
  realms: realmsInColumn('organisations', 'owner'),
};

const tables = formsOf(
  { sql: 'casdoor-tables', csv: 'casdoor-csv', json: 'casdoor-json' },
  {
    isUsers: (table) =>
      mayBePrefixed(table, 'user') &&
      hasColumns(table, 'owner', 'name', 'password_type', 'is_forbidden', 'signup_application'),
    ...JOINED,
    read,
  },
);

/** Output of `casdoor -export`, and users from the API, which have no hashes. */
const exported: Form = {
  name: 'casdoor-export',
  hasPages: true,
  isUsers: (table) =>
    table.container === 'json' &&
    hasColumns(table, 'owner', 'name', 'passwordType', 'isForbidden', 'signupApplication'),
  ...JOINED,
  read,
  advice: (seen) => (firstUsers(exported, seen).hasProblem('HASH_REDACTED') ? [REDACTED] : []),
};

const REDACTED: Advice = {
  level: 'warn',
  text: 'The API of Casdoor hides all hashes. Export them on the server: ./casdoor -export -exportPath users.json, or dump the tables: pg_dump -t user -t organization -t third_party_link casdoor',
};

export const casdoor: Source = {
  name: 'casdoor',
  title: 'Casdoor',
  settings: REALM,
  forms: [...tables, exported],
};
