import type { Mode, Reader } from './reader.ts';
import { commentsEnd, scanOn } from './scan.ts';
import { type ScanTarget, startScan } from './scan-state.ts';
import { noteChange, type Table } from './tables.ts';
import { placeOf, type Window } from './window.ts';

export function skipStatement(reader: Reader, target: ScanTarget, then: Mode): Mode {
  const scan = startScan(target, reader.delimiter);
  return (window) => {
    if (scanOn(window, reader.dialect, scan)) return then;
    // The last statement of some SQL dumps has no semicolon and ends with the file.
    return endsWithFile(window) && mayEndWithFile(reader) && scan.closing === '' ? then : undefined;
  };
}

/** Only the client knows MySQL's DELIMITER, and scripts of SQL Server rarely use semicolons. */
const mayEndWithFile = ({ dialect, delimiter }: Reader) => dialect.hasGoLines || delimiter !== ';';

const endsWithFile = (window: Window) => window.isEnd && window.pos === window.text.length;

/** `hadRows`: the SQL table has rows before this INSERT, which its UPDATE may change. */
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

/** Skips an SQL comment, whose opening sign is before the position. */
export function skipComment({ dialect }: Reader, then: Mode): Mode {
  const open = { comments: 1 };
  return (window) => {
    const end = commentsEnd(window, open, dialect, window.pos);
    if (end === -1) return undefined;
    window.pos = end;
    return then;
  };
}
