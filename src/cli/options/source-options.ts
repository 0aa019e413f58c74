import { readFileSync } from 'node:fs';
import { hasErrno } from '../../lib/errors.ts';
import { CSV_ESCAPES } from '../../sources/containers/csv/csv-dialect.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ReadOptions,
  type SqlDialect,
} from '../../sources/containers/table.ts';
import { readMapping } from '../../sources/mapping/read-mapping.ts';
import { settingProblem } from '../../sources/mapping/shared-settings.ts';
import type { Settings } from '../../sources/source.ts';
import { DISABLED, MFA, type UserDecisions, WITHOUT_PASSWORD } from '../../sources/user-decisions.ts';
import { CliError } from '../cli-error.ts';
import type { FlagName } from './flags.ts';
import type { Flags } from './read-arguments.ts';

/** Options for reading the export files. With the options of the service, they determine the import lines. */
export interface SourceOptions extends UserDecisions {
  from: string | undefined;
  /** Values of `--set`, plus the values of `--map` and `--hash` under the names `map` and `hash`. */
  settings: Settings;
  options: ReadOptions;
  providers: Readonly<Record<string, string>>;
  /** Number of users that the files must contain, as the operator states it. */
  expectUsers: number | undefined;
  verifiedByDefault: boolean;
  hashingSecretId: string | undefined;
}

/** Prefix of `--set` keys that map an identity provider of the export to a thirdPartyId. */
const PROVIDER = 'provider.';

/** @throws {CliError} if the value of a flag is invalid */
export function readSourceOptions(flags: Flags): SourceOptions {
  const given = flags.list('set').map((text) => readPair('--set', text));
  const providers = given.filter(([key]) => key.startsWith(PROVIDER));
  const settings = given.filter(([key]) => !key.startsWith(PROVIDER));
  const map = readMap(flags.text('map'));
  const hash = flags.text('hash');
  const columns = { ...(map !== undefined && { map }), ...(hash !== undefined && { hash }) };
  checkMapping(columns);
  for (const [key, value] of settings) {
    const problem = settingProblem(key, value);
    if (problem !== undefined) throw new CliError(`--set ${problem}.`);
  }
  return {
    from: flags.text('from'),
    settings: {
      ...uniquePairs('--set', settings),
      ...columns,
    },
    options: readOptions(flags),
    providers: uniquePairs(
      '--set',
      providers.map(([key, value]) => [key.slice(PROVIDER.length), value]),
    ),
    disabled: readDisabled(flags),
    withoutPassword: readChoice(flags, 'without-password', WITHOUT_PASSWORD) ?? 'skip',
    mfa: readChoice(flags, 'mfa', MFA),
    expectUsers: readExpectUsers(flags.text('expect-users')),
    verifiedByDefault: flags.has('verified'),
    hashingSecretId: flags.text('hashing-secret-id'),
  };
}

function readDisabled(flags: Flags): UserDecisions['disabled'] {
  const choice = readChoice(flags, 'disabled', DISABLED);
  if (!flags.has('include-disabled')) return choice ?? 'skip';
  if (choice !== undefined && choice !== 'include')
    throw new CliError(`--include-disabled and --disabled ${choice} exclude each other.`);
  return 'include';
}

function readChoice<Choice extends string>(
  flags: Flags,
  name: FlagName,
  choices: readonly Choice[],
): Choice | undefined {
  const text = flags.text(name);
  const choice = choices.find((one) => one === text);
  if (text !== undefined && choice === undefined)
    throw new CliError(`--${name}: expected ${choices.join(', ')}; got ${text}`);
  return choice;
}

function readExpectUsers(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new CliError(`--expect-users: expected a whole number, got ${text}`);
  return Number(text);
}

const SQL_DIALECTS: readonly SqlDialect[] = ['postgres', 'mysql', 'mysql-no-backslash', 'sqlite', 'mssql'];

