import { type Container, FileProblem, type RecordBatch } from '../table.ts';
import { type ByteWindow, offsetOf, openWindow, peekOn } from './byte-window.ts';
import { OPEN_ARRAY, OPEN_OBJECT } from './bytes.ts';
import { findLayout } from './find-layout.ts';
import { KNOWN_PATHS } from './json-paths.ts';
import { invalidAt, unlikePages } from './json-problems.ts';
import { createTables, type JsonTable } from './json-tables.ts';
import { readDocuments, readElements } from './read-elements.ts';
import { readLines } from './read-lines.ts';
import { readWithin, type Walk } from './read-within.ts';
import { createRootMembers, keepMembers } from './root-members.ts';
import { createRootTable } from './root-table.ts';
import { createScan } from './scan-value.ts';

/**
 * Reads JSON in any layout that exports use (find-layout.ts). It finds the end of each record itself, and
 * parses the record with `JSON.parse`. Joining records into one text for `JSON.parse` was no faster
 * (470,000 against 450,000–500,000 records/s, parsing only). Measured with 400,000 users of 376 bytes on a
 * shared core: 300,000–400,000 records/s from an array, 350,000–430,000 from lines, and 300–400 MB/s for a
 * table that is skipped. On an idle core, stream-json 3.8 read 87,000 records/s of the same array.
 * @throws FileProblem after yielding all records before the problem
 */
export const readJson: Container = async function* (chunks, options, wanted) {
  const window = openWindow(chunks);
  const root = createRootMembers();
  const tables = createTables(root, wanted);
  let finish = tables.finish;
  try {
    const layout = await findLayout(window, options);
    if (layout.kind === 'within') {
      const page = { hasTable: false, isUser: false, lists: new Set<string>() };
      const file = { isDatabase: true, empty: [] };
      const walk = { window, tables, root, paths: layout.paths, scan: createScan(), page, file };
      yield* readAllWithin(walk);
      // Without a list at a known path, the other members of the file may be what the file is about, as in
      // that of a realm. An empty table has them as its root.
      if (layout.paths.findsTables && !page.hasTable) yield* tables.table('', { file }).finish();
    } else {
      const table = createRootTable(tables, layout.kind !== 'array');
      finish = () => [...table.finish(), ...tables.finish()];
      if (layout.kind === 'lines' && layout.only !== undefined) keepMembers(root, layout.only);
      yield* READERS[layout.kind](window, table);
    }
    yield* finish();
    // A JSON file without tables is reported as one empty table, so that its other members are seen.
    if (tables.isEmpty()) yield* tables.table('').finish();
  } catch (error) {
    if (error instanceof FileProblem) yield* finish();
    throw error;
  } finally {
    await window.source.return?.();
  }
};

const READERS = { array: readArrays, lines: readLines, documents: readDocuments };

/** Consecutive JSON arrays are pages of a list, and form one table. */
async function* readArrays(window: ByteWindow, table: JsonTable): AsyncGenerator<RecordBatch> {
  for (let byte = await peekOn(window); byte !== undefined; byte = await peekOn(window)) {
    if (byte !== OPEN_ARRAY) throw invalidAt(offsetOf(window), 'the end of the file');
    window.at += 1;
    yield* readElements(window, table);
  }
}

/**
 * Reads consecutive JSON objects, each of which may contain a page of the list of users. A user may have
 * chosen the content of the first document, so it must not hide that the others are users themselves.
 */
async function* readAllWithin(walk: Walk): AsyncGenerator<RecordBatch> {
  const { window, page, paths } = walk;
  let pages = 0;
  let hasOthers = false;
  for (let byte = await peekOn(window); byte !== undefined; byte = await peekOn(window)) {
    if (byte !== OPEN_ARRAY && byte !== OPEN_OBJECT) {
      throw invalidAt(offsetOf(window), 'the end of the file');
    }
    const start = offsetOf(window);
    Object.assign(page, { hasTable: false, isUser: false, lists: new Set<string>() });
    yield* readWithin(walk, '');
    pages += 1;
    if (pages > 1) walk.file.isDatabase = false;
    hasOthers ||= page.isUser || !page.hasTable;
    if (paths === KNOWN_PATHS && pages > 1 && hasOthers) throw unlikePages(start);
  }
}
