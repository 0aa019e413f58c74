import { type Container, FileProblem, type ReadOptions, type TableHead } from '../table.ts';
import { whatIsMissing } from './completeness.ts';
import { type Mode, noteCharset, type Reader } from './reader.ts';
import { dialectOf, newSession } from './session.ts';
import { statements } from './statements.ts';
import { askForEmpty, newTables, takeBatches } from './tables.ts';
import { LOOKBEHIND, lineBreaksIn, openWindow, type Window } from './window.ts';

/**
 * Size of the part of an SQL dump in memory (the window); larger if a row is longer. The rows of a window
 * should be garbage before the collector has visited them twice: windows of four times this size needed 50%
 * more CPU.
 */
const WINDOW_BYTES = 64 * 1024;

/**
 * Reads dumps of pg_dump, mysqldump, MariaDB, phpMyAdmin and SQLite, and scripts of SQL Server. All text
 * except values of binary columns must be UTF-8.
 * @throws FileProblem FILE_TRUNCATED after the last complete row; ENCODING_INVALID; FILE_INVALID
 */
export const readSql: Container = async function* (bytes, options, wanted) {
  const dump = openDump(options, wanted);
  // Only the messages about an unknown SQL dialect need line numbers.
  for await (const window of windowsOf(bytes, () => dump.reader.dialect.isUnsure)) {
    noteCharset(dump.reader, window);
    const problem = readWindow(dump, window);
    yield* takeBatches(dump.reader.tables);
    if (problem !== undefined) throw problem;
  }
};

interface Dump {
  reader: Reader;
  mode: Mode;
  /** Mode between statements of the SQL dump. A file that ends in another mode is truncated. */
  between: Mode;
}

function openDump({ sqlDialect, encoding }: ReadOptions, wanted: (table: TableHead) => boolean): Dump {
  const session = newSession(sqlDialect);
  const dialect = dialectOf(session);
  const reader: Reader = {
    session,
    dialect,
    tables: newTables(wanted),
    completeness: { dumps: 0, isInTransaction: false },
    isEncodingGiven: encoding !== undefined,
    schema: undefined,
    database: undefined,
    delimiter: ';',
    hasNoSemicolons: dialect.hasGoLines,
    hasHead: false,
    roles: new Set(),
    lastInsert: undefined,
  };
  const between = statements(reader);
  return { reader, mode: between, between };
}

/** Returns the problem that stopped the reading of the SQL dump. Rows before it are still yielded. */
function readWindow(dump: Dump, window: Window): FileProblem | undefined {
  try {
    for (let next: Mode | undefined = dump.mode; next !== undefined; next = next(window)) dump.mode = next;
    if (!window.isEnd) return undefined;
    askForEmpty(dump.reader.tables);
    return truncation(dump, window);
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    askForEmpty(dump.reader.tables);
    return error;
  }
}

function truncation({ reader, mode, between }: Dump, window: Window): FileProblem | undefined {
  const isWithin = mode !== between || window.pos < window.text.length;
  const missing = isWithin ? 'the rest of a statement' : whatIsMissing(reader.completeness);
  if (missing === undefined) return undefined;
  const end = window.offset + window.text.length;
  return new FileProblem(
    'FILE_TRUNCATED',
    `The file ends at byte ${end}, and ${missing} is missing. The file is incomplete: export it again.`,
  );
}

/** Divides an SQL dump. The unread end of a window begins the next one, which is at least twice as large. */
async function* windowsOf(bytes: AsyncIterable<Buffer>, countsLines: () => boolean): AsyncGenerator<Window> {
  let lines: number | undefined = 0;
  let pieces: Buffer[] = [];
  let sizeBytes = 0;
  let enough = WINDOW_BYTES;
  let pos = 0;
  let offset = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += WINDOW_BYTES) {
      const piece = chunk.subarray(at, at + WINDOW_BYTES);
      pieces.push(piece);
      sizeBytes += piece.length;
      if (sizeBytes < enough) continue;
      const window = openWindow(Buffer.concat(pieces), pos, offset, false, lines);
      yield window;
      const start = Math.max(0, window.pos - LOOKBEHIND);
      lines =
        lines !== undefined && countsLines()
          ? lines + lineBreaksIn(window.bytes.subarray(0, start))
          : undefined;
      pieces = [window.bytes.subarray(start)];
      sizeBytes -= start;
      offset += start;
      pos = window.pos - start;
      enough = sizeBytes + Math.max(WINDOW_BYTES, sizeBytes);
    }
  }
  yield openWindow(Buffer.concat(pieces), pos, offset, true, lines);
}
