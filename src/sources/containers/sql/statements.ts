import { MAX_RECORD_BYTES } from '../held-records.ts';
import { alterStatement, changeStatement, noteRollback, opaqueStatement } from './changes.ts';
import { noteComment, noteStatement } from './completeness.ts';
import { copyStatement } from './copy-statement.ts';
import { createStatement } from './create-statement.ts';
import { insertStatement, sameInsert } from './insert-statement.ts';
import { type Mode, type Reader, type StatementReader, sessionChanged } from './reader.ts';
import { dropRoleStatement, roleStatement } from './role-statement.ts';
import { applySet, becomes, noteSigns, reconnect, resetPostgres, setPostgres } from './session.ts';
import { skipComment, skipPast, skipStatement } from './skip.ts';
import { commit } from './tables.ts';
import { executableAt, isDashComment, matchAt } from './tokens.ts';
import { LOOKAHEAD, unreadable, type Window } from './window.ts';

/** Includes the end-of-file character of DOS. */
const BETWEEN = new RegExp(`[\\s;${String.fromCharCode(26)}]*`, 'y');
const WORD = /[A-Za-z_]{1,64}/y;
/** Maximum length of an SQL INSERT or COPY before its rows, and of CREATE TABLE. */
const HEAD_MAX_BYTES = 2 * 1024 * 1024;

/** Error output of dump programs that was redirected into the SQL dump. */
const NOISE =
  /(?:mysqldump|mysqlpump|mariadb-dump|pg_dump|pg_dumpall|sqlite3|psql): |(?:Warning|WARNING|Enter password|Password): ?/y;

export function statements(reader: Reader): Mode {
  const mode: Mode = (window) => {
    const { text } = window;
    window.pos += matchAt(BETWEEN, text, window.pos)?.length ?? 0;
    const start = window.pos;
    if (start === text.length || (!window.isEnd && text.length - start < LOOKAHEAD)) return undefined;
    const same = sameInsert(reader, window, mode);
    if (same !== undefined) return same;
    if (reader.dialect.isUnsure) {
      noteSigns(reader.session, text, start);
      sessionChanged(reader, window);
    }
    return commentAt(reader, window, mode) ?? statementAt(reader, window, mode);
  };
  return mode;
}

/** Also reads lines of an SQL dump that are not statements. Returns undefined for anything else. */
function commentAt(reader: Reader, window: Window, then: Mode): Mode | undefined {
  const { text, pos } = window;
  const sign = text.charAt(pos);
  if (reader.delimiter !== ';' && text.startsWith(reader.delimiter, pos)) {
    window.pos += reader.delimiter.length;
    return then;
  }
  if (sign === '\\') return metaCommand(reader, window, then);
  const isDashes = text.startsWith('--', pos) && isDashComment(text, pos, reader.dialect);
  if (isDashes || sign === '#' || matchAt(NOISE, text, pos) !== undefined) {
    noteComment(reader.completeness, text.slice(pos, pos + LOOKAHEAD).split(/\r?\n/, 1)[0] ?? '');
    return skipPast('\n', then);
  }
  if (!text.startsWith('/*', pos)) {
    if (!text.startsWith('*/', pos) || !reader.dialect.hasExecutableComments) return undefined;
    window.pos += 2;
    return then;
  }
  const executable = executableAt(window, pos, reader.dialect) ?? 0;
  if (executable === 0) {
    window.pos += 2;
    return skipComment(reader, then);
  }
  window.pos = executable;
  // MySQL's executable CREATE is for routines and placeholders of views, which have no rows.
  return CREATE.test(text.slice(executable, executable + LOOKAHEAD))
    ? skipStatement(reader, reader.delimiter === ';' ? 'statement' : 'delimited', then)
    : then;
}

const CREATE = /^\s*CREATE\b/i;

