import { OPEN_ARRAY } from './bytes.ts';

/** Finds arrays of records in a JSON document. Paths are dotted; array elements are numbered from 0. */
export interface JsonPaths {
  /** Returns `inside` for a JSON value that contains arrays of records. */
  placeOf(path: string, opening: number): 'table' | 'inside' | 'other';
  /** `name`: the member `name` of the object around the JSON array, if it came before the array. */
  tableName(path: string, name: string): string;
  /** Members beside the JSON list of users may be settings of the export. */
  readonly keepsRoot: boolean;
  /** Lists at other paths are tables, too: a JSON object may hold one for each table of a database. */
  readonly findsTables: boolean;
}

/** Paths of JSON arrays that almost always contain users. */
export const SURE_PATHS: readonly string[] = ['users', 'Users', 'results', 'db.0.data.users', 'data.users'];
/** Paths of JSON arrays that may contain users, but also occur inside a single user. */
export const SHARED_PATHS: readonly string[] = ['identities', 'data', 'items'];

/** Paths of JSON arrays with additional data about the users in the same document. */
const BESIDE_PATHS: readonly string[] = ['organizations', 'third_party_links'];

export const KNOWN_PATHS: JsonPaths = {
  ...pathsTo([...SURE_PATHS, ...SHARED_PATHS, ...BESIDE_PATHS]),
  findsTables: true,
};

export function pathsTo(tables: readonly string[]): JsonPaths {
  const ends = new Set(tables);
  const within = new Set(tables.flatMap(pathsAbove));
  return {
    placeOf(path, opening) {
      if (opening === OPEN_ARRAY && ends.has(path)) return 'table';
      return within.has(path) ? 'inside' : 'other';
    },
    tableName: (path) => path,
    keepsRoot: true,
    findsTables: false,
  };
}

function pathsAbove(path: string): string[] {
  const keys = path.split('.');
  return keys.slice(1).map((_, index) => keys.slice(0, index + 1).join('.'));
}

/** JSON of phpMyAdmin: `[{"type":"header",…},{"type":"table","name":…,"data":[…]}]`. */
export const PHPMYADMIN_PATHS: JsonPaths = {
  placeOf(path, opening) {
    if (/^\d+$/.test(path)) return 'inside';
    return opening === OPEN_ARRAY && /^\d+\.data$/.test(path) ? 'table' : 'other';
  },
  tableName: (_, name) => name,
  keepsRoot: false,
  findsTables: false,
};

/** phpMyAdmin always writes the JSON member `type` first. */
export const PHPMYADMIN_HEAD = /^\[\s{0,99}\{\s{0,99}"type"\s{0,99}:\s{0,99}"(?:header|database|table)"/;

export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
