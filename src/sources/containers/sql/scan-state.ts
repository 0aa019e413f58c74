import type { Dialect } from './dialect.ts';

/**
 * End of the part of an SQL dump to skip:
 * - `statement`: after its semicolon, or before the next statement in scripts without semicolons
 * - `rows`: like `statement`, for one with rows. A letter directly before or after a text is an error
 * - `row`: after its closing parenthesis
 * - `batch`: at a line `GO`
 * - `routine`: like `statement`, but semicolons in BEGIN … END or in parentheses (of a rule) do not count
 * - `delimited`: after the delimiter set by MySQL's DELIMITER
 */
export type ScanTarget = 'statement' | 'rows' | 'row' | 'batch' | 'routine' | 'delimited';

/** State of skipping a part of an SQL dump, which continues when more of the dump is in memory. */
export interface Scan {
  readonly target: ScanTarget;
  /** End of a statement that MySQL's DELIMITER has set. Used only by `delimited`. */
  readonly delimiter: string;
  /** Text that ends the current SQL string, name or comment. Empty outside of them. */
  closing: string;
  hasEscapes: boolean;
  /** Whether the dump does not show if backslashes begin escapes in the current SQL string. */
  isUnsure: boolean;
  /** Whether the current SQL string is MySQL's `_binary '…'`, whose bytes have no encoding. */
  holdsBytes: boolean;
  /** Number of SQL comments that are open at the current position, as some systems nest comments. */
  comments: number;
  /** A character of a value directly after an SQL string shows that the string has ended too early. */
  isAfterText: boolean;
  depth: number;
  /** The last two words or punctuation marks of the SQL routine. Used only by `routine`. */
  before: readonly [string, string];
  hasBody: boolean;
  /** Whether the word UPDATE occurs outside SQL strings. Used only by `rows`. */
  hasUpdate: boolean;
}

export const startScan = (target: ScanTarget, delimiter = ';'): Scan => ({
  target,
  delimiter,
  closing: '',
  hasEscapes: false,
  isUnsure: false,
  holdsBytes: false,
  comments: 0,
  isAfterText: false,
  depth: 0,
  before: ['', ''],
  hasBody: false,
  hasUpdate: false,
});

const SIGNS: Readonly<Record<ScanTarget, string>> = {
  statement: '\'"`;-/',
  rows: '\'"`;-/Uu',
  row: '\'"`;-/()',
  batch: '\'"`-/',
  routine: '\'"`;-/()',
  delimited: '\'"`-/',
};

const STOPS = new Map<string, WeakMap<Dialect, Uint8Array>>();

/** Returns the characters of an SQL dump at which skipping must stop for a closer look. */
export function stopsOf({ target, delimiter }: Scan, dialect: Dialect): Uint8Array {
  const key = target === 'delimited' ? delimiter.charAt(0) : target;
  let ofTarget = STOPS.get(key);
  if (ofTarget === undefined) {
    ofTarget = new WeakMap();
    STOPS.set(key, ofTarget);
  }
  const known = ofTarget.get(dialect);
  if (known !== undefined) return known;
  const stops = new Uint8Array(256);
  const set = (signs: string) => {
    for (const sign of signs) stops[sign.charCodeAt(0)] = 1;
  };
  set(SIGNS[target]);
  if (target === 'delimited') set(delimiter.charAt(0));
  if (dialect.hasHashComments) set('#');
  if (dialect.hasBracketNames) set('[');
  if (dialect.hasPostgresStrings) set('$');
  if (mayLackSemicolons(dialect)) set('\n');
  if (target === 'routine') set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_');
  ofTarget.set(dialect, stops);
  return stops;
}

/** A dump of an unknown system may be a script of SQL Server, whose statements may lack semicolons. */
const mayLackSemicolons = (dialect: Dialect): boolean => dialect.hasGoLines || dialect.name === 'standard';
