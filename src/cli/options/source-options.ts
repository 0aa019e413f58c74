import { shellWord } from '../../lib/text/shell-word.ts';
import type { ReadOptions, ToldColumns } from '../../sources/containers/table.ts';
import { settingProblem } from '../../sources/mapping/id-prefix.ts';
import { readMapping } from '../../sources/mapping/mapping.ts';
import type { Settings } from '../../sources/source.ts';
import type { UserDecisions } from '../../sources/source-user.ts';
import { CliError } from '../cli-error.ts';
import type { FlagName } from './flags.ts';
import type { Flags } from './read-arguments.ts';

/** Options for reading the export files. With the options of the service, they determine the import lines. */
export interface SourceOptions extends UserDecisions {
  from: string | undefined;
  /** Values of `--set`, plus those of the flags in SHARED_FLAGS and COLUMN_FLAGS. */
  settings: Settings;
  options: ReadOptions;
  providers: Readonly<Record<string, string>>;
  /** Number of users that the files must contain, as the operator states it. */
  expectUsers: number | undefined;
  verifiedByDefault: boolean;
  hashingSecretId: string | undefined;
}

const settingOf = (flag: string) => flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const bySetting = (...flags: FlagName[]) => new Map(flags.map((flag) => [settingOf(flag), flag]));

/** Flags that are settings of all sources, by the name of the setting: `ignoreTable` for `--ignore-table`. */
export const SHARED_FLAGS: ReadonlyMap<string, FlagName> = bySetting(
  ...(['table', 'keep', 'active', 'ignore', 'ignore-table', 'ignore-rest', 'without-table', 'mfa'] as const),
);

/** Flags about the columns of a table of no known system (`--from generic`), by the name of the setting. */
export const COLUMN_FLAGS: ReadonlyMap<string, FlagName> = bySetting(
  ...(['map', 'hash', 'true', 'date-format', 'algorithm', 'algorithm-of'] as const),
);

const SETTING_FLAGS = new Map([...SHARED_FLAGS, ...COLUMN_FLAGS]);

/** Prefix of `--set` keys that map an identity provider of the export to a thirdPartyId. */
const PROVIDER = 'provider.';

/** @throws {CliError} if the value of a flag is invalid */
export function readSourceOptions(flags: Flags): SourceOptions {
  const map = flags.text('map');
  if (map?.startsWith('@') || map?.trimStart().startsWith('{'))
    throw new CliError(
      `--map names columns: --map email=mail,hash=pw. A file with the answers is named by --mapping FILE: {"map": "email=mail,hash=pw"}`,
    );
  const { settings, providers } = readPairs(flags.list('set'));
  // Several values of one flag, such as rules of `--active`, are lines of one setting.
  const flagged = [...SETTING_FLAGS].flatMap(([setting, flag]) =>
    flags.has(flag) ? [[setting, flag === 'ignore-rest' ? 'yes' : flags.list(flag).join('\n')]] : [],
  );
  const own: Settings = Object.fromEntries(flagged);
  // Checked before any file is read, because reading may take minutes.
  const mapping = readMapping(own);
  if ('problem' in mapping) throw new CliError(mapping.problem);
  return {
    from: flags.text('from'),
    settings: { ...settings, ...own },
    options: readOptions(flags),
    providers,
    disabled: flags.text('disabled') ?? 'skip',
    withoutPassword: flags.text('without-password') ?? 'skip',
    mfa: flags.text('mfa'),
    sharedAddress: flags.text('shared-address'),
    expectUsers: flags.number('expect-users'),
    verifiedByDefault: flags.has('verified'),
    hashingSecretId: flags.text('hashing-secret-id'),
  };
}

function readOptions(flags: Flags): ReadOptions {
  const encoding = flags.text('encoding');
  const columns = flags.text('columns');
  const options = {
    format: flags.text('format'),
    encoding: encoding && knownEncoding(encoding),
    jsonPath: flags.text('json-path'),
    csv: flags.text('csv'),
    columns: columns && readColumns(columns),
    sqlDialect: flags.text('sql-dialect'),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function readColumns(text: string): ToldColumns {
  if (text === 'header') return text;
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('') || new Set(names).size < names.length)
    throw new CliError('--columns: expected a different name for each column, as in --columns id,email,hash');
  return names;
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

/** Reads the values of `--set`: settings, and ids of identity providers. */
function readPairs(texts: readonly string[]): Record<'settings' | 'providers', Record<string, string>> {
  const read = { settings: new Map<string, string>(), providers: new Map<string, string>() };
  for (const text of texts) {
    const at = text.indexOf('=');
    const key = text.slice(0, at).trim();
    // The message does not show the value, which may be a secret key.
    if (at === -1 || key === '') throw new CliError('--set: expected name=value');
    const value = text.slice(at + 1).trim();
    const isProvider = key.startsWith(PROVIDER);
    const [into, name] = isProvider
      ? [read.providers, key.slice(PROVIDER.length)]
      : ([read.settings, key] as const);
    if (into.has(name)) throw new CliError(`--set: ${key} is given twice.`);
    const flag = isProvider ? undefined : SETTING_FLAGS.get(key);
    if (flag !== undefined)
      throw new CliError(`--set ${key}: that is a flag of its own: --${flag} ${shellWord(value)}`);
    const problem = isProvider ? undefined : settingProblem(key, value);
    if (problem !== undefined) throw new CliError(`--set ${problem}.`);
    into.set(name, value);
  }
  return { settings: Object.fromEntries(read.settings), providers: Object.fromEntries(read.providers) };
}
