import { fieldNamed } from './fields.ts';
import type { MappingProblem } from './mapping.ts';

/** An item up to the next comma: a backslash makes a comma, an equals sign or a backslash one of the name. */
const ITEM = /((?:[^\\,=]|\\.)*)(=?)((?:[^\\,]|\\.)*)(,?)/sy;

/**
 * Reads `email=mail,hash=pw_hash,salt=pw_salt`: what is on the left is taken from the column on the right. On the left stands a
 * field (fields.ts), `identity.<provider>`, or a name that the template uses. Nothing on the right: no column is taken for it,
 * whatever is called so. `\,` and `\=` are a comma and an equals sign in a name.
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
    columns.set(key, unescaped(right) || null);
    if (comma === '' && ITEM.lastIndex < text.length) return problem('expected field=column');
  }
  return columns;
}

const unescaped = (text: string) => text.trim().replace(/\\(.)/gs, '$1');
