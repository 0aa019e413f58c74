import type { SourceRecord, TableHead } from '../containers/table.ts';
import type { Detail } from '../source.ts';
import { baseName, oncePerName, snakeCased } from './tables.ts';
import { totpOfRecord } from './totp.ts';
import { flagOf, jsonOrText, textInBytes, textOf } from './values.ts';

/** Names of tables and columns of second factors. Codes sent by mail or SMS do not count: `otp`, `otp_expires_at`. */
const FACTOR =
  /(?:^|_)(?:mfa|tfa|u2f|fido2?|[th]otp|otp_?(?:enabled|required|secret|key|seed|activated|backup|devices?))|2_?fa|(?:two|multi|second)_?(?:factor|step)|webauthn|passkey|authenticator|yubikey|(?:backup|recovery|scratch|security)_?(?:codes?|keys?)/;

/** Whether the name of a column suggests second factors. Used for columns that the system's declaration lacks. */
export const mayShowFactor = oncePerName((name) => FACTOR.test(wordsOf(name)));

const NOTHING = new Set([
  ...'none null off disabled inactive unset optional never a:0:{} n;'.split(' '),
  '0000-00-00 00:00:00',
]);

/** Whether a value says that there is a second factor. `false`, `0`, `none`, `[]` and empty values do not. */
export function isDemanded(value: unknown): boolean {
  if (value === undefined || value === null || flagOf(value) === false) return false;
  const read = jsonOrText(textInBytes(value) ?? value);
  if (Array.isArray(read)) return read.some(isDemanded);
  if (typeof read === 'object' && read !== null && textOf(read) === undefined)
    return Object.values(read).some(isDemanded);
  const word = String(textOf(read) ?? read).trim();
  return !NOTHING.has(word.toLowerCase());
}

const USER_ID = [
  ...['user_id', 'userId', 'UserId', 'userID', 'user', 'uid', 'users_id', 'user_uuid'],
  ...['identity_id', 'account_id', 'accountId', 'member_id'],
];

/** Tables of django-otp. */
const OTP_TABLE = /(?:^|_)otp_(?:static|email|twilio)|static_?devices?/;
/** Names of tables of sessions, sign-ins in progress and logs, which have no enrolled second factors. */
const PASSING = /challenge|attempt|session|amr|claim|logs?(?:_|$)|event|flow|ticket|request|token|throttle/;

/** Columns by which a table of second factors is recognised, whatever its name. */
const FACTOR_COLUMNS = [
  ...['factor_type status', 'secret backupCodes', 'secret backup_codes'],
  ...['credentialID counter', 'credential_id public_key', 'credentialID publicKey'],
  // Tables of django-allauth, django-otp and Discourse.
  ...['type data last_used_at', 'name confirmed throttling_failure_count', 'method data enabled'],
].map((names) => names.split(' '));

function isFactorTable(table: TableHead): boolean {
  if (!USER_ID.some((name) => table.columns.has(name))) return false;
  const isPath = table.name.includes('.') && table.container !== 'sql';
  const name = wordsOf(isPath ? table.name : baseName(table));
  if (FACTOR.test(name) || OTP_TABLE.test(name)) return !PASSING.test(name);
  return FACTOR_COLUMNS.some((names) => names.every((column) => table.columns.has(column)));
}

const wordsOf = (name: string) => snakeCased(name).replace(/[^a-z\d]+/g, '_');

/** Whether the set-up of a second factor is finished. Otherwise, the old system does not ask for it at sign-in. */
const isFinished = ({ status, confirmed, enabled, verified }: SourceRecord) =>
  status !== 'unverified' && [confirmed, enabled, verified].every((flag) => flagOf(flag) !== false);

/** Name of the detail that joins tables of second factors of any system to users, to count them. */
export const SECOND_FACTORS = 'second factors';
export const secondFactors: Detail = {
  fits: isFactorTable,
  known: 'all',
  keyOf: (record) => USER_ID.map((name) => textOf(record[name])).find((id) => id !== undefined),
  keep: (record) => (isFinished(record) ? { totp: totpOfRecord(record) } : undefined),
};
