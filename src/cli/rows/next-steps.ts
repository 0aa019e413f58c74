import type { ImportOptions } from '../options/import-options.ts';
import type { VerdictCounts } from './verdict-counts.ts';

/** Next step for the operator, by the reason why rows were not imported. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  DISABLED:
    'whoever is not imported can sign up with the address, or sign in with a social login. To prevent it, import these users as disabled: --disabled keep; or as if they were enabled: --disabled include',
  NO_LOGIN_METHOD:
    'to import users without a password, who can then set one by a reset, add --without-password keep; if the service may ask the old system (legacy_signin_url), --without-password legacy',
  SSO_USER: 'set up their provider, then add --set provider.NAME=ID',
  EXTERNAL_ID_REPEATED:
    'several rows have the same id, so that none of them is imported. If the files are of two systems or tables with ids of their own, import each by itself, with --set idPrefix=TEXT; otherwise remove the wrong rows from the export',
  OTHER_PERSON:
    'the service has users with these ids, but another address, login, hash and time of joining: if the files are of another system, add --source NAME. If you are sure that the rows are about the same people, import the file of --rejects with --trust-external-ids',
  DETAIL_MISSING:
    'a page of the export may be missing: name all files of it, or export again. Without the records, nobody knows who of these users may sign in',
  DETAIL_REPEATED:
    'a joined table has several records of these users that differ. Two exports of it may be mixed: leave the older one out',
  ADDRESS_SHARED:
    'several users have the same address, and none or several of them have confirmed it, so that nobody gets it. Correct the export, or let the time of joining decide: --shared-address newest or oldest',
  DUPLICATE_EMAIL:
    'another row has the address, by a better claim or by --shared-address. If it is the wrong one (--report FILE names both), correct the export',
  EMAIL_INVALID: 'correct the address in the file of --rejects, and import that file',
  EMULATOR_EXPORT: 'export the project itself, not its emulator',
  STATE_UNKNOWN: "say which words mean that a user may sign in: --active 'COLUMN=WORD,WORD'",
  HASH_ALGORITHM_UNKNOWN: 'describe how the hashes were made: --from generic with --hash',
  HASH_ALGORITHM_UNSUPPORTED: 'see the messages in --report FILE; otherwise these users need a new password',
  HASH_ENCRYPTED:
    'ask the old system for hashes that are not encrypted; otherwise these users need a new password',
  HASH_REDACTED: 'export again with an account that may read the hashes',
  PASSWORD_HASH_INVALID:
    'see the messages in --report FILE: hashes may be cut off, or their algorithm must be named (--algorithm FAMILY)',
  COLUMNS_MISSING: 'correct these rows in the export: usually a separator lacks quotes',
  JSON_INVALID: 'correct these objects in the export',
  LDIF_INVALID: 'correct these entries in the export',
  RECORD_TOO_LONG: 'look for a missing quote or bracket before these rows',
  SQL_INVALID: 'correct these rows in the dump, or dump the table again',
  EMAIL_ALREADY_EXISTS:
    'the service has users with these addresses. Choose another --on-conflict to change them, or leave them as they are',
  THIRD_PARTY_USER_ALREADY_EXISTS:
    'the service has users with these logins. Choose another --on-conflict to change them, or leave them as they are',
  LINE_CHANGED: 'the files have changed since this import began. Import them as a new import: --new',
  LINE_TOO_LONG:
    'shorten the metadata of these users in the file of --rejects, and import that file; or raise bulk_import_max_line_bytes of the service',
  LOGIN_METHODS_DIVIDED:
    'of the password and the social logins of such a user, some belong to a user of the service, and others to nobody or to somebody else. Decide who the user is: remove that user from the service, or the logins from the file of --rejects, and import that file',
  TOO_MANY_DEFERRED: 'import the same files again as a new import: --new',
  FACTORS_SECRET_MISSING:
    'configure factors_secret of the service, which encrypts second factors, roles and phone numbers, and import again with --new; or import without them: --mfa password-only',
  FIELD_INVALID:
    'correct what the messages in --report FILE name, in the file of --rejects, and import that file',
  HANDED_OVER: 'the SuperTokens core behind the service has these users already: change or remove them there',
  HASHING_SECRET_MISSING:
    'add the secret to hashing_secrets of the service, name it with --hashing-secret-id ID, and import again with --new',
  HASHING_ALGORITHM_UNSUPPORTED: 'name an algorithm of docs/hash-formats.md: --algorithm FAMILY',
  SIGNER_KEY_NOT_CONFIGURED:
    'start the service with base64_signer_key of the project as EXTERNAL_PASSWORD_HASHING_SIGNER_KEY, and import again with --new',
  PASSWORD_HASH_COST:
    'raise the setting of the service that the messages in --report FILE name, and import again with --new',
};

/** Next step for codes of the service that are rare, and that docs/errors.md lists. */
const RARE = 'see the messages in --report FILE, and docs/errors.md';

const OF_OTHERS =
  'the ids belong to other users of the service, or these users have other ids there. If two systems use the same ids, add --set idPrefix=TEXT';

/**
 * Returns the next step if an id belongs to another user. `--on-conflict skip` is suggested only if it was not given:
 * it does not help against ids of other users.
 */
const idStep = (onConflict: ImportOptions['onConflict']): string =>
  onConflict === 'skip'
    ? OF_OTHERS
    : `${OF_OTHERS}; to leave users of an earlier system as they are, add --on-conflict skip`;

const BY_ID =
  'if these files are a newer export of users whom an earlier import of this system brought, find them by their ids: --match external-id; otherwise ';

/** Next steps by setting, for systems with settings that turn user names into e-mail addresses. */
const ADDRESSES_OF_NAMES = {
  usernameIsEmail: 'if the user names are addresses, add --set usernameIsEmail=yes',
  emailDomain: 'to put a domain behind the user names, add --set emailDomain=example.com',
};

const GIVE_ADDRESSES =
  'people sign in here by address: give these users one in the old system, and export again';

/** Lists failures first, then skipped rows that the operator can do something about. */
export function nextSteps(
  verdicts: VerdictCounts,
  { settings = {} }: { readonly settings?: Readonly<Record<string, string>> },
  { onConflict, matchBy }: Pick<ImportOptions, 'onConflict' | 'matchBy'>,
): string[] {
  const byId = matchBy === undefined ? BY_ID : '';
  const ofNames = Object.entries(ADDRESSES_OF_NAMES).filter(([name]) => Object.hasOwn(settings, name));
  const steps: Readonly<Record<string, string>> = {
    ...NEXT_STEPS,
    NO_EMAIL: ofNames.map(([, step]) => step).join('; ') || GIVE_ADDRESSES,
    EXTERNAL_ID_ALREADY_EXISTS: byId + idStep(onConflict),
    LOGIN_METHODS_DIVIDED: byId + NEXT_STEPS.LOGIN_METHODS_DIVIDED,
  };
  return [
    ...verdicts.reasonsOf('conflict', 'error').map(([reason]) => [reason, steps[reason] ?? RARE]),
    ...verdicts.reasonsOf('skip').map(([reason]) => [reason, steps[reason]]),
  ].flatMap(([reason, step]) => (step === undefined ? [] : `  ${reason}: ${step}.`));
}
