import { ON_CONFLICT } from '../../imports/import-request.ts';
import { CSV_WRITER_NAMES } from '../../sources/containers/csv/csv-writers.ts';
import { EXPORT_FORMATS, type SqlDialect } from '../../sources/containers/table.ts';
import { DISABLED, MFA, SHARED_ADDRESS, WITHOUT_PASSWORD } from '../../sources/source-user.ts';

interface Flag {
  /** Placeholder for the flag's value in the help. A flag without placeholder takes no value. TIME is a duration. */
  value?: string;
  /** The only values that the flag takes. */
  choices?: readonly string[];
  isNumber?: true;
  /** The flag may be given several times. */
  isList?: true;
  short?: string;
  help: string;
}

const SQL_DIALECTS = [
  'postgres',
  'mysql',
  'mysql-no-backslash',
  'sqlite',
  'mssql',
] as const satisfies readonly SqlDialect[];

/** Flags about exports, which mapping files may have. */
const OF_EXPORTS = {
  from: { value: 'SYSTEM', help: 'system that the files come from, if they do not show it' },
  mapping: {
    value: 'FILE',
    help: 'answers to the questions about these files, as --save wrote them: JSON with the names of flags',
  },
  save: { value: 'FILE', help: 'write the answers that you gave into a file, for --mapping' },
  algorithm: {
    value: 'FAMILY',
    help: 'family of the hashes that do not show theirs: hex-md5 (docs/hash-formats.md)',
  },
  'algorithm-of': {
    value: 'WORD=FAMILY,…',
    help: "families by the words in the column of --map algorithm=COLUMN: 'blowfish:10=bcrypt-md5,legacy=vbulletin'",
  },
  table: { value: 'NAME', help: 'table or file of the users, if several fit: users, public.users' },
  query: {
    value: 'SELECT',
    help: 'SELECT to read in place of the tables of a live database, or over the tables of the files',
  },
  map: {
    value: 'FIELD=COLUMN,…',
    help: 'uses of columns: id=nr,email=mail,hash=pw,createdAt=since (also verified, algorithm, identity.google …)',
  },
  hash: {
    value: 'TEMPLATE',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: `${…}` is the syntax of --hash
    help: "template that builds a hash from columns: '$pbkdf2-sha256$i=27500${pw_salt|hex}${pw|hex}'",
  },
  format: {
    value: 'KIND',
    choices: EXPORT_FORMATS,
    help: 'kind of the files, if their content does not show it: csv, json, sql, ldif, shadow, htpasswd … (docs/imports.md)',
  },
  'json-path': { value: 'PATH', help: 'path of the users in a JSON file: a.b' },
  encoding: { value: 'NAME', help: 'encoding of files that are not UTF-8: latin1, windows-1252, utf-16le …' },
  csv: {
    value: 'WRITER',
    choices: CSV_WRITER_NAMES,
    help: 'program that wrote the CSV files, if they do not show it: rfc4180, tabs, excel, php … (docs/user-import.md#csv-files)',
  },
  columns: {
    value: 'NAMES',
    help: 'names of the columns of CSV without a header: id,email,hash; or header, if the first row is one',
  },
  'sql-dialect': {
    value: 'NAME',
    choices: SQL_DIALECTS,
    help: 'system that wrote a SQL dump, if the dump does not show it: postgres, mysql, mysql-no-backslash, sqlite, mssql',
  },
  set: {
    value: 'KEY=VALUE',
    isList: true,
    help: 'facts that the files do not contain: emailDomain=example.com, provider.corp-saml=corp … (docs/imports.md)',
  },
  disabled: {
    value: 'WHAT',
    choices: DISABLED,
    help: 'for users that the old system has disabled: skip (default), keep (they stay disabled) or include (as if enabled)',
  },
  'without-password': {
    value: 'WHAT',
    choices: WITHOUT_PASSWORD,
    help: 'for users with no login but an address: skip (default), keep (no password until a reset) or legacy (ask the old system)',
  },
  mfa: {
    value: 'WHAT',
    choices: MFA,
    help: 'for users with a second factor: password-only, skip, or keep (store TOTP devices, roles and phone numbers); none: nobody has one',
  },
  active: {
    value: 'RULE',
    isList: true,
    help: "who may sign in: 'status=active,trial', 'deleted_at is null', 'banned_until < now', or everybody",
  },
  true: { value: 'WORD,…', help: 'words for yes in a table of your own: ja,oui; all others then mean no' },
  'date-format': {
    value: 'FORMAT',
    help: 'form of the times in a table of your own: DD.MM.YYYY HH:mm, ms, s, excel',
  },
  keep: {
    value: 'NAME=COLUMN,…',
    help: 'columns that become metadata: plan,locale=lang',
  },
  ignore: { value: 'COLUMN,…', help: 'columns that have no use here and do not say who may sign in' },
  'ignore-table': { value: 'TABLE,…', help: 'tables of a dump that refer to users and have no use here' },
  'ignore-rest': { help: 'all columns and tables that inspect lists as unused have no use here' },
  'without-table': {
    value: 'TABLE,…',
    help: 'tables that the old system does not have, although it could: those that inspect asks about',
  },
  'shared-address': {
    value: 'WHO',
    choices: SHARED_ADDRESS,
    help: 'which of several users with the same address gets it: newest or oldest; without it, none of them',
  },
  'expect-users': {
    value: 'N',
    isNumber: true,
    help: 'number of users that the files must have; any other number stops the import before anything is written',
  },
  verified: { help: 'treat addresses as verified if the system does not say' },
  'hashing-secret-id': {
    value: 'ID',
    help: 'id in hashing_secrets of the service of the secret with which the hashes were made',
  },
} as const satisfies Record<string, Flag>;

