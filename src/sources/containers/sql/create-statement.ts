import { columnsAt } from './columns.ts';
import { type StatementReader, tableOf } from './reader.ts';
import { skipStatement } from './skip.ts';
import { tableNameAt } from './table-name.ts';
import { noteChange, setCreated } from './tables.ts';
import { type Token, tokenAt } from './tokens.ts';
import { placeOf } from './window.ts';

const MODIFIERS = new Set([
  'OR',
  'REPLACE',
  'ALTER',
  'TEMP',
  'TEMPORARY',
  'GLOBAL',
  'LOCAL',
  'UNLOGGED',
  'CACHED',
  'MEMORY',
  'FOREIGN',
  'CONSTRAINT',
]);
/** Database objects whose definition may contain statements, so that a semicolon need not end it. */
const ROUTINES = new Set(['FUNCTION', 'PROCEDURE', 'PROC', 'TRIGGER', 'RULE']);

export const createStatement: StatementReader = (reader, window, end, then) => {
  const { dialect, tables } = reader;
  let token = tokenAt(window, end, dialect);
  while (token?.kind === 'word' && MODIFIERS.has(token.text)) token = tokenAt(window, token.end, dialect);
  if (token === undefined) return undefined;
  if (token.text !== 'TABLE') {
    if (!ROUTINES.has(token.text)) return skipStatement(reader, 'statement', then);
    return skipStatement(reader, dialect.hasGoLines ? 'batch' : 'routine', then);
  }
  let first: Token | undefined = tokenAt(window, token.end, dialect);
  const isConditional = first?.text === 'IF';
  while (first?.text === 'IF' || first?.text === 'NOT' || first?.text === 'EXISTS') {
    first = tokenAt(window, first.end, dialect);
  }
  const name = first && tableNameAt(window, first, dialect);
  if (name === undefined) return undefined;
  if (name !== null && name.next.text === '(') {
    const columns = columnsAt(window, name.next.end, dialect);
    if (columns === undefined) return undefined;
    const table = tableOf(reader, name.parts);
    if (table.met !== undefined && !isConditional)
      noteChange(table, `CREATE TABLE at ${placeOf(window, window.pos)} creates it again, after its rows`);
    // CREATE TABLE may have no columns of its own: `CREATE TABLE a (LIKE b)`.
    if (columns.length > 0 && !(isConditional && table.created !== undefined))
      setCreated(tables, table, columns);
    reader.lastInsert = undefined;
  }
  return skipStatement(reader, 'statement', then);
};
