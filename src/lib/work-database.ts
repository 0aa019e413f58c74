import { randomUUID } from 'node:crypto';
import { rmSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Database, Statement } from 'node-sqlite3-wasm';

/** Value of a cell. Text is bound and returned as it is only if it has no NUL and no byte order mark: see `json`. */
export type Cell = number | bigint | string | Uint8Array | null;

/** Row of a result, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

export interface WorkDatabaseOptions {
  /** Private directory of this process. */
  directory: string;
  /** Maximum size. Undefined: as far as the disk suffices. */
  maxBytes?: number | undefined;
}

const PAGE_BYTES = 16_384;
/** Size of the page cache. The limit keeps memory from growing with the number of rows. */
const CACHE_KIB = 16_384;

/** The disk is full, or cannot be written. The message is for the operator. */
export class WorkDatabaseProblem extends Error {}

/**
 * SQLite database of one run in a file without a name: no other process can open it, and it disappears however this
 * process ends. Nothing is ever rolled back, so there is no journal. The engine is WebAssembly without functions for
 * files or extensions. Calls are synchronous and cannot be interrupted, so keep each of them short.
 */
export class WorkDatabase {
  readonly #database: Database;
  readonly #directory: string;
  readonly #statements = new Map<string, Statement>();

  /** @throws {WorkDatabaseProblem} if the file cannot be written */
  constructor({ directory, maxBytes }: WorkDatabaseOptions) {
    // Loaded late, because compiling the engine takes 20 ms that commands without files do not need.
    const engine: typeof import('node-sqlite3-wasm') = createRequire(import.meta.url)('node-sqlite3-wasm');
    const path = join(directory, `work-${randomUUID()}`);
    this.#directory = directory;
    this.#database = new engine.Database(path);
    this.exec(
      `pragma page_size = ${PAGE_BYTES}; pragma journal_mode = off; pragma synchronous = off;
      pragma locking_mode = exclusive; pragma cache_size = -${CACHE_KIB}; pragma foreign_keys = off`,
    );
    if (maxBytes !== undefined) this.exec(`pragma max_page_count = ${Math.ceil(maxBytes / PAGE_BYTES)}`);
    // One transaction that never ends: pages are written when the cache is full, and not after each statement.
    this.exec('begin exclusive');
    try {
      rmSync(path, { force: true });
    } catch {
      // Windows does not remove open files. The file is removed with its directory.
    }
  }

  exec(sql: string): void {
    this.#run(() => this.#database.exec(sql));
  }

  /** Runs a statement that returns no rows. It stays prepared. */
  run(sql: string, ...values: Cell[]): void {
    this.#run(() => this.#prepared(sql).run(values));
  }

  /** Returns all rows of a result, which must be small. The statement stays prepared. */
  all(sql: string, ...values: Cell[]): Row[] {
    return this.#run(() => this.#prepared(sql).all(values));
  }

  /** Returns the only row of a result. */
  get(sql: string, ...values: Cell[]): Row | undefined {
    // A statement that is not read to its end would keep tables from being dropped.
    return this.all(sql, ...values)[0];
  }

  /** Yields the rows of a result, while other statements run. */
  *each(sql: string, ...values: Cell[]): Generator<Row> {
    const statement = this.#run(() => this.#database.prepare(sql));
    try {
      const rows = statement.iterate(values);
      for (;;) {
        const next = this.#run(() => rows.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      if (this.#database.isOpen) statement.finalize();
    }
  }

  close(): void {
    if (!this.#database.isOpen) return;
    // If a statement has failed, ending it throws its error again, which has been reported before.
    for (const end of [
      ...[...this.#statements.values()].map((one) => () => one.finalize()),
      () => this.#database.close(),
    ])
      try {
        end();
      } catch {
        // Ignored: the file has no name, and disappears in any case.
      }
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw isDiskProblem(error) ? diskProblem(this.#directory, error) : error;
    }
  }
}

/**
 * Returns whether the disk is full or cannot be written. The engine's errors have no codes, so messages are compared.
 */
const isDiskProblem = (error: unknown) =>
  error instanceof Error && /^(?:database or disk is full|disk I\/O error)$/.test(error.message);

function diskProblem(directory: string, cause: unknown): WorkDatabaseProblem {
  const { bavail, bsize } = statfsSync(directory);
  const freeMib = Math.floor((bavail * bsize) / 1024 / 1024);
  return new WorkDatabaseProblem(
    `${directory} has no room for the work database, which needs about as much as the files (${freeMib} MiB are free). Free some space there, or set TMPDIR to another directory.`,
    { cause },
  );
}

/**
 * Returns values as one JSON text, to be bound for `json_each(?)` or `? ->> 0`. JSON keeps NULs and byte
 * order marks, and one call inserts many rows.
 */
export const json = (values: unknown): Uint8Array => Buffer.from(JSON.stringify(values));

/** Returns the text of a column that is a blob. */
export function blobText(cell: unknown): string {
  if (!(cell instanceof Uint8Array)) throw new TypeError('the column is no blob');
  return Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString();
}
