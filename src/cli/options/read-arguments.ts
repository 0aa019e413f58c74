import { parseArgs } from 'node:util';
import { didYouMean } from '../../lib/text/nearest-names.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import { CliError } from '../cli-error.ts';
import { FLAG_NAMES, type FlagName, type FlagText, findFlag, flagOf } from './flags.ts';

type Given = ReadonlyMap<FlagName, readonly string[]>;

/** Flags with their values. */
export class Flags {
  readonly #given: Given;
  /** Flags of the command line, without those of a mapping file. */
  readonly typed: Flags;

  /** @throws {CliError} if a value is not one that its flag takes */
  constructor(given: Given, typed?: Flags) {
    for (const [name, texts] of given) for (const text of texts) checkText(name, text);
    this.#given = given;
    this.typed = typed ?? this;
  }

  get names(): FlagName[] {
    return [...this.#given.keys()];
  }

  has(name: FlagName): boolean {
    return this.#given.has(name);
  }

  text<Name extends FlagName>(name: Name): FlagText<Name> | undefined {
    return this.#given.get(name)?.[0] as FlagText<Name> | undefined;
  }

  number(name: FlagName): number | undefined {
    const text = this.#given.get(name)?.[0];
    return text === undefined ? undefined : Number(text);
  }

  /** Returns the milliseconds of a duration such as `90s`, `10m` or `1h`; a number without a unit is in seconds. */
  ms(name: FlagName, otherwise: string): number {
    const [, number, unit = ''] = DURATION.exec(this.#given.get(name)?.[0] ?? otherwise) ?? [];
    return Number(number) * (UNITS_MS[unit] ?? 0);
  }

  list(name: FlagName): readonly string[] {
    return this.#given.get(name) ?? [];
  }

  /** Returns these flags and `others`, whose values take precedence. */
  with(others: Given): Flags {
    return new Flags(new Map([...this.#given, ...others]), this.typed);
  }
}

const UNITS_MS: Readonly<Record<string, number>> = { '': 1000, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|)$/;

function checkText(name: FlagName, text: string): void {
  const { choices, value } = flagOf(name);
  if (choices !== undefined && !choices.includes(text))
    throw new CliError(
      `--${name}: there is no ${text}.${didYouMean(choices, text) || ` Expected ${choices.join(', ')}.`}`,
    );
  if (value === 'N' && !/^\d{1,15}$/.test(text))
    throw new CliError(`--${name}: expected a whole number, got ${text}`);
  if (value === 'TIME' && !DURATION.test(text))
    throw new CliError(`--${name}: expected a time such as 90s, 10m or 1h, got ${text}`);
}

export interface Arguments {
  flags: Flags;
  /** Arguments that are not flags; the first is the command. */
  words: string[];
}

const PARSED = Object.fromEntries(
  FLAG_NAMES.map(flagOf).map(({ name, value, short }) => {
    const type: 'boolean' | 'string' = value === undefined ? 'boolean' : 'string';
    return [name, { type, ...(short && { short }) }];
  }),
);

/** @throws {CliError} for unknown or repeated flags, and for missing, unexpected or wrong values */
export function readArguments(args: readonly string[]): Arguments {
  // Strict parsing would not suggest the flag that was probably meant.
  const { tokens, positionals: words } = parseArgs({
    args: [...args],
    ...{ options: PARSED, strict: false, allowPositionals: true, tokens: true },
  });
  const given = new Map<FlagName, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { rawName, value, inlineValue } = token;
    const flag = findFlag(token.name);
    if (flag === undefined)
      throw new CliError(
        `There is no flag ${rawName}.${didYouMean(FLAG_NAMES, rawName.replace(/^-+/, ''), '--')}`,
      );
    const values = given.get(flag.name) ?? [];
    given.set(flag.name, [...values, value ?? '']);
    if (flag.value === undefined) {
      if (value !== undefined) throw new CliError(`${rawName} takes no value.`);
      continue;
    }
    // A value that begins with `-`, as in `--report --yes`, is the next flag: the value was forgotten.
    const isNextFlag = !inlineValue && value !== '-' && value?.startsWith('-');
    const hint = isNextFlag ? ` (one that begins with a dash: ${shellWord(`${rawName}=${value}`)})` : '';
    if (!value || isNextFlag) throw new CliError(`${rawName} needs a value: ${rawName} ${flag.value}${hint}`);
    if (values.length > 0 && !flag.isList) throw new CliError(`${rawName} is given twice.`);
  }
  return { words, flags: new Flags(given) };
}
