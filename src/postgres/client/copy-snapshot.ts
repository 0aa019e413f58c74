import { PassThrough } from 'node:stream';
import type { Connection, Queryable } from './connection.ts';
import type { RewriteRow } from './copy-out.ts';
import type { Database } from './database.ts';

/**
 * Begins a transaction without hash joins. A hash join of whole tables does not fit into memory, so PostgreSQL would
 * write both sides to files. A merge join reads them once, in the order of an index.
 */
const BEGIN = 'begin isolation level repeatable read read only; set local enable_hashjoin = off';

/** Number of connections of the pool that must stay free for others when a copy takes a second one. */
const LEFT_TO_OTHERS = 1;

/** Number of blocks of rows in each of the two buffers of the PassThrough at which the connections pause. */
const MAX_BLOCKS = 8;

interface SnapshotCopy {
  /** Returns statements `copy … to stdout (format binary)` with one column of text, each for some rows. */
  partsOf(connection: Queryable): Promise<string[]>;
  rewrite: RewriteRow;
  signal: AbortSignal;
}

/**
 * Yields the rows of several COPY statements as of one moment, in no particular order, in blocks of whole
 * lines. Returns their number. PostgreSQL uses one processor core for a statement, so they run on two
 * connections if the pool can spare a second one.
 */
export async function* copySnapshot(db: Database, copy: SnapshotCopy): AsyncGenerator<Buffer, number> {
  copy.signal.throwIfAborted();
  const blocks = new PassThrough({ objectMode: true, highWaterMark: MAX_BLOCKS });
  // The reader of `blocks` gets the error. Without this listener, an error after the reader has left would end the
  // process.
  blocks.on('error', () => {});
  const ended = new AbortController();
  const signal = AbortSignal.any([copy.signal, ended.signal]);
  let parts: string[] = [];
  let rows = 0;
  let isHelped = false;

  const end = (error: Error): void => {
    blocks.destroy(error);
    ended.abort(error);
  };
  const copyParts = async (connection: Connection): Promise<void> => {
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const copied = await connection.copyOut(part, { to: blocks, rewrite: copy.rewrite, signal });
      rows += copied;
    }
  };
  const inTransaction = (work: (connection: Connection) => Promise<void>): Promise<void> =>
    db.connection((connection) => connection.transaction(() => work(connection), BEGIN));

  /**
   * Copies parts on a second connection. Returns when no part is left, or if this connection cannot use the same
   * snapshot.
   */
  const help = async (snapshot: string): Promise<void> => {
    try {
      await inTransaction(async (connection) => {
        await connection.query(`set transaction snapshot '${snapshot}'`);
        isHelped = true;
        await copyParts(connection);
      });
    } catch (error) {
      // If the second connection cannot be opened, or reaches another server, the first one copies everything.
      if (isHelped) end(error as Error);
    }
  };

  const copyAll = async (): Promise<void> => {
    let helping: Promise<void> | undefined;
    await inTransaction(async (connection) => {
      parts = await copy.partsOf(connection);
      if (parts.length > 1 && db.spareConnections > LEFT_TO_OTHERS) {
        const [exported] = await connection.query<{ id: string }>('select pg_export_snapshot() as id');
        if (exported !== undefined) helping = help(exported.id);
      }
      await copyParts(connection);
    });
    if (isHelped) await helping;
    blocks.end();
  };

  void copyAll().catch(end);
  try {
    yield* blocks;
    return rows;
  } finally {
    end(new Error('nobody reads the rows any more'));
  }
}
