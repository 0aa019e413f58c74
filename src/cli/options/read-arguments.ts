import { parseArgs } from 'node:util';
import { nearestNames } from '../../lib/text/nearest-names.ts';
import { CliError } from '../cli-error.ts';
import { FLAG_NAMES, FLAGS, type FlagName, FORMER_FLAGS, flagOf } from './flags.ts';

export interface Flags {
  has(name: FlagName): boolean;
  text(name: FlagName): string | undefined;
  list(name: FlagName): readonly string[];
  readonly names: readonly FlagName[];
}

export interface Arguments {
  flags: Flags;
  /** Arguments that are not flags; the first is the command. */
  words: string[];
}

const PARSED = Object.fromEntries(
  FLAG_NAMES.map((name) => {
    const { value, short } = flagOf(name);
    return [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ];
  }),
);

const isFlagName = (name: string): name is FlagName => Object.hasOwn(FLAGS, name);

/** @throws {CliError} for unknown or repeated flags, and for missing or unexpected values */
export function readArguments(args: readonly string[]): Arguments {
  // Strict parsing would not suggest the flag that was probably meant.
  const { tokens } = parseArgs({
    args: [...args],
    options: PARSED,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const given = new Map<FlagName, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (!isFlagName(name)) throw unknownFlag(rawName);
    const flag = flagOf(name);
    if (flag.value === undefined && value !== undefined) throw new CliError(`${rawName} takes no value.`);
    if (flag.value !== undefined) checkValue(rawName, flag.value, { value, inlineValue });
    const values = given.get(name) ?? [];
    if (values.length > 0 && flag.isList === undefined && flag.value !== undefined)
      throw new CliError(`${rawName} is given twice.`);
    given.set(name, [...values, value ?? '']);
  }
  return {
    words,
    flags: {
      has: (name) => given.has(name),
      text: (name) => given.get(name)?.[0],
      list: (name) => given.get(name) ?? [],
      names: [...given.keys()],
    },
  };
}

function unknownFlag(rawName: string): CliError {
  const name = rawName.replace(/^-+/, '');
  const former = Object.hasOwn(FORMER_FLAGS, name) ? FORMER_FLAGS[name] : undefined;
  if (former !== undefined)
    return new CliError(`There is no flag ${rawName} any more: ${former} (docs/user-import.md).`);
  const [nearest] = nearestNames(FLAG_NAMES, 0.5)(name);
  return new CliError(
    `There is no flag ${rawName}.${nearest === undefined ? '' : ` Did you mean --${nearest}?`}`,
  );
}

function checkValue(
  rawName: string,
  what: string,
  { value, inlineValue }: { value: string | undefined; inlineValue: boolean | undefined },
): void {
  if (value === undefined || value === '') throw new CliError(`${rawName} needs a value: ${rawName} ${what}`);
  // A value that begins with `-`, as in `--report --yes`, is the next flag: the value was forgotten.
  if (!inlineValue && value.startsWith('-') && value !== '-')
    throw new CliError(
      `${rawName} needs a value: ${rawName} ${what} (one that begins with a dash: ${rawName}=${value})`,
    );
}

const UNITS_MS: Readonly<Record<string, number>> = { '': 1000, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Parses a duration such as `90s`, `10m` or `1h`; a number without a unit is in seconds.
 * @throws {CliError} if the text is not a duration
 */
export function durationMs(flag: string, text: string): number {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|)$/.exec(text) ?? [];
  if (number === undefined)
    throw new CliError(`--${flag}: expected a time such as 90s, 10m or 1h, got ${text}`);
  return Number(number) * (UNITS_MS[unit] ?? 0);
}

const MAX_PARALLEL = 64;

/** @throws {CliError} if the number is out of range */
export function readParallel(text: string | undefined): number {
  if (text === undefined) return 1;
  const parallel = /^[1-9]\d?$/.test(text) ? Number(text) : 0;
  if (parallel < 1 || parallel > MAX_PARALLEL)
    throw new CliError(`--parallel: expected a whole number from 1 to ${MAX_PARALLEL}, got ${text}`);
  return parallel;
}
