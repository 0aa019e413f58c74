import type { ColumnKind } from './cell.ts';
import type { Dialect } from './dialect.ts';
import { type Token, tokenAt } from './tokens.ts';
import type { Window } from './window.ts';

/** A column, by what CREATE TABLE says of it. */
export interface Column {
  name: string;
  kind: ColumnKind;
  /** Its values are computed: some dumps leave them out of their rows. */
  isGenerated: boolean;
}

/** With as many columns a table would be refused by every database. */
const COLUMNS_MAX = 32_767;

/** So much of an item is looked at. */
const TOKENS_MAX = 64;

/** What begins an item of CREATE TABLE that is no column, where the word after it does not say more. */
const ITEMS = new Set(['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'FOREIGN', 'CHECK', 'LIKE']);
const KEY_ITEMS = new Set(['KEY', 'INDEX', 'FULLTEXT', 'SPATIAL']);

/**
 * Reads what stands in the parentheses of CREATE TABLE, from the token after the opening one.
 * @returns undefined where the window ends first
 */
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
      // Of what stands in parentheses, only the length of a type counts: `binary(16)`.
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

/** `key text` is a column of PostgreSQL and SQLite, `KEY name (column)` an index of MySQL, whose dumps quote all names. */
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

/** Only MySQL and MariaDB write bytes as plain strings, so that the type must say it. */
function kindOf(type: string, length: string, dialect: Dialect): ColumnKind {
  if (type === 'binary' && length === '16') return 'uuid';
  if (type === 'bit' && dialect.name === 'mysql') return 'bits';
  if (dialect.name === 'mysql') return BYTES.has(type) ? 'bytes' : 'text';
  return undefined;
}

/** `GENERATED ALWAYS AS (…)`, `AS (…)`; not `GENERATED ALWAYS AS IDENTITY`. */
const isGenerated = (item: readonly Token[]): boolean =>
  item.some((token, index) => token.text === 'AS' && item[index + 1]?.text === '(');
