import { chmodSync, lstatSync, writeFileSync } from 'node:fs';
import { type JsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import { didYouMean } from '../../lib/text/nearest-names.ts';
import { withRules } from '../../sources/mapping/active.ts';
import { CliError, readTextFile, writeError } from '../cli-error.ts';
import { type FlagName, flagOf } from './flags.ts';
import type { Flags } from './read-arguments.ts';

/**
 * A mapping file has the answers about an export, under the names of their flags. A flag that may be given several times
 * has a list, and one without a value has `true`:
 *
 *     {"map": "email=mail,hash=pw", "active": ["status=active"], "keep": "plan", "ignore": "city,notes"}
 */
const NO_MEMBERS: readonly FlagName[] = ['mapping', 'save'];
/** Not saved: the next export may have other columns and tables, which nobody has looked at. */
const NOT_SAVED: readonly FlagName[] = [...NO_MEMBERS, 'ignore-rest'];

/** How a flag of the command line is added to that of the file. Other flags take its place. */
const ADDED: Partial<
  Record<FlagName, (file: readonly string[], given: readonly string[]) => readonly string[]>
> = {
  active: withRules,
  set: (file, given) => {
    const keys = new Set(given.map(keyOf));
    return [...file.filter((pair) => !keys.has(keyOf(pair))), ...given];
  },
  // Of two items with one name, the later one counts.
  keep: joined,
  ignore: joined,
  'ignore-table': joined,
  'without-table': joined,
};

const keyOf = (pair: string) => pair.split('=', 1)[0]?.trim();

function joined(file: readonly string[], given: readonly string[]): readonly string[] {
  return [[...file, ...given].join(',')];
}

/**
 * Adds the answers of `--mapping FILE` to the flags. Lists and rules of both add up; otherwise, a flag of the command
 * line counts more than that of the file.
 * @param allowed flags about exports
 * @throws {CliError} if the file cannot be read, or has a member that is no such flag
 */
export function withMappingFile(flags: Flags, allowed: readonly FlagName[]): Flags {
  const path = flags.text('mapping');
  if (path === undefined) return flags;
  const answers = [...readMappingFile(path, allowed)].map(([name, values]) => {
    const add = flags.has(name) ? (ADDED[name] ?? ((_, given) => given)) : (file: readonly string[]) => file;
    return [name, add(values, flags.list(name))] as const;
  });
  return flags.with(new Map(answers));
}

/** Returns whether the file of `--save` has the answer of this flag. */
export const isSaved = (name: FlagName, allowed: readonly FlagName[]): boolean =>
  allowed.includes(name) && !NOT_SAVED.includes(name);

function readMappingFile(path: string, allowed: readonly FlagName[]): Map<FlagName, readonly string[]> {
  const json = parseObject(path);
  const said = new Map<FlagName, readonly string[]>();
  for (const [member, value] of Object.entries(json)) {
    const name = allowed.find((one) => one === member && !NO_MEMBERS.includes(one));
    if (name === undefined)
      throw new CliError(
        `--mapping ${path}: there is no flag --${member} about exports.${didYouMean(allowed, member)}`,
      );
    if (value === false) continue;
    said.set(name, valuesOf(value, { name, path }));
  }
  return said;
}

function parseObject(path: string): JsonObject {
  const text = readTextFile(path, `--mapping ${path}`).replace(/^\uFEFF/, '');
  const json = parseJsonObject(text);
  if (json !== undefined) return json;
  throw new CliError(`--mapping ${path}: expected a JSON object such as {"map": "email=mail,hash=pw"}`);
}

function valuesOf(value: unknown, { name, path }: { name: FlagName; path: string }): readonly string[] {
  const { value: takesValue, isList } = flagOf(name);
  const values: unknown[] = Array.isArray(value) && isList ? value : [value];
  if (takesValue === undefined && value === true) return [''];
  const texts = values.flatMap((one) => (typeof one === 'number' ? String(one) : one));
  if (takesValue !== undefined && texts.every((one) => typeof one === 'string' && one !== ''))
    return texts.map(String);
  const expected = takesValue === undefined ? 'true' : isList ? 'a list of texts' : 'a text';
  throw new CliError(`--mapping ${path}: ${name} must be ${expected}`);
}

function isMappingFile(path: string, allowed: readonly FlagName[]): boolean {
  try {
    readMappingFile(path, allowed);
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes the answers that were given to the file of `--save`. A file that is no mapping file is not overwritten.
 * @throws {CliError} if the file cannot be written
 */
export function saveMappingFile(flags: Flags, allowed: readonly FlagName[]): void {
  const path = flags.text('save');
  if (path === undefined) return;
  const known = lstatSync(path, { throwIfNoEntry: false });
  if (known !== undefined && !(known.isFile() && isMappingFile(path, allowed)))
    throw new CliError(`--save ${path}: the file has something else than answers. Name a new one.`);
  const answers = flags.names
    .filter((name) => isSaved(name, allowed))
    .map((name) => {
      const { value, isList } = flagOf(name);
      return [name, value === undefined ? true : isList ? flags.list(name) : flags.text(name)];
    });
  try {
    writeFileSync(path, `${JSON.stringify(Object.fromEntries(answers), null, 2)}\n`, { mode: 0o600 });
    chmodSync(path, 0o600);
  } catch (error) {
    throw writeError(path, error);
  }
}
