import { noteComment, noteStatement } from './completeness.ts';
import { copyStatement } from './copy-statement.ts';
import { createStatement } from './create-statement.ts';
import { insertStatement, sameInsert } from './insert-statement.ts';
import type { Mode, Reader, StatementReader } from './reader.ts';
import { skipPast, skipStatement } from './skip.ts';
import { matchAt } from './tokens.ts';
import { LOOKAHEAD } from './window.ts';

/** As long may be what stands before rows, and CREATE TABLE. A statement that is longer is passed over. */
const HEAD_MAX_BYTES = 2 * 1024 * 1024;

const BETWEEN = /[\s;]*/y;
const WORD = /[A-Za-z_]{1,64}/y;
/**
 * A comment, a command of psql, or what a program said on its error output, where that went into the dump
 * ("mysqldump: [Warning] Using a password on the command line interface can be insecure.").
 */
const LINE = /(?:--|#|\\|mysqldump: |mariadb-dump: |pg_dump: |pg_dumpall: )/y;

/** Reads one statement after the other. */
export function statements(reader: Reader): Mode {
  const mode: Mode = (window) => {
    const { text } = window;
    window.pos += matchAt(BETWEEN, text, window.pos)?.length ?? 0;
    const start = window.pos;
    if (start === text.length || (!window.isEnd && text.length - start < LOOKAHEAD)) return undefined;
    const same = sameInsert(reader, window, mode);
    if (same !== undefined) return same;
    if (matchAt(LINE, text, start) !== undefined) {
      noteComment(reader.completeness, text.slice(start, start + LOOKAHEAD).split(/\r?\n/, 1)[0] ?? '');
      return skipPast('\n', mode);
    }
    if (text.startsWith('/*', start)) {
      window.pos += 2;
      return skipPast('*/', mode);
    }
    const word = matchAt(WORD, text, start) ?? '';
    const read = READERS[word.toUpperCase()] ?? other;
    const next = read(reader, window, start + word.length, mode);
    const isTooLong = text.length - start > HEAD_MAX_BYTES;
    return next === undefined && isTooLong ? other(reader, window, start, mode) : next;
  };
  return mode;
}

const other: StatementReader = (reader, _window, _end, then) => skipStatement(reader, 'statement', then);

const transaction: StatementReader = (reader, window, end, then) => {
  noteStatement(reader.completeness, window.text.slice(window.pos, window.pos + LOOKAHEAD), reader.dialect);
  return other(reader, window, end, then);
};

/** What ends with its line in scripts of SQL Server. */
const line: StatementReader = (reader, window, end, then) =>
  reader.dialect.hasGoLines ? skipPast('\n', then) : other(reader, window, end, then);

const SEARCH_PATH = /^SET\s+search_path\s*(?:=|TO)\s*(?:"((?:[^"]|"")+)"|'([^']+)'|([\w$]+))/i;
const SET_CONFIG = /^SELECT\s+pg_catalog\.set_config\('search_path', '([^']*)'/i;

/** pg_dump before 10.3 names tables without their schema, and sets the search path before. */
const searchPath: StatementReader = (reader, window, end, then) => {
  const lead = window.text.slice(window.pos, window.pos + LOOKAHEAD);
  const [, quoted, single, plain] = SEARCH_PATH.exec(lead) ?? SET_CONFIG.exec(lead) ?? [];
  const name = quoted?.replaceAll('""', '"') ?? single ?? plain;
  if (quoted !== undefined || name !== undefined) {
    reader.schema = name === '' || name === 'pg_catalog' ? undefined : name;
    reader.lastInsert = undefined;
  }
  return line(reader, window, end, then);
};

const USE = /^USE\s+(?:`((?:[^`]|``)+)`|"([^"]+)"|([\w$]+))/i;

/** A dump of several databases has tables of the same name in each. SQL Server names the schema with each table. */
const use: StatementReader = (reader, window, end, then) => {
  const [, quoted, double, plain] = USE.exec(window.text.slice(window.pos, window.pos + LOOKAHEAD)) ?? [];
  if (!reader.dialect.hasGoLines) reader.schema = quoted?.replaceAll('``', '`') ?? double ?? plain;
  reader.lastInsert = undefined;
  return line(reader, window, end, then);
};

const DELIMITER = /DELIMITER[ \t]+(\S+)/iy;

/** Bodies of routines, which hold statements of their own, stand between `DELIMITER ;;` and `DELIMITER ;`. */
const delimiter: StatementReader = (_reader, window, _end, then) => {
  const isBack = /[ \t];$/.test(matchAt(DELIMITER, window.text, window.pos) ?? '');
  return isBack ? skipPast('\n', then) : skipPast('\nDELIMITER ;', then);
};

const READERS: Readonly<Record<string, StatementReader>> = {
  INSERT: insertStatement,
  REPLACE: insertStatement,
  COPY: copyStatement,
  CREATE: createStatement,
  ALTER: createStatement,
  BEGIN: transaction,
  START: transaction,
  COMMIT: transaction,
  ROLLBACK: transaction,
  SET: searchPath,
  SELECT: searchPath,
  USE: use,
  DELIMITER: delimiter,
  GO: line,
  PRINT: line,
};
