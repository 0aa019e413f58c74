import { createHash } from 'node:crypto';
import { openContainer } from '../containers/open-container.ts';
import type { ReadOptions, SourceFile, TableHead } from '../containers/table.ts';
import type { Survey } from './plan.ts';

/**
 * Reads a whole export file once, to find its kind, its tables and its digest.
 * @throws {FileProblem} if the file is truncated, not UTF-8, or of an unknown kind
 */
export async function surveyFile(file: SourceFile, options: ReadOptions): Promise<Survey> {
  const seen = { digest: '', sizeBytes: 0 };
  const open = async function* () {
    const digest = createHash('sha256');
    let sizeBytes = 0;
    for await (const bytes of file.open()) {
      digest.update(bytes);
      sizeBytes += bytes.length;
      yield bytes;
    }
    Object.assign(seen, { digest: digest.digest('hex'), sizeBytes });
  };
  const container = await openContainer({ name: file.name, open }, options);
  const tables: TableHead[] = [];
  const look = (table: TableHead) => {
    tables.push(table);
    return false;
  };
  for await (const _ of container.read(look)) {
    // Nothing is yielded: `look` collects the tables and returns false, so their records are skipped.
  }
  if (seen.digest === '') {
    for await (const _ of open()) {
      // The reader has stopped early, and the digest covers the whole file.
    }
  }
  return {
    name: file.name,
    container: container.name,
    tables: container.name === 'json' ? jsonTables(tables) : tables,
    ...seen,
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
