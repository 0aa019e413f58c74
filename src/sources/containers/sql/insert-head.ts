import type { Dialect } from './dialect.ts';
import { tableNameAt } from './table-name.ts';
import { type Token, tokenAt } from './tokens.ts';
import type { Window } from './window.ts';

export interface InsertHead {
  table: readonly string[];
  columns: readonly string[] | undefined;
  /** The INSERT has the word REPLACE before the table, so that it may replace earlier rows. */
  replaces: boolean;
  /** Index after VALUES. Undefined without VALUES, as in INSERT … SELECT. */
  end: number | undefined;
}

const MODIFIERS = new Set([
  'INTO',
  'IGNORE',
  'OR',
  'REPLACE',
  'ABORT',
  'FAIL',
  'ROLLBACK',
  'LOW_PRIORITY',
  'DELAYED',
  'HIGH_PRIORITY',
]);
const NAMES_MAX = 32_767;

/** Reads from after INSERT. Undefined if more of the dump is needed, null if the statement is no INSERT. */
export function insertHeadAt(window: Window, pos: number, dialect: Dialect): InsertHead | undefined | null {
  let first = tokenAt(window, pos, dialect);
  let replaces = false;
  while (first?.kind === 'word' && MODIFIERS.has(first.text)) {
    replaces ||= first.text === 'REPLACE';
    first = tokenAt(window, first.end, dialect);
  }
  if (first === undefined) return undefined;
  const name = tableNameAt(window, first, dialect);
  if (name === undefined || name === null) return name;
  const names = namesAt(window, name.next, dialect);
  if (names === undefined) return undefined;
  if (names === null) return { table: name.parts, columns: undefined, replaces, end: undefined };
  let next: Token | undefined = names.next;
  // `INSERT INTO t (a) OVERRIDING SYSTEM VALUE VALUES (1)`
  if (next.text === 'OVERRIDING') {
    for (let words = 0; words < 3 && next !== undefined; words++) next = tokenAt(window, next.end, dialect);
    if (next === undefined) return undefined;
  }
  const hasValues = next.text === 'VALUES' || next.text === 'VALUE';
  return { table: name.parts, columns: names.names, replaces, end: hasValues ? next.end : undefined };
}

/** Undefined if more of the SQL dump is needed, null if the parentheses contain anything but names. */
export function namesAt(
  window: Window,
  open: Token,
  dialect: Dialect,
): { names: string[] | undefined; next: Token } | undefined | null {
  if (open.text !== '(') return { names: undefined, next: open };
  const names: string[] = [];
  for (let pos = open.end; ; ) {
    const name = tokenAt(window, pos, dialect);
    const sign = name && tokenAt(window, name.end, dialect);
    if (name === undefined || sign === undefined) return undefined;
    if (name.kind === 'other' || names.length === NAMES_MAX) return null;
    names.push(name.name);
    pos = sign.end;
    if (sign.text === ',') continue;
    if (sign.text !== ')') return null;
    const next = tokenAt(window, pos, dialect);
    return next && { names, next };
  }
}
