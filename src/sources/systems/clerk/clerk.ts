import { stripControlAndSpace } from '../../../lib/text/strip-control-and-space.ts';
import type { SourceRecord, TableHead } from '../../containers/table.ts';
import { SIGNER_KEY } from '../../fields/signer-key.ts';
import { timeOf } from '../../fields/time.ts';
import { totpOfBase32 } from '../../fields/totp.ts';
import { metadataOf, severalOf, textOf } from '../../fields/values.ts';
import type { Advice, Form, ReadContext, Source } from '../../source.ts';
import type { SourceUser } from '../../source-user.ts';
import { apiUsers, isApiUsers, keptOf, readApiUser, readExtras } from './api-users.ts';
import { hashOf } from './digest.ts';

const idOf = (record: SourceRecord) => textOf(record.id);

const isCsv = ({ container, columns }: TableHead): boolean =>
  container === 'csv' &&
  columns.has('primary_email_address') &&
  (columns.has('password_digest') || columns.has('verified_email_addresses'));

/** CSV export from Clerk's dashboard. */
const csv: Form = {
  name: 'clerk-csv',
  isUsers: isCsv,
  details: {
    api: {
      fits: isApiUsers,
      keyOf: idOf,
      keep: keptOf,
      readAlone: readApiUser,
      isOfEveryUser: true,
      missing:
        'The CSV has no social accounts and does not say who is banned. Take the list of users of the backend API, too, and name both files: printf "Authorization: Bearer %s" "$CLERK_SECRET_KEY" | curl -H @- "https://api.clerk.com/v1/users?limit=500&offset=0" (again with offset=500, …)',
    },
  },
  keyOf: idOf,
  read,
  advice: ({ tables }) => adviceOn(tables.filter(isCsv)),
};

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const { settings, details, drop } = context;
  const id = idOf(record);
  const sentEmail = textOf(record.primary_email_address);
  const email = sentEmail && stripControlAndSpace(sentEmail);
  const verified = listIn(record.verified_email_addresses);
  const all = [email, ...verified, ...listIn(record.unverified_email_addresses)];
  const hasPhone = ['primary_phone_number', 'verified_phone_numbers', 'unverified_phone_numbers'].some(
    (name) => textOf(record[name]) !== undefined,
  );
  if (hasPhone && email !== undefined) drop('phone numbers', [record.primary_phone_number]);
  if (textOf(record.totp_secret) !== undefined) drop('mfa', totpOfBase32(record.totp_secret));
  const digest = textOf(record.password_digest);
  const [found] = id === undefined ? [] : details('api', id);
  const extras = found && readExtras(found, context);
  return {
    externalUserId: id,
    email,
    emails: severalOf(all.flatMap((address) => address ?? [])),
    isVerified: email !== undefined && verified.includes(email),
    timeJoinedMs: timeOf(record.created_at) ?? timeOf(found?.created_at),
    password:
      digest === undefined ? undefined : hashOf(digest, textOf(record.password_hasher) ?? '', settings),
    identities: extras?.identities,
    metadata: metadataOf({
      first_name: record.first_name,
      last_name: record.last_name,
      username: record.username,
      ...extras?.metadata,
    }),
    state: extras?.state,
    hasPhone,
  };
}

/** Clerk separates items in a cell by commas, in older files by bars. */
function listIn(cell: unknown): string[] {
  const text = textOf(cell);
  if (text === undefined) return [];
  return text.includes(',') || text.includes('|')
    ? text.split(/[,|]/).flatMap((one) => stripControlAndSpace(one) || [])
    : [stripControlAndSpace(text)];
}

function adviceOn(tables: readonly TableHead[]): Advice[] {
  const records = tables.flatMap(({ first }) => first);
  const hashers = new Set(
    records.flatMap((record) =>
      textOf(record.password_digest) ? (textOf(record.password_hasher) ?? []) : [],
    ),
  );
  return [
    ...(tables.length > 0 && tables.every(({ columns }) => !columns.has('password_digest'))
      ? [NO_DIGESTS]
      : []),
    ...(hashers.has('scrypt_firebase') ? [TAKE_SIGNER_KEY] : []),
    ...(hashers.has('bcrypt_peppered') ? [PEPPER] : []),
    ...(hashers.has('awscognito') ? [COGNITO] : []),
  ];
}

const NO_DIGESTS: Advice = {
  level: 'warn',
  text: 'There is no column password_digest, so nobody has a password. Export the users in the dashboard: Configure, Settings, User exports.',
};
const TAKE_SIGNER_KEY: Advice = {
  level: 'note',
  text: 'Some hashes come from Firebase. The service needs their signer key, which stands third in each of them, as external_password_hashing_signer_key or as one of hashing_secrets.',
};
const PEPPER: Advice = {
  level: 'warn',
  text: 'Some hashes were made with a pepper (bcrypt_peppered). They are refused until the pepper is one of hashing_secrets of the service, for bcrypt-pepper, and you add --set pepper=yes',
};
const COGNITO: Advice = {
  level: 'note',
  text: 'Some users came from Cognito and have not signed in since: awscognito is no hash. They need a new password.',
};

export const clerk: Source = {
  name: 'clerk',
  title: 'Clerk',
  forms: [csv, apiUsers],
  settings: {
    ...SIGNER_KEY,
    pepper:
      '`yes` if the service has the pepper of hashes with the hasher `bcrypt_peppered`, as a hashing secret for `bcrypt-pepper`',
  },
};
