import { isJsonObject } from '../../lib/json/json-object.ts';
import { fieldNamed } from './fields.ts';
import type { MappingProblem } from './mapping.ts';

export interface MappingFile {
  columns: ReadonlyMap<string, string | null>;
  hash?: string | undefined;
  algorithm?: string | undefined;
}

const MEMBERS = ['columns', 'hash', 'algorithm'];

/**
 * Parses a mapping file, for `--map @mapping.json`:
 *
 *     {"columns": {"email": "mail", "salt": "pw_salt", "hash": "pw_hash", "verified": null},
 *      "hash": "$pbkdf2-sha256$i=27500${salt|hex}${hash|hex}",
 *      "algorithm": "pbkdf2"}
 *
 * `columns` corresponds to `--map`, and `hash` is the hash template. All members are optional.
 */
export function parseMappingFile(text: string): MappingFile | MappingProblem {
  const json = parseJson(text);
  if (!isJsonObject(json)) return { problem: 'the mapping is not a JSON object' };
  const unknown = Object.keys(json).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined)
    return { problem: `the mapping has a member "${unknown}"; it may have ${MEMBERS.join(', ')}` };
  const columns = columnsOf(json.columns ?? {});
  if ('problem' in columns) return columns;
  const { hash, algorithm } = json;
  if (hash !== undefined && typeof hash !== 'string')
    return { problem: '"hash" of the mapping is not a text' };
  if (algorithm !== undefined && typeof algorithm !== 'string')
    return { problem: '"algorithm" of the mapping is not a text' };
  return { columns, hash, algorithm };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function columnsOf(json: unknown): Map<string, string | null> | MappingProblem {
  if (!isJsonObject(json)) return { problem: '"columns" of the mapping is not an object' };
  const columns = new Map<string, string | null>();
  for (const [name, column] of Object.entries(json)) {
    const key = fieldNamed(name) ?? name;
    if (columns.has(key)) return { problem: `"columns" of the mapping has ${key} twice` };
    if (column !== null && typeof column !== 'string')
      return { problem: `the column of "${name}" is neither a text nor null` };
    columns.set(key, column === '' ? null : column);
  }
  return columns;
}
