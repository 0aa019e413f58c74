import { type Beginning, type Container, FileProblem, type KindMatch } from '../table.ts';
import { Session } from './dialects.ts';
import type { Reader } from './rows.ts';
import { Script } from './script.ts';
import { readStatements } from './statements.ts';
import { Tables } from './tables.ts';
import { ValueReader } from './values.ts';

/**
 * Size of the part of a dump in memory; larger if a row is longer. Its rows should become garbage before the garbage
 * collector has visited them twice: parts of four times this size needed 50% more CPU.
 */
const PART_BYTES = 64 * 1024;

/**
 * Reads dumps of pg_dump, mysqldump, MariaDB, phpMyAdmin and SQLite, and scripts of SQL Server. All text except
 * values of binary columns must be UTF-8.
 * @throws FileProblem FILE_TRUNCATED after the last complete row; ENCODING_INVALID; FILE_INVALID
 */
export const readSql: Container = async function* (bytes, { sqlDialect, encoding }, wanted) {
  const session = new Session(sqlDialect, encoding !== undefined);
  const script = new Script(session);
  const reader: Reader = {
    script,
    tables: new Tables(session, wanted),
    values: new ValueReader(script),
    dumps: 0,
    isInTransaction: false,
    hasNoSemicolons: false,
    hasHead: false,
  };
  const statements = readStatements(reader);
  for await (const _ of partsOf(bytes, script)) {
    const problem = readPart(reader, statements);
    yield* reader.tables.takeBatches();
    if (problem !== undefined) throw problem;
  }
};

/** Reads the part in memory. Returns the problem that stopped the reading, so that rows before it are still yielded. */
function readPart(reader: Reader, statements: Generator<void>): FileProblem | undefined {
  const { script, tables } = reader;
  try {
    statements.next();
    if (!script.isEnd) return undefined;
    tables.askForEmpty();
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    tables.askForEmpty();
    return error;
  }
  if (reader.dumps > 0)
    return script.truncated(
      'the last line of such a dump, "-- PostgreSQL database dump complete" or "-- Dump completed on …",',
    );
  return reader.isInTransaction
    ? script.truncated('the COMMIT of the transaction that the dump is in')
    : undefined;
}

/**
 * Loads a dump part by part. A part is at least as large as the unread rest before it, to limit how often it is
 * copied.
 */
async function* partsOf(bytes: AsyncIterable<Buffer>, script: Script): AsyncGenerator<void> {
  let text = '';
  let enough = PART_BYTES;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += PART_BYTES) {
      text += chunk.toString('latin1', at, at + PART_BYTES);
      if (text.length < enough) continue;
      script.load(text, false);
      yield;
      text = '';
      enough = Math.max(PART_BYTES, script.ahead);
    }
  }
  script.load(text, true);
  yield;
}

/** White space, output lines of dump programs, and comments, which may precede the first statement of an SQL dump. */
const SPACE = /[\s;]+/y;
const PROGRAM_LINE =
  /(?:\\(?:un)?restrict |\\connect |(?:mysqldump|mariadb-dump|pg_dump|pg_dumpall): )[^\n]*(?:\n|$)/y;
const LINE_COMMENT = /(?:--|#)[^\n]*(?:\n|$)/y;
const BLOCK_COMMENT = '*/';

/** Comments that occur only at the start of SQL dumps. */
const SIGNS = /(?:-- (?:PostgreSQL database|(?:MySQL|MariaDB) dump|phpMyAdmin|Dump)|\/\*M?!\d)/y;

/** Any SQL statement. Sufficient if a comment that only dumps have (`SIGNS`) precedes it. */
const ANY_STATEMENT = /(?:[A-Za-z]{2,}(?:\s|$)|\\)/y;

/**
 * Beginnings of SQL statements, of several words, because a header of CSV may begin with the first word of a
 * statement.
 */
const STATEMENTS: readonly RegExp[] = [
  /INSERT\s+(?:(?:OR|IGNORE|REPLACE|LOW_PRIORITY|DELAYED)\s+)*(?:INTO\s+[^\s,;]|\[)/iy,
  /REPLACE\s+INTO\s+[^\s,;]/iy,
  /CREATE\s+(?:\/\*.{0,40}\*\/\s*)?(?:OR\s+REPLACE\s+)?(?:(?:TEMP|TEMPORARY|UNLOGGED|FOREIGN|VIRTUAL|UNIQUE|GLOBAL|LOCAL)\s+)*(?:TABLE|DATABASE|SCHEMA|EXTENSION|TYPE|FUNCTION|PROCEDURE|SEQUENCE|INDEX|VIEW|TRIGGER|ROLE|USER|DOMAIN)\s+[^\s,;]/iy,
  /(?:DROP|ALTER)\s+(?:TABLE|DATABASE|SCHEMA|SEQUENCE|INDEX|VIEW|ROLE|USER|TYPE|FUNCTION|TRIGGER|PROCEDURE|EXTENSION)\s+[^\s,;]/iy,
  /COPY\s+[^\s,;]+\s*(?:\([^;]*\)\s*)?FROM\s+stdin/iy,
  /SET\s+(?:NAMES\s|(?:SESSION|GLOBAL|LOCAL)\s|[@\w.]+\s*(?:=|TO\s)|(?:ANSI_NULLS|QUOTED_IDENTIFIER|IDENTITY_INSERT|NOCOUNT|XACT_ABORT|ANSI_PADDING)\s)/iy,
  /SELECT\s+pg_catalog\./iy,
  /PRAGMA\s+\w+\s*[=;(]/iy,
  /BEGIN(?:\s+TRANSACTION|\s+WORK)?\s*;/iy,
  /START\s+TRANSACTION\b/iy,
  /IF\s+(?:NOT\s+)?EXISTS\s*\(/iy,
  /(?:LOCK|UNLOCK)\s+TABLES\b/iy,
  /TRUNCATE\s+TABLE\s+[^\s,;]/iy,
  /DELETE\s+FROM\s+[^\s,;]/iy,
  /USE\s+(?:`[^`\n]+`|\[[^\]\n]+\]|\w+)\s*(?:;|\r?\nGO\b)/iy,
];

export function matchSql({ head }: Pick<Beginning, 'head'>): KindMatch {
  const text = head.toString('latin1');
  const fits = (pattern: RegExp, pos: number) => {
    pattern.lastIndex = pos;
    return pattern.test(text) ? pattern.lastIndex : -1;
  };
  let hasComment = false;
  let hasSign = false;
  let pos = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  for (;;) {
    const space = fits(SPACE, pos);
    if (space !== -1) pos = space;
    // All that can be seen are SQL comments. No other kind of file begins like this.
    if (pos >= text.length) return hasComment || hasSign ? 'fits' : undefined;
    hasSign ||= fits(SIGNS, pos) !== -1 || fits(PROGRAM_LINE, pos) !== -1;
    const line = Math.max(fits(PROGRAM_LINE, pos), fits(LINE_COMMENT, pos));
    if (line !== -1) {
      hasComment ||= text.startsWith('--', pos);
      pos = line;
    } else if (text.startsWith('/*', pos)) {
      const end = text.indexOf(BLOCK_COMMENT, pos + 2);
      if (end === -1) return 'fits';
      pos = end + BLOCK_COMMENT.length;
    } else {
      if (STATEMENTS.some((pattern) => fits(pattern, pos) !== -1)) return 'fits';
      if (!hasSign) return undefined;
      return fits(ANY_STATEMENT, pos) === -1 ? { but: 'no statement follows its first comments' } : 'fits';
    }
  }
}
