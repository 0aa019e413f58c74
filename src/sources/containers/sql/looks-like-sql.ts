import type { Beginning, KindMatch } from '../beginning.ts';

/** Text before the first statement of an SQL dump includes output lines of the dump programs. */
const SPACE = /[\s;]+/y;
const PROGRAM_LINE =
  /(?:\\(?:un)?restrict |\\connect |(?:mysqldump|mariadb-dump|pg_dump|pg_dumpall): )[^\n]*(?:\n|$)/y;
const LINE_COMMENT = /(?:--|#)[^\n]*(?:\n|$)/y;
const BLOCK_COMMENT = '*/';

/** Comments that occur only at the start of SQL dumps. */
const SIGNS = /(?:-- (?:PostgreSQL database|(?:MySQL|MariaDB) dump|phpMyAdmin|Dump|H2 \d)|\/\*M?!\d)/y;

/** Any SQL statement may follow a comment that only dumps have. */
const ANY_STATEMENT = /(?:[A-Za-z]{2,}(?:\s|$)|\\)/y;

/** A header of CSV may begin with the same word as an SQL statement, but not with the words after it. */
const STATEMENTS: readonly RegExp[] = [
  /INSERT\s+(?:(?:OR|IGNORE|REPLACE|LOW_PRIORITY|DELAYED)\s+)*(?:INTO\s+[^\s,;]|\[)/iy,
  /REPLACE\s+INTO\s+[^\s,;]/iy,
  /CREATE\s+(?:\/\*.{0,40}\*\/\s*)?(?:OR\s+REPLACE\s+)?(?:(?:TEMP|TEMPORARY|UNLOGGED|FOREIGN|VIRTUAL|UNIQUE|GLOBAL|LOCAL|CACHED|MEMORY)\s+)*(?:TABLE|DATABASE|SCHEMA|EXTENSION|TYPE|FUNCTION|PROCEDURE|SEQUENCE|INDEX|VIEW|TRIGGER|ROLE|USER|DOMAIN)\s+[^\s,;]/iy,
  /(?:DROP|ALTER)\s+(?:TABLE|DATABASE|SCHEMA|SEQUENCE|INDEX|VIEW|ROLE|USER|TYPE|FUNCTION|TRIGGER|PROCEDURE|EXTENSION)\s+[^\s,;]/iy,
  /COPY\s+[^\s,;]+\s*(?:\([^;]*\)\s*)?FROM\s+stdin/iy,
  /SET\s+(?:NAMES\s|(?:SESSION|GLOBAL|LOCAL)\s|[@\w.]+\s*(?:=|TO\s)|(?:ANSI_NULLS|QUOTED_IDENTIFIER|IDENTITY_INSERT|NOCOUNT|XACT_ABORT|ANSI_PADDING)\s)/iy,
  // Dumps of H2 begin with a statement such as `SET DB_CLOSE_DELAY -1;`.
  /SET\s+[A-Z_]+\s+(?:-?\d+|'[^'\n]*'|[A-Z]+)\s*;/y,
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
