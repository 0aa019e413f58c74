import { PLAIN_TEXT_PASSWORDS, SIGNER_KEY } from '../fields/hashes.ts';
import { dateReader, timeOf } from '../fields/time.ts';
import type { Settings } from '../source.ts';
import { type ActiveRule, parseActive } from './active.ts';
import { FIELDS, fieldNamed, isFormerField, providerOf } from './fields.ts';
import { type HashTemplate, parseTemplate } from './hash-template.ts';

/** The operator's description of the columns of an export: `--map`, `--hash` and others. */
export interface Mapping {
  /**
   * Columns by the field that they contain, or by the name that the hash template uses. Null: no column
   * contains the field, even if one has a matching name.
   */
  columns: ReadonlyMap<string, string | null>;
  template?: HashTemplate | undefined;
  /** Algorithm of all hashes in the files: the `hashingAlgorithm` of the import. */
  algorithm?: string | undefined;
  /** Hash family by word of the column for the field `algorithm`, as written in the export (`--algorithm-of`). */
  algorithmOf?: ReadonlyMap<string, string> | undefined;
  /** Words of `--true`, in lower case: further words for yes. If set, all unknown words mean no. */
  yes: ReadonlySet<string> | undefined;
  /** Reads the times of joining. */
  timeOf(value: unknown): number | undefined;
  /** Rules of `--active` about who may sign in. Empty: everybody. Undefined: the operator has given none. */
  active: readonly ActiveRule[] | undefined;
}

/** Problem in a mapping, as text for the operator, with the position in the option if it is known. */
export interface MappingProblem {
  problem: string;
}

export const MAPPING_SETTINGS = {
  map: 'field=column,…: the uses of columns',
  hash: 'a template that builds the hash from columns: $pbkdf2-sha256$i=27500$ {salt|hex} $ {hash|hex}, without the blanks',
  active: 'who may sign in, as --active says it',
  true: 'words for yes, as --true says them',
  dateFormat: 'form of times, as --date-format says it',
  algorithm: 'the hashingAlgorithm of hashes whose format does not show it, as --algorithm says it',
  algorithmOf: 'families by the words of a column, as --algorithm-of says them',
  ...SIGNER_KEY,
  ...PLAIN_TEXT_PASSWORDS,
} as const;

/** Reads the mapping from the options. It needs no export, so that errors are reported before a file is read. */
export function readMapping(settings: Settings): Mapping | MappingProblem {
  const columns = parseMap(settings.map ?? '');
  if ('problem' in columns) return columns;
  const text = settings.hash;
  const template = text === undefined ? undefined : parseTemplate(text);
  if (template !== undefined && 'problem' in template)
    return { problem: `--hash, position ${template.position}: ${template.problem}` };
  const readTime = settings.dateFormat === undefined ? timeOf : timeReader(settings.dateFormat.split('\n'));
  if (readTime === undefined)
    return {
      problem: `--date-format ${settings.dateFormat?.replaceAll('\n', ', ')}: expected ms, s, excel, or a format such as DD.MM.YYYY HH:mm:ss`,
    };
  const former = [...columns.keys()].find(isFormerField);
  if (former?.startsWith('metadata.'))
    return { problem: `--map ${former}: columns that become metadata are named by --keep NAME=COLUMN` };
  if (former !== undefined)
    return {
      problem: `--map ${former}: say who may sign in by a rule: --active 'status=active', --active 'deleted_at is null'`,
    };
  const unused = unusedName(columns, template);
  if (unused !== undefined)
    return {
      problem: `"${unused}" of the mapping is not a field (${FIELDS.join(', ')}, identity.<provider>), and ${template === undefined ? `there is no --hash that uses {${unused}}, such as --hash '$salted-sha256$o=sp\${salt|utf8}\${hash|hex}' ({} names a column or field)` : 'the template does not use it'}`,
    };
  const active =
    settings.active === undefined ? undefined : parseActive(settings.active.split('\n'), readTime);
  if (active !== undefined && 'problem' in active) return active;
  return {
    columns,
    template,
    algorithm: settings.algorithm,
    algorithmOf: settings.algorithmOf === undefined ? undefined : pairsIn(settings.algorithmOf),
    yes: settings.true === undefined ? undefined : wordsIn(settings.true),
    timeOf: readTime,
    active,
  };
}

