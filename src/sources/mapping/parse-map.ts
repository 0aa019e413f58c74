import { fieldNamed } from './fields.ts';
import type { MappingProblem } from './mapping.ts';

/** One item of `--map`, up to the next comma. A comma in double quotes belongs to the name of the column. */
const ITEM = /((?:[^\\,=]|\\.)*)(=?)(\s*"(?:[^"\\]|\\.)*"\s*(?=,|$)|(?:[^\\,]|\\.)*)(,?)/sy;

/**
 * Parses `--map`, such as `email=mail,hash=pw_hash,salt=pw_salt`. The left side is a field (fields.ts),
 * `identity.<provider>`, `metadata.<name>`, or a name used by the hash template. An empty right side means
 * that no column has the field, even if one has a matching name. `\,`, `\=` and `\"` are literal characters.
 * Quotes around the name of a column (`metadata.name="Full name"`) are not part of it.
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