function statementAt(reader: Reader, window: Window, then: Mode): Mode | undefined {
  const { text, pos: start } = window;
  const word = matchAt(WORD, text, start) ?? '';
  const upper = word.toUpperCase();
  const read = READERS.get(upper);
  // The file was truncated within the first word of the SQL statement.
  if (start + Math.max(1, word.length) === text.length) return other(reader, window, start, then);
  // Scripts of SQL Server may contain any statement, and line ends within statements. In other dumps, an
  // unknown statement stops the import.
  if (word === '' || (read === undefined && !OTHERS.has(upper) && reader.dialect.name !== 'mssql'))
    throw unreadable(window, start, 'The text');
  if (reader.delimiter !== ';' && upper !== 'DELIMITER') {
    if (ROWS.has(upper)) throw unreadable(window, start, `${upper} with another DELIMITER`);
    if (upper === 'SET' && !applySet(reader.session, window, start + 3, reader.dialect)) return undefined;
    sessionChanged(reader, window);
    return skipStatement(reader, 'delimited', then);
  }
  reader.hasHead ||= upper === 'SET' || upper === 'PRAGMA';
  const next = (read ?? other)(reader, window, start + word.length, then);
  const isInsert = upper === 'INSERT' || upper === 'REPLACE' || upper === 'COPY';
  const maxBytes = isInsert || upper === 'CREATE' || upper === 'SET' ? HEAD_MAX_BYTES : MAX_RECORD_BYTES;
  if (next !== undefined || text.length - start <= maxBytes) return next;
  if (isInsert) throw unreadable(window, start, `${upper}, which is too long,`);
  return other(reader, window, start, then);
}

const other: StatementReader = (reader, _window, _end, then) => skipStatement(reader, 'statement', then);

/** `\connect` opens another session. `\i` and `\copy` read rows from other files, so they stop the import. */
function metaCommand(reader: Reader, window: Window, then: Mode): Mode {
  const line = window.text.slice(window.pos, window.pos + LOOKAHEAD).split(/\r?\n/, 1)[0] ?? '';
  const [, command = '', argument = ''] = /^\\(\w+)\s*(.*)$/.exec(line) ?? [];
  if (command === 'c' || command === 'connect') {
    reader.database =
      /-reuse-previous=on "dbname='?([^'"]+)/.exec(argument)?.[1] ?? argument.trim().replaceAll('"', '');
    reader.schema = undefined;
    reconnect(reader.session);
    sessionChanged(reader, window);
  } else if (command === 'encoding') {
    setPostgres(reader.session, 'client_encoding', argument.trim().replaceAll("'", ''));
    sessionChanged(reader, window);
  } else if (/^(?:i|ir|include|include_relative|copy|if|elif|else|gexec)$/.test(command)) {
    throw unreadable(window, window.pos, `\\${command}`);
  }
  return skipPast('\n', then);
}

const transaction: StatementReader = (reader, window, end, then) => {
  const words = window.text.slice(window.pos, window.pos + LOOKAHEAD);
  noteStatement(reader.completeness, words, reader.dialect);
  if (/^(?:COMMIT|END)\b/i.test(words)) commit(reader.tables);
  else if (/^(?:BEGIN|START)\b/i.test(words)) {
    if (!reader.dialect.hasGoLines) commit(reader.tables);
  } else if (/^(?:ROLLBACK|ABORT)\b/i.test(words) && !/^ROLLBACK\s+PREPARED/i.test(words)) {
    noteRollback(reader, window);
  }
  return other(reader, window, end, then);
};

/** Reads SQL statements that end with their line in scripts of SQL Server. */
const line: StatementReader = (reader, window, end, then) =>
  reader.dialect.hasGoLines ? skipPast('\n', then) : other(reader, window, end, then);

const SEARCH_PATH = /^SET\s+search_path\s*(?:=|TO)\s*(?:"((?:[^"]|"")+)"|'([^']+)'|([\w$]+))/i;
const SET_CONFIG = /^SELECT\s+(?:pg_catalog\.)?set_config\('(\w+)', *'([^']*)'/i;

/** pg_dump before 10.3 sets the search path, and names tables without their schema. */
const set: StatementReader = (reader, window, end, then) => {
  const lead = window.text.slice(window.pos, window.pos + LOOKAHEAD);
  const [found, quoted, single, plain] = SEARCH_PATH.exec(lead) ?? [];
  if (found !== undefined) setSearchPath(reader, quoted?.replaceAll('""', '"') ?? single ?? plain ?? '');
  if (!reader.dialect.hasGoLines) {
    if (!applySet(reader.session, window, end, reader.dialect)) return undefined;
    sessionChanged(reader, window);
  }
  return line(reader, window, end, then);
};

const select: StatementReader = (reader, window, end, then) => {
  const [, name, value = ''] = SET_CONFIG.exec(window.text.slice(window.pos, window.pos + LOOKAHEAD)) ?? [];
  if (name?.toLowerCase() === 'search_path') setSearchPath(reader, value);
  else if (name !== undefined) {
    setPostgres(reader.session, name, value);
    sessionChanged(reader, window);
  }
  return line(reader, window, end, then);
};

