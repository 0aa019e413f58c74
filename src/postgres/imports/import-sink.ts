import { DEFAULT_MATCH_BY, type ImportRequest } from '../../imports/import-request.ts';
import type { ChunkRecord, ImportSink, RowSink, Run } from '../../imports/import-store.ts';
import type { BufferPool } from '../../lib/buffers/buffer-pool.ts';
import { AppError, Contended } from '../../lib/errors.ts';
import type { Transaction } from '../client/connection.ts';
import { retryContended, throwIfContended } from '../client/contention.ts';
import type { Database } from '../client/database.ts';
import { CopyBuffer, type CopyRows } from './copy-people.ts';
import { recordChunk } from './import-records.ts';
import { readKnown } from './read-known.ts';
import { BEGIN_BULK } from './transaction-settings.ts';
import { writeDecisions } from './write-decisions.ts';

/** An attempt fails if another import creates the same users between its read and its write. */
const MAX_ATTEMPTS = 50;

/** Writes each chunk in one transaction. */
export function openImportSink(
  db: Database,
  pool: BufferPool<CopyRows>,
  run: Run,
  { matchBy = DEFAULT_MATCH_BY, source }: ImportRequest,
): ImportSink {
  return {
    rows: () => new CopyBuffer(pool),
    async create(rows, chunk) {
      try {
        await throwIfContended(() =>
          db.connection((connection) =>
            connection.transaction(async () => {
              await connection.copy(bufferOf(rows).encoded());
              await record(connection, run, chunk);
            }, BEGIN_BULK),
          ),
        );
        return true;
      } catch (error) {
        if (error instanceof Contended) return false;
        throw error;
      }
    },
    decide: (keys, decide) =>
      db.connection((connection) =>
        retryContended(MAX_ATTEMPTS, () =>
          connection.transaction(async () => {
            const lock = matchBy === 'login';
            const known = await readKnown(connection, keys, { matchBy, source, lock });
            const { decisions, chunk } = decide(known);
            await writeDecisions(connection, run.importId, decisions, { matchBy });
            await record(connection, run, chunk);
          }, BEGIN_BULK),
        ),
      ),
    async forget() {},
    async flush() {},
    async close() {},
  };
}

function bufferOf(rows: RowSink): CopyBuffer {
  if (rows instanceof CopyBuffer) return rows;
  throw new Error('these rows belong to another sink');
}

async function record(db: Transaction, run: Run, chunk: ChunkRecord): Promise<void> {
  if (await recordChunk(db, run, chunk)) return;
  throw new AppError('IMPORT_TAKEN_OVER', 'Another request has taken this import over');
}
