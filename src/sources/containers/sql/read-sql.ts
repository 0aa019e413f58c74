import { type Container, FileProblem, type TableHead } from '../table.ts';
import { whatIsMissing } from './completeness.ts';
import { dialectOf } from './dialect.ts';
import type { Mode, Reader } from './reader.ts';
import { refuseBinary } from './refuse-binary.ts';
import { statements } from './statements.ts';
import { askForEmpty, newTables, takeBatches } from './tables.ts';
import { LOOKBEHIND, openWindow, type Window } from './window.ts';

/**
 * Files are read in windows of this size, or larger ones where a row is. Its rows are a batch: what is made of them should be gone
 * before the garbage collector has looked at it twice. Four times the size took half as much CPU again.
 */
const WINDOW_BYTES = 64 * 1024;
const HEAD_BYTES = 64 * 1024;

/**
 * Reads a dump in SQL: of pg_dump (COPY and INSERT), mysqldump, MariaDB, phpMyAdmin and SQLite, and scripts of SQL Server.
 * Bytes in columns of bytes need not be UTF-8; other text must be.
 * @throws FileProblem FILE_TRUNCATED after the last row that is complete; ENCODING_INVALID, FILE_INVALID
 */
export const readSql: Container = async function* (bytes, _options, wanted) {
  let dump: Dump | undefined;
  for await (const window of windowsOf(bytes)) {
    dump ??= openDump(window, wanted);
    const problem = readWindow(dump, window);
    yield* takeBatches(dump.reader.tables);
    if (problem !== undefined) throw problem;
  }
};

interface Dump {
  reader: Reader;
  /** What reads on. */
  mode: Mode;
  /** What reads statements: only there may a file end. */
  between: Mode;
}

/** @throws FileProblem FILE_INVALID: it is no SQL */
function openDump(window: Window, wanted: (table: TableHead) => boolean): Dump {
  refuseBinary(window.bytes);
  const dialect = dialectOf(window.text.slice(0, HEAD_BYTES));
  const reader: Reader = {
    dialect,
    tables: newTables(wanted),
    completeness: { dumps: 0, isInTransaction: false },
    schema: undefined,
    hasNoSemicolons: dialect.hasGoLines,
    lastInsert: undefined,
  };
  const between = statements(reader);
  return { reader, mode: between, between };
}

/** Reads what of the window can be read. Returns what stops the reading, after which the rows before it are told. */
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
    `The file ends at byte ${end}, and ${missing} is missing: it is not whole.`,
  );
}

/** Hands out the file in windows. What a reader leaves of one is the beginning of the next, which is then twice as large. */
async function* windowsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Window> {
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
      const window = openWindow(Buffer.concat(pieces), pos, offset, false);
      yield window;
      const start = Math.max(0, window.pos - LOOKBEHIND);
      pieces = [window.bytes.subarray(start)];
      sizeBytes -= start;
      offset += start;
      pos = window.pos - start;
      enough = sizeBytes + Math.max(WINDOW_BYTES, sizeBytes);
    }
  }
  yield openWindow(Buffer.concat(pieces), pos, offset, true);
}
