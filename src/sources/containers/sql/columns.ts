import type { ColumnKind } from './cell.ts';
import type { Dialect } from './dialect.ts';
import { type Token, tokenAt } from './tokens.ts';
import type { Window } from './window.ts';

export interface Column {
  name: string;
  kind: ColumnKind;
  /** Computed. Some dumps omit such columns from their SQL rows. */
  isGenerated: boolean;
}

/** No SQL database permits more columns. */
const COLUMNS_MAX = 32_767;

const TOKENS_MAX = 64;

/** Words that begin an item of CREATE TABLE that is not a column, regardless of the next word. */
const ITEMS = new Set(['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'FOREIGN', 'CHECK', 'LIKE']);
const KEY_ITEMS = new Set(['KEY', 'INDEX', 'FULLTEXT', 'SPATIAL']);

/** Reads columns from after the parenthesis of CREATE TABLE. Undefined if more of the dump is needed. */
export function columnsAt(window: Window, from: number, dialect: Dialect): readonly Column[] | undefined {
  const columns: Column[] = [];
  let item: Token[] = [];
  let depth = 0;
  for (let pos = from; ; ) {
    const token = tokenAt(window, pos, dialect);
    if (token === undefined) return undefined;
    pos = token.end;
    if (depth === 0 && (token.text === ',' || token.text === ')')) {
      const column = columnOf(item, dialect);
      if (column !== undefined && columns.length < COLUMNS_MAX) columns.push(column);
      item = [];
      if (token.text === ')') return columns;
    } else {
      // In parentheses, only the length of the SQL type is kept, as in `binary(16)`.
      if (item.length < TOKENS_MAX && (depth === 0 || item.length === 3)) item.push(token);
      if (token.text === '(') depth++;
      else if (token.text === ')') depth--;
    }
  }
}

function columnOf(item: readonly Token[], dialect: Dialect): Column | undefined {
  const [first, second, third, fourth] = item;
  if (first === undefined || first.kind === 'other') return undefined;
  if (first.kind === 'word' && isOtherItem(first.text, second?.text ?? '', dialect)) return undefined;
  const length = third?.text === '(' ? (fourth?.text ?? '') : '';
  return {
    name: first.name,
    kind: kindOf(second?.name.toLowerCase() ?? '', length, dialect),
    isGenerated: isGenerated(item),
  };
}

/**
 * `key text` is a column in PostgreSQL and SQLite. `KEY name (column)` is an index in MySQL, whose dumps
 * quote all names of columns.
 */
function isOtherItem(word: string, next: string, dialect: Dialect): boolean {
  if (ITEMS.has(word) || (dialect.hasKeyItems && KEY_ITEMS.has(word))) return true;
  return (word === 'EXCLUDE' && (next === 'USING' || next === '(')) || (word === 'PERIOD' && next === 'FOR');
}

const BYTES = new Set([
  'binary',
  'varbinary',
  'tinyblob',
  'blob',
  'mediumblob',
  'longblob',
  'geometry',
  'point',
  'image',
]);

/** Only MySQL and MariaDB write bytes as plain strings, so the SQL type is needed to recognise them. */
function kindOf(type: string, length: string, dialect: Dialect): ColumnKind {
  if (type === 'binary' && length === '16') return 'uuid';
  if (type === 'bit' && dialect.name === 'mysql') return 'bits';
  if (dialect.name === 'mysql') return BYTES.has(type) ? 'bytes' : 'text';
  return undefined;
}

/** `GENERATED ALWAYS AS (…)` or `AS (…)`, but not `GENERATED ALWAYS AS IDENTITY`. */
const isGenerated = (item: readonly Token[]): boolean =>
  item.some((token, index) => token.text === 'AS' && item[index + 1]?.text === '(');