function setSearchPath(reader: Reader, name: string): void {
  reader.schema = name === '' || name === 'pg_catalog' ? undefined : name;
  reader.lastInsert = undefined;
}

const reset: StatementReader = (reader, window, end, then) => {
  const name = /^\s*(\w+)/.exec(window.text.slice(end, end + LOOKAHEAD))?.[1] ?? '';
  if (reader.session.family === 'postgres') resetPostgres(reader.session, name);
  sessionChanged(reader, window);
  return other(reader, window, end, then);
};

const USE = /^USE\s+(?:`((?:[^`]|``)+)`|"([^"]+)"|([\w$]+))/i;

/** Databases of a dump may have tables of the same name. SQL Server writes the schema with each table. */
const use: StatementReader = (reader, window, end, then) => {
  const [, quoted, double, plain] = USE.exec(window.text.slice(window.pos, window.pos + LOOKAHEAD)) ?? [];
  if (!reader.dialect.hasGoLines) reader.schema = quoted?.replaceAll('``', '`') ?? double ?? plain;
  reader.lastInsert = undefined;
  return line(reader, window, end, then);
};

const DELIMITER = /DELIMITER[ \t]+(\S+)/iy;

/** MySQL dumps enclose bodies of routines, which have semicolons, in `DELIMITER ;;` and `DELIMITER ;`. */
const delimiter: StatementReader = (reader, window, _end, then) => {
  const [, sign = ';'] = /\s(\S+)$/.exec(matchAt(DELIMITER, window.text, window.pos) ?? '') ?? [];
  reader.delimiter = sign;
  if (reader.session.family !== 'mysql') becomes(reader.session, 'mysql', reader.session.backslashesEscape);
  sessionChanged(reader, window);
  return skipPast('\n', then);
};

const create = roleStatement(createStatement);
const alter = roleStatement(alterStatement(createStatement));
const drop = dropRoleStatement(changeStatement);

const READERS: ReadonlyMap<string, StatementReader> = new Map(
  Object.entries({
    INSERT: insertStatement,
    REPLACE: insertStatement,
    COPY: copyStatement,
    CREATE: create,
    ALTER: alter,
    BEGIN: transaction,
    START: transaction,
    COMMIT: transaction,
    END: transaction,
    ROLLBACK: transaction,
    ABORT: transaction,
    SET: set,
    SELECT: select,
    RESET: reset,
    DISCARD: reset,
    USE: use,
    DELIMITER: delimiter,
    GO: line,
    PRINT: line,
    UPDATE: changeStatement,
    DELETE: changeStatement,
    TRUNCATE: changeStatement,
    DROP: drop,
    RENAME: changeStatement,
    MERGE: changeStatement,
    LOAD: changeStatement,
    BULK: changeStatement,
    IMPORT: changeStatement,
    DO: opaqueStatement,
    CALL: opaqueStatement,
    EXEC: opaqueStatement,
    EXECUTE: opaqueStatement,
    WITH: opaqueStatement,
    PREPARE: opaqueStatement,
    DECLARE: opaqueStatement,
    EXPLAIN: opaqueStatement,
  }),
);

/** First words of SQL statements that contain or change rows. */
const ROWS = new Set(['INSERT', 'REPLACE', 'UPDATE', 'DELETE', 'TRUNCATE', 'MERGE', 'LOAD']);

/** First words of SQL statements that are skipped, because they do not change rows. */
const OTHERS = new Set(
  'ANALYZE ANALYSE ATTACH BACKUP BINLOG CACHE CHANGE CHECK CHECKPOINT CHECKSUM CLOSE CLUSTER COMMENT DBCC DEALLOCATE DENY DETACH DISABLE ENABLE FETCH FLUSH GRANT HANDLER HELP IF INSTALL KILL LISTEN LOCK MOVE NOTIFY OPEN OPTIMIZE PRAGMA PURGE RAISERROR REASSIGN REFRESH REINDEX RELEASE REPAIR RESTORE RETURN REVOKE SAVEPOINT SECURITY SHOW SHUTDOWN STOP TABLE THROW UNINSTALL UNLISTEN UNLOCK VACUUM VALUES WAITFOR WHILE XA'.split(
    ' ',
  ),
);