function readOptions(flags: Flags): ReadOptions {
  const encoding = flags.text('encoding');
  const jsonPath = flags.text('json-path');
  const format = flags.text('format');
  const header = flags.text('csv-header');
  if (header !== undefined && header !== 'yes' && header !== 'no')
    throw new CliError(`--csv-header: expected yes or no, got ${header}`);
  const dialect = flags.text('sql-dialect');
  const sqlDialect = SQL_DIALECTS.find((name) => name === dialect);
  if (dialect !== undefined && sqlDialect === undefined)
    throw new CliError(`--sql-dialect: expected ${SQL_DIALECTS.join(', ')}; got ${dialect}`);
  return {
    ...(format !== undefined && { format: knownFormat(format) }),
    ...(encoding !== undefined && { encoding: knownEncoding(encoding) }),
    ...(jsonPath !== undefined && { jsonPath }),
    ...(header !== undefined && { csvHeader: header === 'yes' }),
    ...(sqlDialect !== undefined && { sqlDialect }),
    ...readCsvOptions(flags),
  };
}

function readCsvOptions(flags: Flags): ReadOptions {
  const escaping = flags.text('csv-escape');
  const quote = flags.text('csv-quote');
  const delimiter = flags.text('csv-delimiter');
  const nullText = flags.text('csv-null');
  const csvEscape = CSV_ESCAPES.find((known) => known === escaping);
  if (escaping !== undefined && csvEscape === undefined)
    throw new CliError(`--csv-escape: expected ${CSV_ESCAPES.join(', ')}, got ${escaping}`);
  if (quote !== undefined && quote !== 'none' && !isMark(quote))
    throw new CliError(`--csv-quote: expected one character of ASCII, or none, got ${quote}`);
  if (quote === 'none' && csvEscape !== undefined && csvEscape !== 'backslash')
    throw new CliError(
      `--csv-escape ${escaping} is about quotes, but --csv-quote none says that there are none.`,
    );
  const csvDelimiter = delimiter === 'tab' || delimiter === '\\t' ? '\t' : delimiter;
  if (csvDelimiter !== undefined && csvDelimiter !== '\t' && !isMark(csvDelimiter) && csvDelimiter !== ' ')
    throw new CliError(`--csv-delimiter: expected one character of ASCII, or tab, got ${delimiter}`);
  if (csvDelimiter !== undefined && csvDelimiter === (quote ?? '"'))
    throw new CliError('--csv-delimiter and --csv-quote are the same character.');
  return {
    ...(csvEscape !== undefined && { csvEscape }),
    ...(quote !== undefined && { csvQuote: quote }),
    ...(csvDelimiter !== undefined && { csvDelimiter }),
    ...(nullText !== undefined && { csvNull: nullText }),
  };
}

/** Returns whether the text is an ASCII character other than a letter, digit, space or backslash. */
const isMark = (text: string) => /^[!-/:-@[\]^_`{|}~]$/.test(text);

function knownFormat(name: string): ExportFormat {
  const format = EXPORT_FORMATS.find((one) => one === name);
  if (format === undefined)
    throw new CliError(`--format: expected ${EXPORT_FORMATS.join(', ')}, got ${name}`);
  return format;
}

function knownEncoding(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    throw new CliError(
      `--encoding: ${name} is not a known encoding; try utf-8, latin1, windows-1252, utf-16le, shift_jis`,
    );
  }
}

function readMap(text: string | undefined): string | undefined {
  if (!text?.startsWith('@')) return text;
  const path = text.slice(1);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = hasErrno(error, 'ENOENT') ? 'there is no such file' : (error as NodeJS.ErrnoException).code;
    throw new CliError(`--map: ${path}: ${why}`);
  }
}

/** Checks --map and --hash before any file is read, because reading may take minutes. */
function checkMapping(columns: Settings): void {
  const mapping = readMapping(columns);
  if ('problem' in mapping) throw new CliError(mapping.problem);
}

function readPair(flag: string, text: string): [string, string] {
  const at = text.indexOf('=');
  const key = text.slice(0, at).trim();
  // The message does not show the value, which may be a secret key.
  if (at === -1 || key === '') throw new CliError(`${flag}: expected name=value`);
  return [key, text.slice(at + 1).trim()];
}

function uniquePairs(flag: string, pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (found.has(key)) throw new CliError(`${flag}: ${key} is given twice.`);
    found.set(key, value);
  }
  return Object.fromEntries(found);
}
