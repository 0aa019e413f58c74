import { BadRecord, FileProblem } from '../table.ts';
import type { Reader, StatementReader } from './reader.ts';
import { skipStatement } from './skip.ts';
import { addRow, noteChange, noteRows, type Table, tableNamed } from './tables.ts';
import { type Token, tokenAt, tokensOf } from './tokens.ts';
import { placeOf, type Window } from './window.ts';

/**
 * Roles of PostgreSQL. pg_dumpall writes each role as `CREATE ROLE name`, followed by one `ALTER ROLE name
 * WITH` with all its properties. The role is read as a row of pg_authid, the system table that stores it.
 */
const TABLE = 'pg_catalog.pg_authid';
const COLUMNS = [
  'rolname',
  'rolsuper',
  'rolcanlogin',
  'rolconnlimit',
  'rolpassword',
  'rolvaliduntil',
] as const;

/** Limits memory. The names of roles are kept to recognise a second statement, which changes the role. */
const ROLES_MAX = 200_000;
/** Maximum number of tokens in a PostgreSQL statement about a role. pg_dumpall never writes as many. */
const TOKENS_MAX = 200;

/** Options of PostgreSQL's CREATE ROLE that set a column to true, or to false with the prefix `NO`. */
const FLAGS: Readonly<Record<string, string | undefined>> = { LOGIN: 'rolcanlogin', SUPERUSER: 'rolsuper' };
const OTHER_FLAGS = new Set(['CREATEDB', 'CREATEROLE', 'CREATEUSER', 'INHERIT', 'REPLICATION', 'BYPASSRLS']);
const KINDS = new Set(['ROLE', 'USER']);

export const roleStatement =
  (others: StatementReader): StatementReader =>
  (reader, window, end, then) => {
    if (reader.session.family !== 'postgres') return others(reader, window, end, then);
    const kind = tokenAt(window, end, reader.dialect);
    if (kind === undefined) return others(reader, window, end, then);
    if (kind.kind !== 'word' || !KINDS.has(kind.text)) return others(reader, window, end, then);
    const tokens = tokensOf(window, kind.end, reader.dialect, TOKENS_MAX);
    if (tokens === undefined) return undefined;
    takeRole(reader, window, end, kind.text, tokens);
    return skipStatement(reader, 'statement', then);
  };

/** DROP ROLE or DROP OWNED makes the table of roles be refused: an earlier role may no longer exist. */
export const dropRoleStatement =
  (others: StatementReader): StatementReader =>
  (reader, window, end, then) => {
    const table = reader.tables.byName.get(TABLE);
    const kind = table?.met && tokenAt(window, end, reader.dialect);
    if (table !== undefined && kind !== undefined && (KINDS.has(kind.text) || kind.text === 'OWNED'))
      change(table, window, `DROP ${kind.text}`);
    return others(reader, window, end, then);
  };

function takeRole(reader: Reader, window: Window, end: number, kind: string, [role, ...rest]: Token[]): void {
  const isCreated = window.text.slice(window.pos, end).toUpperCase() === 'CREATE';
  const [first] = rest;
  // `CREATE USER MAPPING FOR …` and `ALTER ROLE name [IN DATABASE …] SET …` do not define roles.
  if (role === undefined || (role.kind === 'word' && role.text === 'MAPPING')) return;
  if (first?.kind === 'word' && /^(?:SET|RESET|IN)$/.test(first.text) && !isCreated) return;
  const table = tableNamed(reader.tables, TABLE);
  const verb = `${isCreated ? 'CREATE' : 'ALTER'} ${kind}`;
  const options = first?.text === 'WITH' ? rest.slice(1) : rest;
  // pg_dumpall writes all properties of a role in the ALTER ROLE that follows CREATE ROLE.
  if (isCreated && options.length === 0) return;
  if (reader.roles.has(role.name)) {
    change(table, window, verb);
    return;
  }
  if (reader.roles.size === ROLES_MAX)
    throw new FileProblem(
      'FILE_INVALID',
      `The dump has more than ${ROLES_MAX} roles. Split it into several files, and import each file separately.`,
    );
  reader.roles.add(role.name);
  noteRows(reader.tables, table, verb, reader.database);
  const isWhole = rest.length + 1 < TOKENS_MAX;
  const found = isWhole && first?.text !== 'RENAME' ? optionsOf(options) : undefined;
  if (found === undefined) {
    const problem = 'The statement has options of a role that pg_dumpall does not write.';
    addRow(reader.tables, table, COLUMNS, new BadRecord('SQL_INVALID', problem), 0);
    return;
  }
  const canLogIn = isCreated && kind === 'USER' ? { rolcanlogin: 'true' } : {};
  addRow(reader.tables, table, COLUMNS, { rolname: role.name, ...canLogIn, ...found }, end - window.pos);
}

const change = (table: Table, window: Window, verb: string): void =>
  noteChange(table, `${verb} at ${placeOf(window, window.pos)} changes a role before it`);

/** Returns undefined if an option of a role is unknown, because the rest may then be misread. */
function optionsOf(tokens: readonly Token[]): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  for (let at = 0; at < tokens.length; ) {
    const [token, next, further] = tokens.slice(at, at + 3);
    const word = token?.kind === 'word' ? token.text : '';
    const plain = word.replace(/^NO(?=.)/, '');
    if (OTHER_FLAGS.has(plain)) at += 1;
    else if (FLAGS[plain] !== undefined) {
      found[FLAGS[plain]] = String(plain === word);
      at += 1;
    } else if (word === 'ENCRYPTED') at += 1;
    else if (word === 'PASSWORD' && next?.kind === 'string') {
      found.rolpassword = next.name;
      at += 2;
    } else if (word === 'PASSWORD' && next?.text === 'NULL') at += 2;
    else if (word === 'VALID' && next?.text === 'UNTIL' && further?.kind === 'string') {
      found.rolvaliduntil = further.name;
      at += 3;
    } else if (word === 'CONNECTION' && next?.text === 'LIMIT' && further !== undefined) {
      const isNegative = further.text === '-';
      found.rolconnlimit = isNegative ? '-1' : further.text;
      at += isNegative ? 4 : 3;
    } else return undefined;
  }
  return found;
}
