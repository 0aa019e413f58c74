import { shellWord } from '../../lib/text/shell-word.ts';
import type { ReadOptions, ToldColumns } from '../../sources/containers/table.ts';
import { settingProblem } from '../../sources/mapping/id-prefix.ts';
import { readMapping } from '../../sources/mapping/mapping.ts';
import type { Settings } from '../../sources/source.ts';
import type { UserDecisions } from '../../sources/source-user.ts';
import { CliError } from '../cli-error.ts';
import type { Flags } from './read-arguments.ts';

/** Options for reading the export files. With the options of the service, they determine the import lines. */
export interface SourceOptions extends UserDecisions {
  from: string | undefined;
  /** Values of `--set`, plus those of the flags in FLAGS_AS_SETTINGS. */
  settings: Settings;
  options: ReadOptions;
  providers: Readonly<Record<string, string>>;
  /** Number of users that the files must contain, as the operator states it. */
  expectUsers: number | undefined;
  verifiedByDefault: boolean;
  hashingSecretId: string | undefined;
}

/** Flags that are settings of sources: `dateFormat` for `--date-format`. */
const FLAGS_AS_SETTINGS = {
  /** Flags that all sources have. */
  shared: ['table', 'keep', 'active', 'ignore', 'ignore-table', 'ignore-rest', 'without-table', 'mfa'],
  /** Flags about the columns of a table of one's own. */
  columns: ['map', 'hash', 'true', 'date-format', 'algorithm', 'algorithm-of'],
} as const;

const settingOf = (flag: string) => flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Settings that every source has. */
export const SHARED_SETTINGS: ReadonlySet<string> = new Set(FLAGS_AS_SETTINGS.shared.map(settingOf));

/** Returns the flag that gives the setting, if one does. */
export const flagOfSetting = (setting: string): string | undefined =>
  FLAGS_AS_SETTINGS.columns.find((flag) => settingOf(flag) === setting);

/** Prefix of `--set` keys that map an identity provider of the export to a thirdPartyId. */
const PROVIDER = 'provider.';

/** @throws {CliError} if the value of a flag is invalid */
export function readSourceOptions(flags: Flags): SourceOptions {
  const map = flags.text('map');
  if (map?.startsWith('@') || map?.trimStart().startsWith('{'))
    throw new CliError(
      `--map names columns: --map email=mail,hash=pw. A file with the answers is named by --mapping FILE: {"map": "email=mail,hash=pw"}`,
    );
  const given = readPairs(flags.list('set'));
  const isProvider = ([key]: readonly [string, string]) => key.startsWith(PROVIDER);
  const settings = given.filter((pair) => !isProvider(pair));
  const flagged = settingsOfFlags(flags);
  // Checked before any file is read, because reading may take minutes.
  const mapping = readMapping(flagged);
  if ('problem' in mapping) throw new CliError(mapping.problem);
  for (const [key, value] of settings) checkSetting(key, value);
  return {
    from: flags.text('from'),
    settings: { ...Object.fromEntries(settings), ...flagged },
    options: readOptions(flags),
    providers: Object.fromEntries(
      given.filter(isProvider).map(([key, value]) => [key.slice(PROVIDER.length), value]),
    ),
    disabled: flags.text('disabled') ?? 'skip',
    withoutPassword: flags.text('without-password') ?? 'skip',
    mfa: flags.text('mfa'),
    sharedAddress: flags.text('shared-address'),
    expectUsers: flags.number('expect-users'),
    verifiedByDefault: flags.has('verified'),
    hashingSecretId: flags.text('hashing-secret-id'),
  };
}

/** Several values of one flag, such as rules of `--active`, are lines of one setting. */
function settingsOfFlags(flags: Flags): Settings {
  const names = [...FLAGS_AS_SETTINGS.shared, ...FLAGS_AS_SETTINGS.columns];
  const given = names.filter((name) => flags.has(name));
  return Object.fromEntries(
    given.map((name) => [settingOf(name), name === 'ignore-rest' ? 'yes' : flags.list(name).join('\n')]),
  );
}

function checkSetting(key: string, value: string): void {
  const flags = [...FLAGS_AS_SETTINGS.shared, ...FLAGS_AS_SETTINGS.columns];
  const flag = flags.find((one) => settingOf(one) === key);
  if (flag !== undefined)
    throw new CliError(`--set ${key}: that is a flag of its own: --${flag} ${shellWord(value)}`);
  const problem = settingProblem(key, value);
  if (problem !== undefined) throw new CliError(`--set ${problem}.`);
}

function readOptions(flags: Flags): ReadOptions {
  const encoding = flags.text('encoding');
  const columns = flags.text('columns');
  const options = {
    format: flags.text('format'),
    encoding: encoding === undefined ? undefined : knownEncoding(encoding),
    jsonPath: flags.text('json-path'),
    csv: flags.text('csv'),
    columns: columns === undefined ? undefined : readColumns(columns),
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

function readPairs(texts: readonly string[]): [key: string, value: string][] {
  const pairs = texts.map((text): [string, string] => {
    const at = text.indexOf('=');
    const key = text.slice(0, at).trim();
    // The message does not show the value, which may be a secret key.
    if (at === -1 || key === '') throw new CliError('--set: expected name=value');
    return [key, text.slice(at + 1).trim()];
  });
  const twice = pairs.find(([key], index) => pairs.findIndex(([other]) => other === key) !== index);
  if (twice !== undefined) throw new CliError(`--set: ${twice[0]} is given twice.`);
  return pairs;
}
