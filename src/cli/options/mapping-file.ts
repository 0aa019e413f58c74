import { chmodSync, lstatSync, writeFileSync } from 'node:fs';
import { parseJsonObject } from '../../lib/json/json-object.ts';
import { didYouMean } from '../../lib/text/nearest-names.ts';
import { withRules } from '../../sources/mapping/active.ts';
import { CliError, readTextFile, writing } from '../cli-error.ts';
import { type FlagName, flagOf, SOURCE_FLAGS } from './flags.ts';
import type { Flags } from './read-arguments.ts';

/**
 * Members of a mapping file, which has the answers about an export under the names of their flags. A flag that may be
 * given several times has a list, and one without a value has `true`:
 *
 *     {"map": "email=mail,hash=pw", "active": ["status=active"], "keep": "plan", "ignore": "city,notes"}
 */
const MEMBERS: readonly FlagName[] = SOURCE_FLAGS.filter((name) => name !== 'mapping' && name !== 'save');

/**
 * Returns whether `--save` writes this flag. It does not write --ignore-rest, because the next export may have other
 * columns and tables, which nobody has looked at.
 */
export const isSaved = (name: FlagName): boolean => MEMBERS.includes(name) && name !== 'ignore-rest';

type Values = readonly string[];

/**
 * How the value of a flag on the command line is combined with its value in the file. For flags that are not in this
 * table, the value on the command line replaces that of the file.
 */
const ADDED: Partial<Record<FlagName, (file: Values, given: Values) => Values>> = {
  active: withRules,
  set: (file, given) => {
    const keys = new Set(given.map(keyOf));
    return [...file.filter((pair) => !keys.has(keyOf(pair))), ...given];
  },
  // If file and command line name the same item, that of the command line counts, because it is the later one.
  keep: joined,
  ignore: joined,
  'ignore-table': joined,
  'without-table': joined,
};

const keyOf = (pair: string) => pair.split('=', 1)[0]?.trim();

function joined(file: Values, given: Values): Values {
  return [[...file, ...given].join(',')];
}

/**
 * Adds the answers of `--mapping FILE` to the flags. Flags in the table ADDED are combined; for the others, a flag on
 * the command line replaces that of the file.
 * @throws {CliError} if the file cannot be read, or has a member that is no flag about exports
 */
export function withMappingFile(flags: Flags): Flags {
  const path = flags.text('mapping');
  if (path === undefined) return flags;
  const answers = [...readMappingFile(path)].map(([name, values]): [FlagName, Values] => {
    const given = flags.list(name);
    return [name, flags.has(name) ? (ADDED[name]?.(values, given) ?? given) : values];
  });
  return flags.with(new Map(answers));
}

function readMappingFile(path: string): Map<FlagName, Values> {
  const json = parseJsonObject(readTextFile(path, `--mapping ${path}`).replace(/^\uFEFF/, ''));
  if (json === undefined)
    throw new CliError(`--mapping ${path}: expected a JSON object such as {"map": "email=mail,hash=pw"}`);
  const said = new Map<FlagName, Values>();
  for (const [member, value] of Object.entries(json)) {
    const name = MEMBERS.find((one) => one === member);
    if (name === undefined)
      throw new CliError(
        `--mapping ${path}: there is no flag --${member} about exports.${didYouMean(SOURCE_FLAGS, member)}`,
      );
    if (value !== false) said.set(name, valuesOf(value, name, path));
  }
  return said;
}

function valuesOf(value: unknown, name: FlagName, path: string): Values {
  const { value: takesValue, isList } = flagOf(name);
  if (takesValue === undefined && value === true) return [''];
  const values: unknown[] = Array.isArray(value) && isList ? value : [value];
  const texts = values.map((one) => (typeof one === 'number' ? String(one) : one));
  if (takesValue !== undefined && texts.every((one) => typeof one === 'string' && one !== ''))
    return texts.map(String);
  const expected = takesValue === undefined ? 'true' : isList ? 'a list of texts' : 'a text';
  throw new CliError(`--mapping ${path}: ${name} must be ${expected}`);
}

function isMappingFile(path: string): boolean {
  try {
    return lstatSync(path).isFile() && readMappingFile(path).size >= 0;
  } catch {
    return false;
  }
}

/**
 * Writes the given answers to the file of `--save`. A file that is no mapping file is not overwritten.
 * @throws {CliError} if the file cannot be written
 */
export function saveMappingFile(flags: Flags): void {
  const path = flags.text('save');
  if (path === undefined) return;
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isMappingFile(path))
    throw new CliError(`--save ${path}: the file has something else than answers. Name a new one.`);
  const answers = flags.names.filter(isSaved).map((name) => {
    const { value, isList } = flagOf(name);
    return [name, value === undefined ? true : isList ? flags.list(name) : flags.text(name)];
  });
  writing(path, () => {
    writeFileSync(path, `${JSON.stringify(Object.fromEntries(answers), null, 2)}\n`, { mode: 0o600 });
    chmodSync(path, 0o600);
  });
}
