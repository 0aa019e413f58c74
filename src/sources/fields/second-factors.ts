import type { SourceRecord, TableHead } from '../containers/table.ts';
import type { Detail } from '../source.ts';
import { textInBytes } from './bytes.ts';
import { bareName, oncePerName } from './column-names.ts';
import { baseName } from './tables.ts';
import { totpOfRecord } from './totp.ts';
import { flagOf, jsonOrText, textOf } from './values.ts';

/** Columns with second factors. Codes sent by mail or SMS do not count: `otp`, `otp_expires_at`. */
const FACTOR =
  'mfa|2fa|twofa|twofactor|twofactorauth(?:entication)?|tfa|twostep|multifactor|secondfactor|totp|hotp|webauthn|passkeys?|authenticator(?:app)?|u2f|fido2?|yubikey|google2fa|googleauth(?:enticator)?|backupcodes?|recoverycodes?|scratchcodes?|securitykeys?';
const SAYS =
  'enabled|isenabled|enabledat|on|active|isactive|activated|activatedat|required|requiredforlogin|secret|secretkey|sharedkey|key|seed|types?|methods?|providers?|confirmed|confirmedat|verified|verifiedat|status|config|settings|setup|options|devices?|factors?|credentials?|credentialid|keys|registrations|recoverycodes?|backupcodes?|info|authenticators?|data';
const FACTOR_COLUMN = new RegExp(
  `^(?:is|has|use|uses|user|userhas|require|requires|active|default|preferred|enable|enabled)?(?:(?:${FACTOR})(?:${SAYS})?|otp(?:enabled|required|requiredforlogin|secret|secretkey|key|seed|activated|backupcodes|devices?)|(?:multi|two)factorauths?)$`,
);

const NEW_PASSWORD = '(?:password|passwd|pwd|pass)';
const CHANGE = '(?:change|reset|update|renew|renewal)';
const DEMANDS = '(?:forced?|must|should|needs?|requires?|required)(?:to)?';
const NEXT = '(?:(?:at|on)?(?:next|first)(?:login|logon|signin))';
const CHANGE_COLUMN = new RegExp(
  `^(?:is|user|has)?(?:${[
    `${DEMANDS}${CHANGE}${NEW_PASSWORD}${NEXT}?`,
    `${DEMANDS}${NEW_PASSWORD}${CHANGE}${NEXT}?`,
    `${NEW_PASSWORD}${CHANGE}(?:required|needed|forced|requested|pending)`,
    `${NEW_PASSWORD}(?:mustchange|mustbechanged|isexpired|expired|needs${CHANGE})`,
    `${CHANGE}${NEW_PASSWORD}(?:required|${NEXT})`,
    'pwdreset',
  ].join('|')})$`,
);

/** What the former system demanded at sign-in beside the password. */
export type Demand = 'mfa' | 'forced password changes';

/** The demand that a column is about. Whether it applies to a user depends on the value: `isDemanded`. */
export const demandOf = oncePerName((name): Demand | undefined => {
  const plain = bareName(name);
  if (FACTOR_COLUMN.test(plain)) return 'mfa';
  return CHANGE_COLUMN.test(plain) ? 'forced password changes' : undefined;
});

const NOTHING = new Set([
  'none',
  'null',
  'off',
  'disabled',
  'inactive',
  'unset',
  'optional',
  'never',
  'a:0:{}',
  'n;',
  '0000-00-00 00:00:00',
]);

/** Whether a value says that a demand applies. `false`, `0`, `none`, `[]` and empty values do not. */
export function isDemanded(value: unknown): boolean {
  if (value === undefined || value === null || flagOf(value) === false) return false;
  const read = jsonOrText(textInBytes(value) ?? value);
  if (Array.isArray(read)) return read.some(isDemanded);
  if (typeof read === 'object' && read !== null && textOf(read) === undefined)
    return Object.values(read).some(isDemanded);
  return !NOTHING.has(
    String(textOf(read) ?? read)
      .trim()
      .toLowerCase(),
  );
}

const USER_ID = [
  'user_id',
  'userId',
  'UserId',
  'userID',
  'user',
  'uid',
  'users_id',
  'user_uuid',
  'identity_id',
  'account_id',
  'accountId',
  'member_id',
];

const FACTOR_TABLE =
  /(?:^|_)(?:mfa|2fa|two_?factors?(?:_?auth(?:entications?)?)?|second_?factors?|multi_?factors?|totps?|hotps?|otp_(?:totp|hotp|static|webauthn|email|twilio|devices?|secrets?)\w*|\w*totp_?devices?|\w*static_?devices?|webauthn\w*|passkeys?|authenticators?|fido2?|u2f|security_?keys?|recovery_?codes?|backup_?codes?|scratch_?codes?)s?(?:_|$)/;
/** Tables of sign-ins in progress and of sessions, which hold no enrolled second factors. */
const PASSING = /challenge|attempt|session|amr|claim|logs?(?:_|$)|event|flow|ticket|request|token|throttle/;

/** Columns that show a table of second factors in a file that does not name its tables. */
const FACTOR_COLUMNS: readonly (readonly string[])[] = [
  ['factor_type', 'status'],
  ['secret', 'backupCodes'],
  ['secret', 'backup_codes'],
  ['credentialID', 'counter'],
  ['credential_id', 'public_key'],
  ['credentialID', 'publicKey'],
  // Tables of django-allauth, django-otp and Discourse.
  ['type', 'data', 'last_used_at'],
  ['name', 'confirmed', 'throttling_failure_count'],
  ['method', 'data', 'enabled'],
];

function isFactorTable(table: TableHead): boolean {
  if (!USER_ID.some((name) => table.columns.has(name))) return false;
  const name = snakeCased(
    table.name.includes('.') && table.container !== 'sql' ? table.name : baseName(table),
  );
  if (FACTOR_TABLE.test(name)) return !PASSING.test(name);
  return FACTOR_COLUMNS.some((names) => names.every((column) => table.columns.has(column)));
}

const snakeCased = (name: string) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '_');

/** Second factors whose set-up is not finished are not asked for at sign-in. */
const isFinished = ({ status, confirmed, enabled, verified }: SourceRecord) =>
  status !== 'unverified' && [confirmed, enabled, verified].every((flag) => flagOf(flag) !== false);

/** Name of the detail that joins tables of second factors of any system to users, to count them. */
export const SECOND_FACTORS = 'second factors';
export const secondFactors: Detail = {
  fits: isFactorTable,
  known: 'all',
  keyOf: (record) => {
    for (const name of USER_ID) {
      const id = textOf(record[name]);
      if (id !== undefined) return id;
    }
    return undefined;
  },
  keep: (record) => (isFinished(record) ? { totp: totpOfRecord(record) } : undefined),
};
