import { OPEN_ARRAY } from './bytes.ts';

/** Which values of a document are tables, and where they must be looked for. Paths are dotted; they count elements from 0. */
export interface JsonPaths {
  /** What to do with a value that opens with this bracket. */
  placeOf(path: string, opening: number): 'table' | 'inside' | 'other';
  /** @param name the member `name` of the object that the array stands in, if it came before it */
  tableName(path: string, name: string): string;
  /** Are other members of use? */
  readonly keepsRoot: boolean;
}

/** Where arrays of users stand, and hardly anything else. */
export const SURE_PATHS: readonly string[] = ['users', 'Users', 'results', 'db.0.data.users', 'data.users'];
/** Users have lists of these names too. */
export const SHARED_PATHS: readonly string[] = ['identities', 'data', 'items'];

export const KNOWN_PATHS: JsonPaths = pathsTo([...SURE_PATHS, ...SHARED_PATHS]);

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
  };
}

/** `a.b.c` stands in `a.b`, and that in `a`. */
function pathsAbove(path: string): string[] {
  const keys = path.split('.');
  return keys.slice(1).map((_, index) => keys.slice(0, index + 1).join('.'));
}

/** `[{"type":"header",…},{"type":"table","name":…,"data":[…]}]`, as phpMyAdmin writes it. */
export const PHPMYADMIN_PATHS: JsonPaths = {
  placeOf(path, opening) {
    if (/^\d+$/.test(path)) return 'inside';
    return opening === OPEN_ARRAY && /^\d+\.data$/.test(path) ? 'table' : 'other';
  },
  tableName: (_, name) => name,
  keepsRoot: false,
};

/** The member `type` comes first always. */
export const PHPMYADMIN_HEAD = /^\[\s{0,99}\{\s{0,99}"type"\s{0,99}:\s{0,99}"(?:header|database|table)"/;

/** The value at a dotted path. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