export const FLAGS = {
  ...OF_EXPORTS,
  url: {
    value: 'URL',
    help: 'address of the service (default: USER_IMPORT_URL, or http://localhost:3567); import takes several, for parts in turn',
  },
  'api-key-file': { value: 'FILE', help: 'file that holds the API key (default: USER_IMPORT_API_KEY)' },
  'on-conflict': {
    value: 'WHAT',
    choices: ON_CONFLICT,
    help: 'for users that exist: update-unchanged (default), overwrite, skip or fail',
  },
  match: {
    value: 'HOW',
    choices: ['login', 'external-id'],
    help: 'how a row finds an existing user: login (default), or external-id (the same id is the same user, also with another address)',
  },
  source: {
    value: 'NAME',
    help: 'name of the system or installation that the files come from, if there are several of one kind; ids are matched within it',
  },
  'trust-external-ids': {
    help: 'the same id is enough to find a user, although no address, login, hash or time of joining agrees (with --match external-id)',
  },
  'delete-missing': {
    help: 'remove users of earlier imports of the source who are not in the files any more (with --match external-id)',
  },
  'delete-at-most': {
    value: 'N',
    isNumber: true,
    help: 'remove up to N missing users, however many that are of the export',
  },
  to: {
    value: 'TARGET',
    help: 'write what another system imports: kratos, keycloak, auth0, firebase or clerk (docs/export.md#to-another-system)',
  },
  out: { value: 'DIRECTORY', help: 'with --to: a new directory for the files' },
  'signer-key-file': {
    value: 'FILE',
    help: "with --to: a file that holds the base64_signer_key of Firebase's hashes, which Kratos and Clerk need in every hash",
  },
  'without-end': {
    help: 'with --to: the files are complete, although their last line does not state the number of users',
  },
  force: { help: 'replace the file if it exists' },
  gzip: { help: 'compress the file' },
  'without-factors': { help: 'leave out TOTP devices, roles and phone numbers' },
  'dry-run': { help: 'check everything with the service, and write nothing' },
  yes: { short: 'y', help: 'do not ask (import: and skip the dry run)' },
  'accept-failures': {
    value: 'N',
    isNumber: true,
    help: 'with --yes: import although up to N rows fail (default: 20, or 5 % of the rows if that is more)',
  },
  report: { value: 'FILE', help: 'write the result of each row, one JSON object per line' },
  rejects: {
    value: 'FILE',
    help: 'write the rows that failed, with the reason, to correct and import (import FILE)',
  },
  new: { help: 'begin a new import, even if these files were imported before' },
  'import-id': { value: 'ID', help: 'id of the import: a new one, or one to resume' },
  unlinked: { help: 'make each login method a separate user, if the core does not link accounts' },
  undo: { value: 'ID', help: 'remove the users of this hand-over from the core who still wait there' },
  parallel: {
    value: 'N',
    isNumber: true,
    help: 'send N parts at once, for a service of several instances: up to 64; the same N when it is run again',
  },
  'retry-for': { value: 'TIME', help: 'how long to retry without progress (10m)' },
  timeout: { value: 'TIME', help: 'how long the service may be silent (90s; export: 10m)' },
  email: { value: 'ADDRESS', help: 'whose password to try' },
  'insecure-http': { help: 'send that password to another machine without TLS' },
  code: { value: 'CODE', help: 'only failures with this code' },
  limit: { value: 'N', isNumber: true, help: 'maximum number of results' },
  show: { help: 'show addresses and hashes as they are' },
  json: { help: 'answer in JSON, on stdout' },
  quiet: { short: 'q', help: 'say nothing but errors' },
  help: { short: 'h', help: 'this text' },
  version: { help: 'the version of this tool' },
} as const satisfies Record<string, Flag>;

export type FlagName = keyof typeof FLAGS;

/** The text that a flag takes: one of its choices, or any. */
export type FlagText<Name extends FlagName> = (typeof FLAGS)[Name] extends {
  choices: readonly (infer Choice)[];
}
  ? Choice
  : string;

export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];

export const SOURCE_FLAGS = Object.keys(OF_EXPORTS) as (keyof typeof OF_EXPORTS)[];

/** Returns the definition of a flag, typed as `Flag` so that its optional members can be read. */
export const flagOf = (name: FlagName): Flag => FLAGS[name];

/** Flags of earlier versions, with what replaces them. */
export const FORMER_FLAGS: Readonly<Record<string, string>> = {
  'include-disabled': '--disabled include',
  'csv-header':
    'name the columns of a file without a header: --columns id,email,hash; or say --columns header',
  'csv-escape': 'name the program that wrote the file: --csv php, --csv backslash …',
  'csv-quote': 'name the program that wrote the file: --csv sqlite-quote, --csv mysql-batch …',
  'csv-delimiter': 'name the program that wrote the file: --csv semicolons, --csv tabs …',
  'csv-null': 'name the program that wrote the file: --csv psql, --csv excel …',
};

/** Settings (--set) of earlier versions, with the flags that replace them. */
export const FORMER_SETTINGS: Readonly<Record<string, FlagName>> = {
  active: 'active',
  table: 'table',
  keep: 'keep',
  keepColumns: 'keep',
  algorithm: 'algorithm',
  ignore: 'ignore',
  noState: 'ignore',
};
