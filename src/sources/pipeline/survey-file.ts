import { createHash } from 'node:crypto';
import { openContainer } from '../containers/open-container.ts';
import type { ReadOptions, SourceFile, TableHead } from '../containers/table.ts';
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
    // Nothing is yielded: `look` collects the tables and returns false, so their records are skipped.
  }
  return {
    name: file.name,
    container: container.name,
    tables: container.name === 'json' ? jsonTables(tables) : tables,
    ...(await watched.finish()),
    read: async function* (wanted) {
      const { read } = await openContainer(file, options);
      yield* read(wanted);
    },
  };
}

/** Returns the tables of a JSON file that has been read to its end. */
function jsonTables(heads: readonly TableHead[]): readonly TableHead[] {
  const tables = heads.filter(({ found }) => found?.isTable !== false);
  const isOneOfSeveral = tables.filter(({ name }) => name !== '').length > 1;
  return tables.map((table) => ({
    ...table,
    ...(isOneOfSeveral && { isOneOfSeveral }),
    // Only members of all first records count, because rows of a database have all columns, but documents do not.
    ...(table.found && { columns: commonColumns(table) }),
  }));
}

const commonColumns = ({ columns, first }: TableHead): ReadonlySet<string> =>
  new Set([...columns].filter((name) => first.every((record) => Object.hasOwn(record, name))));

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

  /** Reads the rest if the reader stopped early, because the digest covers the whole file. */
  async finish(): Promise<{ digest: string; sizeBytes: number }> {
    if (this.#seen === undefined) {
      for await (const _ of this.open()) {
        // Only the digest needs the rest of the file.
      }
    }
    return this.#seen ?? { digest: '', sizeBytes: 0 };
  }
}
