import { ON_CONFLICT } from '../../imports/import-request.ts';
import { CSV_WRITER_NAMES } from '../../sources/containers/csv/csv-writers.ts';
import { EXPORT_FORMATS } from '../../sources/containers/table.ts';
import { DISABLED, MFA, SHARED_ADDRESS, WITHOUT_PASSWORD } from '../../sources/source-user.ts';

/** Flags about the files of an export. Mapping files may contain them, too. */
const OF_EXPORTS = {
  'from SYSTEM': 'system that the files come from, if they do not show it',
  'mapping FILE':
    'answers to the questions about these files, as --save wrote them: JSON with the names of flags',
  'save FILE': 'write the answers that you gave into a file, for --mapping',
  'algorithm FAMILY': 'family of the hashes that do not show theirs: hex-md5 (docs/hash-formats.md)',
  'algorithm-of WORD=FAMILY,…':
    "families by the words in the column of --map algorithm=COLUMN: 'blowfish:10=bcrypt-md5,legacy=vbulletin'",
  'table NAME': 'table or file of the users, if several fit: users, public.users',
  'query SELECT': 'SELECT to read in place of the tables of a live database, or over the tables of the files',
  'map FIELD=COLUMN,…':
    'uses of columns: id=nr,email=mail,hash=pw,createdAt=since (also verified, algorithm, identity.google …)',
  'hash TEMPLATE':
    // biome-ignore lint/suspicious/noTemplateCurlyInString: `${…}` is the syntax of --hash
    "template that builds a hash from columns: '$pbkdf2-sha256$i=27500${pw_salt|hex}${pw|hex}'",
  'format KIND':
    'kind of the files, if their content does not show it: csv, json, sql, ldif, shadow, htpasswd … (docs/imports.md)',
  'json-path PATH': 'path of the users in a JSON file: a.b',
  'encoding NAME': 'encoding of files that are not UTF-8: latin1, windows-1252, utf-16le …',
  'csv WRITER':
    'program that wrote the CSV files, if they do not show it: rfc4180, tabs, excel, php … (docs/user-import.md#csv-files)',
  'columns NAMES':
    'names of the columns of CSV without a header: id,email,hash; or header, if the first row is one',
  'sql-dialect NAME':
    'system that wrote a SQL dump, if the dump does not show it: postgres, mysql, mysql-no-backslash, sqlite, mssql',
  'set KEY=VALUE':
    'facts that the files do not contain: emailDomain=example.com, provider.corp-saml=corp … (docs/imports.md)',
  'disabled WHAT':
    'for users that the old system has disabled: skip (default), keep (they stay disabled) or include (as if enabled)',
  'without-password WHAT':
    'for users with no login but an address: skip (default), keep (no password until a reset) or legacy (ask the old system)',
  'mfa WHAT':
    'for users with a second factor: password-only, skip, or keep (store TOTP devices, roles and phone numbers); none: nobody has one',
  'active RULE':
    "who may sign in: 'status=active,trial', 'status!=closed', 'deleted_at is null', 'banned_until < now', or everybody",
  'true WORD,…': 'words for yes in a table of your own: ja,oui; all others then mean no',
  'date-format FORMAT':
    'form of the times in a table of your own: DD.MM.YYYY HH:mm, ms, s, excel; several times if they have several',
  'keep NAME=COLUMN,…': 'columns that become metadata: plan,locale=lang',
  'ignore COLUMN,…': 'columns that have no use here and do not say who may sign in',
  'ignore-table TABLE,…': 'tables of a dump that refer to users and have no use here',
  'ignore-rest': 'all columns and tables that inspect lists as unused have no use here',
  'without-table TABLE,…':
    'tables that the old system does not have, although it could: those that inspect asks about',
  'shared-address WHO':
    'which of several users with the same address gets it: newest or oldest; without it, none of them',
  'expect-users N':
    'number of users that the files must have; any other number stops the import before anything is written',
  verified: 'treat addresses as verified if the system does not say',
  'hashing-secret-id ID':
    'id in hashing_secrets of the service of the secret with which the hashes were made',
} as const;

/** Flags about the service that a command calls. */
const OF_SERVICE = {
  'url URL': 'address of the service (default: USER_IMPORT_URL, or http://localhost:3567)',
  'api-key-file FILE': 'file that holds the API key (default: USER_IMPORT_API_KEY)',
} as const;

/** Flags of `import` alone. */
const OF_IMPORTS = {
  'accept-failures N':
    'with --yes: import although up to N rows fail (default: 20, or 5 % of the rows if that is more)',
  'on-conflict WHAT': 'for users that exist: update-unchanged (default), overwrite, skip or fail',
  'match HOW':
    'how a row finds an existing user: login (default), or external-id (the same id is the same user, also with another address)',
  'source NAME':
    'name of the system or installation that the files come from, if there are several of one kind; ids are matched within it',
  'trust-external-ids':
    'the same id is enough to find a user, although no address, login, hash or time of joining agrees (with --match external-id)',
  'delete-missing':
    'remove users of earlier imports of the source who are not in the files any more (with --match external-id)',
  'delete-at-most N': 'remove up to N missing users, however many that are of the export',
  new: 'begin a new import, even if these files were imported before',
  'import-id ID': 'id of the import: a new one, or one to resume',
} as const;

