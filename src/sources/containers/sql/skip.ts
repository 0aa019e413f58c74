import type { Mode, Reader } from './reader.ts';
import { scanOn } from './scan.ts';
import { type ScanTarget, startScan } from './scan-state.ts';
import { noteChange, type Table } from './tables.ts';
import { placeOf, unreadable, type Window } from './window.ts';

/** Skips the SQL statement at the current position of the dump. */
export function skipStatement(reader: Reader, target: ScanTarget, then: Mode): Mode {
  const scan = startScan(target, reader.delimiter);
  return (window) => {
    if (scanOn(window, reader.dialect, scan)) return then;
    // The last statement of some SQL dumps has no semicolon and ends with the file.
    return endsWithFile(window) && mayEndWithFile(reader) && scan.closing === '' ? then : undefined;
  };
}

/**
 * Returns whether the last statement of the SQL file may lack its end. This is so after MySQL's DELIMITER,
 * which only the client program knows, and in scripts of SQL Server, which rarely use semicolons.
 */
const mayEndWithFile = ({ dialect, delimiter }: Reader) => dialect.hasGoLines || delimiter !== ';';

const endsWithFile = (window: Window) => window.isEnd && window.pos === window.text.length;

/**
 * Skips the rows of an INSERT that the import does not need, and the rest of the statement.
 * @param hadRows whether the table has rows before this statement, which it may change
 */
export function skipRows(reader: Reader, table: Table, hadRows: boolean, then: Mode): Mode {
  const scan = startScan('rows');
  return (window) => {
    const isAtEnd = scanOn(window, reader.dialect, scan);
    const mayEnd = endsWithFile(window) && reader.hasNoSemicolons && scan.closing === '';
    if (!isAtEnd && !mayEnd) return undefined;
    if (scan.hasUpdate && hadRows)
      noteChange(table, `the UPDATE of INSERT before ${placeOf(window, window.pos)} may change other rows`);
    return then;
  };
}

/** Skips everything in the SQL dump up to and including this text. */
export function skipPast(closing: string, then: Mode): Mode {
  return (window) => {
    const found = window.text.indexOf(closing, window.pos);
    if (found !== -1) {
      window.pos = found + closing.length;
      return then;
    }
    // The last line of an SQL file needs no line break.
    const isLastLine = window.isEnd && closing === '\n';
    window.pos = Math.max(window.pos, window.text.length - (isLastLine ? 0 : closing.length - 1));
    return isLastLine ? then : undefined;
  };
}

/** Skips the SQL comment at the current position of the dump, whatever its length. */
export function skipComment({ dialect }: Reader, then: Mode): Mode {
  let depth = 0;
  return (window) => {
    for (;;) {
      COMMENT_SIGN.lastIndex = window.pos;
      const found = COMMENT_SIGN.exec(window.text);
      if (found === null) {
        window.pos = Math.max(window.pos, window.text.length - 1);
        return undefined;
      }
      const isOpening = found[0] === '/*';
      // Whether this comment within an SQL comment must be closed is unknown, because only some systems nest
      // comments.
      if (isOpening && depth > 0 && dialect.isUnsure)
        throw unreadable(window, found.index, 'The comment within a comment');
      window.pos = found.index + 2;
      if (!isOpening) depth--;
      else if (depth === 0 || dialect.hasNestedComments) depth++;
      if (depth === 0) return then;
    }
  };
}

const COMMENT_SIGN = /\/\*|\*\//g;
