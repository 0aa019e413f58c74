import { createHash } from 'node:crypto';
import { openContainer } from '../containers/open-container.ts';
import {
  changedRows,
  FileProblem,
  type ReadOptions,
  type SourceFile,
  type TableHead,
} from '../containers/table.ts';
import { shownName } from '../fields/shown-name.ts';
import { guessColumns } from '../mapping/fields.ts';
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
    // `look` collects the tables and wants the records of none, so no records are yielded.
  }
  return {
    name: file.name,
    container: container.name,
    tables: container.name === 'json' ? jsonTables(tables) : tables,
    ...(await watched.finish()),
    read: async function* (wanted) {
      const changed = tables.find((table) => table.changedBy !== undefined && wanted(table));
      if (changed !== undefined) throw changedRows(changed);
      const { read } = await openContainer(file, options);
      yield* read(wanted);
    },
  };
}

/**
 * Returns the tables of a JSON file that has been read to its end. Lists at no known path are tables only if
 * the file is of a database.
 * @throws {FileProblem} if a list that looks like users would be left out in favour of another one
 */
function jsonTables(heads: readonly TableHead[]): readonly TableHead[] {
  const file = heads[0]?.file;
  const isTable = ({ isFound }: TableHead) => !isFound || file?.isDatabase === true;
  const tables = heads.filter(isTable);
  const named = tables.filter(({ name }) => name !== '');
  const left = heads.find((head) => !isTable(head) && looksLikeUsers(head))?.name ?? file?.hidden;
  if (named[0] !== undefined && left !== undefined) throw listLeftOut(left, named[0].name);
  const isOneOfSeveral = named.length + (file?.empty.length ?? 0) > 1;
  return tables.map((table) => ({
    ...table,
    ...(isOneOfSeveral && { isOneOfSeveral }),
    // Rows of a database have all columns. Documents of users may have any members.
    ...(table.isFound && { columns: commonColumns(table) }),
  }));
}

const listLeftOut = (path: string, other: string) =>
  new FileProblem(
    'FILE_INVALID',
    `The list ${shownName(path)} looks like users, but another list would be imported. Name the list of the users: --json-path ${shownName(path)}, or --json-path ${shownName(other)}.`,
  );

function looksLikeUsers({ columns }: TableHead): boolean {
  const fields = guessColumns(columns);
  return fields.has('email') && fields.has('hash');
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
