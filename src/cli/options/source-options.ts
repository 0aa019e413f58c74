import { CSV_WRITER_NAMES } from '../../sources/containers/csv/csv-writers.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ReadOptions,
  type SqlDialect,
  type ToldColumns,
} from '../../sources/containers/table.ts';
import { readMapping } from '../../sources/mapping/read-mapping.ts';
import { settingProblem } from '../../sources/mapping/shared-settings.ts';
import type { Settings } from '../../sources/source.ts';
import {
  DISABLED,
  MFA,
  SHARED_ADDRESS,
  type UserDecisions,
  WITHOUT_PASSWORD,
} from '../../sources/user-decisions.ts';
import { CliError } from '../cli-error.ts';
import type { FlagName } from './flags.ts';
import type { Flags } from './read-arguments.ts';

/** Options for reading the export files. With the options of the service, they determine the import lines. */
export interface SourceOptions extends UserDecisions {
  from: string | undefined;
  /** Values of `--set`, plus those of `--map`, `--hash`, `--active` and `--table` under their names. */
  settings: Settings;
  options: ReadOptions;
  providers: Readonly<Record<string, string>>;
  /** Number of users that the files must contain, as the operator states it. */
  expectUsers: number | undefined;
  verifiedByDefault: boolean;
  hashingSecretId: string | undefined;
}

/** Settings that are flags of their own. */
const OWN_FLAGS: Readonly<Record<string, string>> = {
  active: 'active',
  table: 'table',
  keep: 'keep',
  keepColumns: 'keep',
  algorithm: 'algorithm',
  ignore: 'ignore',
  noState: 'ignore',
};

/** Prefix of `--set` keys that map an identity provider of the export to a thirdPartyId. */
const PROVIDER = 'provider.';

/** @throws {CliError} if the value of a flag is invalid */
export function readSourceOptions(flags: Flags): SourceOptions {
  const given = flags.list('set').map((text) => readPair('--set', text));
  const providers = given.filter(([key]) => key.startsWith(PROVIDER));
  const settings = given.filter(([key]) => !key.startsWith(PROVIDER));
  const map = flags.text('map');
  if (map?.startsWith('@') || map?.trimStart().startsWith('{'))
    throw new CliError(
      `--map names columns: --map email=mail,hash=pw. A file with the answers is named by --mapping FILE: {"map": "email=mail,hash=pw"}`,
    );
  const hash = flags.text('hash');
  const active = flags.list('active');
  const yes = flags.text('true');
  const algorithm = flags.text('algorithm');
  const algorithmOf = flags.text('algorithm-of');
  const dateFormat = flags.text('date-format');
  const columns = {
    ...(map !== undefined && { map }),
    ...(hash !== undefined && { hash }),
    ...(active.length > 0 && { active: active.join('\n') }),
    ...(yes !== undefined && { true: yes }),
    ...(dateFormat !== undefined && { dateFormat }),
    ...(algorithm !== undefined && { algorithm }),
    ...(algorithmOf !== undefined && { algorithmOf }),
  };
  checkMapping(columns);
  const [own = '', ownValue] = settings.find(([name]) => Object.hasOwn(OWN_FLAGS, name)) ?? [];
  if (ownValue !== undefined)
    throw new CliError(`--set ${own}: that is a flag of its own: --${OWN_FLAGS[own]} ${ownValue}`);
  const state = settings.find(([name]) => name.startsWith('state.'));
  if (state !== undefined)
    throw new CliError(
      `--set ${state[0]}: say with which words users may sign in: --active 'COLUMN=WORD,WORD'. Those with other words are left out as disabled.`,
    );
  for (const [key, value] of settings) {
    const problem = settingProblem(key, value);
    if (problem !== undefined) throw new CliError(`--set ${problem}.`);
  }
  return {
    from: flags.text('from'),
    settings: {
      ...uniquePairs('--set', settings),
      ...columns,
      ...sharedSettings(flags),
    },
    options: readOptions(flags),
    providers: uniquePairs(
      '--set',
      providers.map(([key, value]) => [key.slice(PROVIDER.length), value]),
    ),
    disabled: readDisabled(flags),
    withoutPassword: readChoice(flags, 'without-password', WITHOUT_PASSWORD) ?? 'skip',
    mfa: readChoice(flags, 'mfa', MFA),
    sharedAddress: readSharedAddress(flags),
    expectUsers: readExpectUsers(flags.text('expect-users')),
    verifiedByDefault: flags.has('verified'),
    hashingSecretId: flags.text('hashing-secret-id'),
  };
}

/** Flags that all sources have, as settings. */
function sharedSettings(flags: Flags): Settings {
  const texts = { table: 'table', keep: 'keep', ignore: 'ignore', mfa: 'mfa' } as const;
  const lists = { ignoreTable: 'ignore-table', withoutTable: 'without-table' } as const;
  const given = Object.entries({ ...texts, ...lists }).map(
    ([name, flag]) => [name, flags.text(flag)] as const,
  );
  return {
    ...Object.fromEntries(given.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]))),
    ...(flags.has('ignore-rest') && { ignoreRest: 'yes' }),
  };
}

export const readSharedAddress = (flags: Flags): UserDecisions['sharedAddress'] =>
  readChoice(flags, 'shared-address', SHARED_ADDRESS);

function readDisabled(flags: Flags): UserDecisions['disabled'] {
  return readChoice(flags, 'disabled', DISABLED) ?? 'skip';
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
  const csv = readChoice(flags, 'csv', CSV_WRITER_NAMES);
  const columns = flags.text('columns');
  const dialect = flags.text('sql-dialect');
  const sqlDialect = SQL_DIALECTS.find((name) => name === dialect);
  if (dialect !== undefined && sqlDialect === undefined)
    throw new CliError(`--sql-dialect: expected ${SQL_DIALECTS.join(', ')}; got ${dialect}`);
  return {
    ...(format !== undefined && { format: knownFormat(format) }),
    ...(encoding !== undefined && { encoding: knownEncoding(encoding) }),
    ...(jsonPath !== undefined && { jsonPath }),
    ...(csv !== undefined && { csv }),
    ...(columns !== undefined && { columns: readColumns(columns) }),
    ...(sqlDialect !== undefined && { sqlDialect }),
  };
}

function readColumns(text: string): ToldColumns {
  if (text === 'header') return text;
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('') || new Set(names).size < names.length)
    throw new CliError('--columns: expected a different name for each column, as in --columns id,email,hash');
  return names;
}

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
