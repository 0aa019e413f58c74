import { createHash } from 'node:crypto';
import { openContainer } from '../containers/open-container.ts';
import { changedRows, type ReadOptions, type SourceFile, type TableHead } from '../containers/table.ts';
import type { Survey } from './plan.ts';

/**
 * Reads a whole export file once, to find its kind, its tables and its digest.
 * @throws {FileProblem} if the file is truncated, not UTF-8, or of an unknown kind
 */
export async function surveyFile(file: SourceFile, options: ReadOptions): Promise<Survey> {
  const watched = new WatchedFile(file);
  const container = await openContainer(watched, options);
  const tables: TableHead[] = [];
  const look = (table: TableHead) => {
    tables.push(table);
    return false;
  };
  for await (const _ of container.read(look)) {
    // The loop has no body: `look` collects the tables of the file and wants the records of none, so no
    // records are yielded.
  }
  return {
    name: file.name,
    container: container.name,
    tables: withCompany(tables),
    ...(await watched.finish()),
    read: async function* (wanted) {
      const changed = tables.find((table) => table.changedBy !== undefined && wanted(table));
      if (changed !== undefined) throw changedRows(changed);
      const csvDialect = tables[0]?.csvDialect;
      const { read } = await openContainer(file, { ...options, ...(csvDialect && { csvDialect }) });
      yield* read(wanted);
    },
  };
}

/** Notes on the tables of a JSON file that they are several. A table without a name only has the settings. */
function withCompany(tables: readonly TableHead[]): readonly TableHead[] {
  const isOneOfSeveral = tables.filter(({ name }) => name !== '').length > 1;
  return isOneOfSeveral
    ? tables.map((table) => (table.container === 'json' ? { ...table, isOneOfSeveral } : table))
    : tables;
}

/** Counts and digests the bytes of an export file while it is read. */
class WatchedFile implements SourceFile {
  readonly name: string;
  readonly #file: SourceFile;
  #seen: { digest: string; sizeBytes: number } | undefined;

  constructor(file: SourceFile) {
    this.name = file.name;
    this.#file = file;
  }

  async *open(): AsyncGenerator<Buffer> {
    const digest = createHash('sha256');
    let sizeBytes = 0;
    for await (const bytes of this.#file.open()) {
      digest.update(bytes);
      sizeBytes += bytes.length;
      yield bytes;
    }
    this.#seen = { digest: digest.digest('hex'), sizeBytes };
  }

  /** Returns the digest and size of the whole export file, even if its reader stopped early. */
  async finish(): Promise<{ digest: string; sizeBytes: number }> {
    if (this.#seen === undefined) {
      for await (const _ of this.open()) {
        // The rest of the export file is read only because the digest covers all of it.
      }
    }
    return this.#seen ?? { digest: '', sizeBytes: 0 };
  }
}
