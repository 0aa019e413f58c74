import { type Beginning, type Container, FileProblem, type KindMatch } from '../table.ts';
import { Input, LOOKBEHIND, ProblemAt, truncated } from './input.ts';
import { type Reader, sessionChanged } from './reader.ts';
import { dialectOf, newSession } from './settings.ts';
import { readStatements } from './statements.ts';
import { Tables } from './tables.ts';

/**
 * Size of the part of a dump in memory; larger if a row is longer. The rows of a part should be garbage before
 * the collector has visited them twice: parts of four times this size needed 50% more CPU.
 */
const PART_BYTES = 64 * 1024;

/**
 * Reads dumps of pg_dump, mysqldump, MariaDB, phpMyAdmin and SQLite, and scripts of SQL Server. All text except
 * values of binary columns must be UTF-8.
 * @throws FileProblem FILE_TRUNCATED after the last complete row; ENCODING_INVALID; FILE_INVALID
 */
export const readSql: Container = async function* (bytes, { sqlDialect, encoding }, wanted) {
  const input = new Input();
  const session = newSession(sqlDialect);
  const reader: Reader = {
    input,
    session,
    dialect: dialectOf(session),
    tables: new Tables(wanted),
    isEncodingGiven: encoding !== undefined,
    dumps: 0,
    isInTransaction: false,
    database: undefined,
    firstDatabase: undefined,
    hasNoSemicolons: sqlDialect === 'mssql',
    hasHead: false,
    lastInsert: undefined,
  };
  sessionChanged(reader);
  const statements = readStatements(reader);
  for await (const _ of partsOf(bytes, input)) {
    const problem = readPart(reader, statements);
    yield* reader.tables.takeBatches();
    if (problem !== undefined) throw problem instanceof ProblemAt ? await located(problem, bytes) : problem;
  }
};

/** Returns the problem that stopped the reading. Rows before it are still yielded. */
function readPart(reader: Reader, statements: Generator<void>): FileProblem | ProblemAt | undefined {
  const { input, tables } = reader;
  try {
    statements.next();
    if (!input.isEnd) return undefined;
    tables.askForEmpty();
    return missing(reader);
  } catch (error) {
    if (!(error instanceof FileProblem || error instanceof ProblemAt)) throw error;
    tables.askForEmpty();
    return error;
  }
}

function missing({ input, dumps, isInTransaction }: Reader): FileProblem | undefined {
  if (dumps > 0) return truncated(input, 'the last line, which shows that such a dump is complete');
  return isInTransaction ? truncated(input, 'the COMMIT of the transaction that the dump is in') : undefined;
}

/** Loads a dump part by part. What is not read of a part begins the next one, which is at least twice as large. */
async function* partsOf(bytes: AsyncIterable<Buffer>, input: Input): AsyncGenerator<void> {
  let pieces: Buffer[] = [];
  let sizeBytes = 0;
  let enough = PART_BYTES;
  let pos = 0;
  let offset = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += PART_BYTES) {
      const piece = chunk.subarray(at, at + PART_BYTES);
      pieces.push(piece);
      sizeBytes += piece.length;
      if (sizeBytes < enough) continue;
      input.load(Buffer.concat(pieces), pos, offset, false);
      yield;
      const start = Math.max(0, input.pos - LOOKBEHIND);
      pieces = [input.bytes.subarray(start)];
      sizeBytes -= start;
      offset += start;
      pos = input.pos - start;
      enough = sizeBytes + Math.max(PART_BYTES, sizeBytes);
    }
  }
  input.load(Buffer.concat(pieces), pos, offset, true);
  yield;
}

/** Finds the line of a problem, for which the file is read again. */
async function located(problem: ProblemAt, bytes: AsyncIterable<Buffer>): Promise<FileProblem> {
  let line = 1;
  let left = problem.offset;
  for await (const chunk of bytes) {
    const part = chunk.subarray(0, left);
    for (let at = part.indexOf('\n'); at !== -1; at = part.indexOf('\n', at + 1)) line++;
    left -= part.length;
    if (left === 0) break;
  }
  return new FileProblem(problem.code, problem.describe(`line ${line}`));
}

/** Text before the first statement of an SQL dump includes output lines of the dump programs. */
const SPACE = /[\s;]+/y;
const PROGRAM_LINE =
  /(?:\\(?:un)?restrict |\\connect |(?:mysqldump|mariadb-dump|pg_dump|pg_dumpall): )[^\n]*(?:\n|$)/y;
const LINE_COMMENT = /(?:--|#)[^\n]*(?:\n|$)/y;
const BLOCK_COMMENT = '*/';

/** Comments that occur only at the start of SQL dumps. */
const SIGNS = /(?:-- (?:PostgreSQL database|(?:MySQL|MariaDB) dump|phpMyAdmin|Dump)|\/\*M?!\d)/y;

/** Any SQL statement may follow a comment that only dumps have. */
const ANY_STATEMENT = /(?:[A-Za-z]{2,}(?:\s|$)|\\)/y;

/** A header of CSV may begin with the same word as an SQL statement, but not with the words after it. */
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

/** `head` has the first 64 KiB, in UTF-8. */
export const looksLikeSql = (head: Buffer): boolean => matchSql({ head }) === 'fits';

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
    // No other kind of file begins with SQL comments only.
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