/**
 * Makes a reader of times in any of several formats. It returns undefined if two formats give different times.
 * @returns undefined if a format is unknown
 */
function timeReader(formats: readonly string[]): Mapping['timeOf'] | undefined {
  const readers = formats.map(dateReader).filter((reader) => reader !== undefined);
  if (readers.length < formats.length) return undefined;
  return (value) => {
    const times = new Set(readers.map((read) => read(value)));
    times.delete(undefined);
    return times.size === 1 ? [...times][0] : undefined;
  };
}

/** Parses pairs such as `blowfish:10=bcrypt-md5,legacy=vbulletin`. The last equals sign of an item separates them. */
const pairsIn = (text: string) =>
  new Map(
    text.split(',').map((item): [string, string] => {
      const at = item.lastIndexOf('=');
      return [item.slice(0, at).trim(), item.slice(at + 1).trim()];
    }),
  );

const wordsIn = (text: string) => new Set(text.split(',').map((word) => word.trim().toLowerCase()));

/** Returns a name in `--map` that is neither a field nor used by the hash template, so it may be a typing error. */
function unusedName(
  columns: ReadonlyMap<string, string | null>,
  template: HashTemplate | undefined,
): string | undefined {
  const used = new Set<string>(FIELDS);
  for (const part of template?.parts ?? []) if (typeof part !== 'string') used.add(part.name);
  return [...columns].find(([name]) => !used.has(name) && providerOf(name) === undefined)?.[0];
}

/** One item of `--map`, up to the next comma. A comma in double quotes belongs to the name of the column. */
const ITEM = /((?:[^\\,=]|\\.)*)(=?)(\s*"(?:[^"\\]|\\.)*"\s*(?=,|$)|(?:[^\\,]|\\.)*)(,?)/sy;

/**
 * Parses `--map`, such as `email=mail,hash=pw_hash,salt=pw_salt`. The left side is a field (fields.ts),
 * `identity.<provider>`, or a name used by the hash template. An empty right side means
 * that no column has the field, even if one has a matching name. `\,`, `\=` and `\"` are literal characters.
 * Quotes around the name of a column (`id="User no."`) are not part of it.
 */
export function parseMap(text: string): ReadonlyMap<string, string | null> | MappingProblem {
  const columns = new Map<string, string | null>();
  for (let at = 0; at < text.length; at = ITEM.lastIndex) {
    ITEM.lastIndex = at;
    const [all = '', left = '', equals = '', right = '', comma = ''] = ITEM.exec(text) ?? [];
    const problem = (what: string) => ({ problem: `--map, position ${at + 1}: ${what}` });
    if (all === '' || (equals === '' && right !== '')) return problem('expected field=column');
    const name = unescaped(left);
    if (name === '' && equals === '' && comma === '') break;
    if (name === '' || equals === '') return problem('expected field=column');
    const key = fieldNamed(name) ?? name;
    if (columns.has(key)) return problem(`${key} is mapped twice`);
    columns.set(key, unescaped(QUOTED.exec(right)?.[1] ?? right) || null);
    if (comma === '' && ITEM.lastIndex < text.length) return problem('expected field=column');
  }
  return columns;
}

const QUOTED = /^\s*"((?:[^"\\]|\\.)*)"\s*$/s;

const unescaped = (text: string) => text.trim().replace(/\\(.)/gs, '$1');

/** Returns the rules of `--active`. Empty if there are none, or if the mapping is invalid. */
export function activeRules(settings: Settings): readonly ActiveRule[] {
  const mapping = readMapping(settings);
  return 'problem' in mapping ? [] : (mapping.active ?? []);
}