/** Flags of `convert --to`. */
const OF_TARGETS = {
  'to TARGET':
    'write what another system imports: kratos, keycloak, auth0 … (docs/export.md#to-another-system)',
  'out DIRECTORY': 'with --to: a new directory for the files',
  'first-sign-in WHO':
    'with --to: whose passwords this service verifies at the first sign-in there: unverifiable (there), or all',
  'waiting FILE':
    'with --first-sign-in: the lines of these users, to import here; of status: who waits to move to an identity provider',
  'federation-link ID':
    'with --first-sign-in and --to keycloak: id of the provider in Keycloak that asks this service',
  'signer-key-file FILE':
    "with --to: a file that holds the base64_signer_key of Firebase's hashes, which Kratos and Clerk need in every hash",
  'without-end':
    'with --to: the files are complete, although their last line does not state the number of users',
} as const;

const OF_OUTPUTS = {
  'report FILE': 'write the result of each row, one JSON object per line',
  'rejects FILE': 'write the rows that failed, with the reason, to correct and import (import FILE)',
  force: 'replace files that exist',
} as const;

/** All flags, each with the placeholder of its value if it takes one, and the text of the help. */
const HELP = {
  ...OF_EXPORTS,
  ...OF_SERVICE,
  ...OF_IMPORTS,
  ...OF_TARGETS,
  ...OF_OUTPUTS,
  rehearsal:
    'show which passwords that were right in the old system match here (docs/password-hooks.md#rehearsal)',
  'without-factors': 'leave out TOTP devices, roles and phone numbers',
  'dry-run': 'check everything with the service, and write nothing',
  yes: 'do not ask (import: and skip the dry run)',
  unlinked: 'make each login method a separate user, if the core does not link accounts',
  'undo ID': 'remove the users of this hand-over from the core who still wait there',
  'retry-for TIME': 'how long to retry without progress (10m)',
  'timeout TIME': 'how long the service may be silent (90s; export: 10m)',
  'email ADDRESS': 'whose password to try',
  'insecure-http': 'send that password to another machine without TLS',
  show: 'show addresses and hashes as they are',
  json: 'answer in JSON, on stdout',
  quiet: 'say nothing but errors',
  help: 'this text',
  version: 'the version of this tool',
} as const;

/** Permitted values, for flags that take only certain values. */
const CHOICES = {
  format: EXPORT_FORMATS,
  csv: CSV_WRITER_NAMES,
  'sql-dialect': ['postgres', 'mysql', 'mysql-no-backslash', 'sqlite', 'mssql'],
  disabled: DISABLED,
  'without-password': WITHOUT_PASSWORD,
  mfa: MFA,
  'shared-address': SHARED_ADDRESS,
  'on-conflict': ON_CONFLICT,
  match: ['login', 'external-id'],
  'first-sign-in': ['unverifiable', 'all'],
} as const;

/** Flags that may be given several times. */
const LISTS: readonly string[] = ['set', 'active', 'date-format'];

const SHORT: Readonly<Record<string, string>> = { yes: 'y', quiet: 'q', help: 'h' };

type NameOf<Head> = Head extends `${infer Name} ${string}` ? Name : Head;

export type FlagName = NameOf<keyof typeof HELP>;

/** Type of a flag's value: one of its choices, or any text. */
export type FlagText<Name extends FlagName> = Name extends keyof typeof CHOICES
  ? (typeof CHOICES)[Name][number]
  : string;

export interface Flag {
  name: FlagName;
  /** Placeholder of the value: N is a number, TIME a duration. A flag without placeholder takes no value. */
  value: string | undefined;
  help: string;
  choices: readonly string[] | undefined;
  isList: boolean;
  short: string | undefined;
}

const FLAGS = new Map(
  Object.entries(HELP).map(([head, help]): [string, Flag] => {
    const [name = '', value] = head.split(' ');
    const choices = (CHOICES as Readonly<Record<string, readonly string[]>>)[name];
    const more = { choices, isList: LISTS.includes(name), short: SHORT[name] };
    return [name, { name: name as FlagName, value, help, ...more }];
  }),
);

export const FLAG_NAMES = [...FLAGS.values()].map(({ name }) => name);

const namesOf = <Rows extends object>(rows: Rows) =>
  Object.keys(rows).map((head) => head.split(' ')[0] as NameOf<keyof Rows>);

export const SOURCE_FLAGS: readonly FlagName[] = namesOf(OF_EXPORTS);
export const SERVICE_FLAGS: readonly FlagName[] = namesOf(OF_SERVICE);
export const IMPORT_FLAGS: readonly FlagName[] = namesOf(OF_IMPORTS);
export const TARGET_FLAGS: readonly FlagName[] = namesOf(OF_TARGETS);
export const OUTPUT_FLAGS: readonly FlagName[] = namesOf(OF_OUTPUTS);

/** Returns undefined if there is no flag of this name. */
export const findFlag = (name: string): Flag | undefined => FLAGS.get(name);

export const flagOf = (name: FlagName): Flag => FLAGS.get(name) as Flag;
