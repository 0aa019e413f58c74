import type { Dialect } from './dialect.ts';

/**
 * Where a statement or a row that is passed over ends:
 * - `statement`: after its semicolon (or where the next line begins another one, in scripts without semicolons)
 * - `rows`: the same, of a statement with rows: a text next to a letter stops the reading
 * - `row`: after the parenthesis that closes it
 * - `batch`: where a line has `GO`
 * - `routine`: as a statement, but semicolons between BEGIN and END, or in parentheses (of a rule), do not count
 * - `delimited`: after the delimiter that MySQL's DELIMITER names
 */
export type ScanTarget = 'statement' | 'rows' | 'row' | 'batch' | 'routine' | 'delimited';

/** How far a statement has been passed over, from window to window. */
export interface Scan {
  readonly target: ScanTarget;
  /** Of `delimited`. */
  readonly delimiter: string;
  /** What ends the string, name or comment that it stands in. Empty: it stands in none. */
  closing: string;
  /** Whether backslashes escape in it. */
  hasEscapes: boolean;
  /** Whether that is not known. */
  isUnsure: boolean;
  /** MySQL's `_binary '…'`: bytes, which are in no encoding. */
  holdsBytes: boolean;
  /** Comments that are open. */
  comments: number;
  /** Whether a text ends just before. */
  isAfterText: boolean;
  depth: number;
  /** The last two words or signs, of a routine. */
  before: readonly [string, string];
  hasBody: boolean;
  /** Of `rows`: whether the word UPDATE stands outside of texts. */
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

/** Signs at which a scan must look closer. */
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

/** A dump of no system that is known may be a script of SQL Server. */
const mayLackSemicolons = (dialect: Dialect): boolean => dialect.hasGoLines || dialect.name === 'standard';
