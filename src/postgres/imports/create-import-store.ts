import { DEFAULT_MATCH_BY, type ImportRequest } from '../../imports/import-request.ts';
import type { ChunkRecord, ImportSink, ImportStore, RowSink, Run } from '../../imports/import-store.ts';
import { BufferPool } from '../../lib/buffers.ts';
import { AppError, Contended } from '../../lib/errors.ts';
import type { Transaction } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { throwIfContended } from '../client/pg-error.ts';
import { CopyBuffer, CopyRows } from './copy-people.ts';
import { DryRunSink, forgetLostSessions } from './dry-run-sink.ts';
import { beginImport, endImport, recordChunk, recordedChunks, settledOutcomes } from './import-records.ts';
import { findImport, listFailures, listImports } from './list-imports.ts';
import { earlierUsers, findByExternalIds, recordMissing, removeMissing } from './missing-users.ts';
import { readKnown } from './read-known.ts';
import { beginRollback, expireImports, rollBack } from './rollback.ts';
import { BEGIN_BULK } from './stored-rows.ts';
import { writeDecisions } from './write-decisions.ts';

/** @param bulkDb connections for long work, so that calls about single users never wait for them */
export function createImportStore(db: Database, bulkDb: Database): ImportStore {
  const pool = new BufferPool(() => new CopyRows());
  return {
    get chunkScale() {
      return bulkDb.engine.chunkScale;
    },
    begin: (request) => beginImport(db, request),
    recordedChunks: (importId) => recordedChunks(db, importId),
    findByExternalIds: (externalIds) => findByExternalIds(db, externalIds),
    earlierUsers: (run, source, isWanted) => earlierUsers(bulkDb, run, source, isWanted),
    removeMissing: (run, userIds, options) => removeMissing(bulkDb, run, userIds, options),
    recordMissing: (run, counts) => recordMissing(db, run, counts),
    settledOutcomes: (importId) => settledOutcomes(db, importId),
    sink: (run, request) =>
      request.dryRun ? new DryRunSink(db, bulkDb, run, request) : openImportSink(bulkDb, pool, run, request),
    end: (run, result) => endImport(db, run, result),
    list: (page) => listImports(db, page),
    find: (importId) => findImport(db, importId),
    listFailures: (importId, page) => listFailures(db, importId, page),
    beginRollback: (importId) => beginRollback(db, importId),
    rollBack: (importId, mayRunTwo) => rollBack(bulkDb, importId, mayRunTwo),
    expire: async (days) => (await forgetLostSessions(bulkDb)) + (await expireImports(bulkDb, days)),
  };
}

/** Writes each chunk in one transaction. */
function openImportSink(
  db: Database,
  pool: BufferPool<CopyRows>,
  run: Run,
  { matchBy = DEFAULT_MATCH_BY, source }: ImportRequest,
): ImportSink {
  return {
    get canWriteTwo() {
      // The last spare connection is for rollbacks and staged users.
      return db.spareConnections > 1;
    },
    rows: () => new CopyBuffer(pool),
    async create(rows, makeRecord) {
      try {
        return await throwIfContended(() =>
          db.connection((connection) =>
            connection.transaction(async () => {
              await connection.copy(bufferOf(rows).encoded());
              const chunk = await makeRecord();
              await record(connection, run, chunk);
              return chunk;
            }, BEGIN_BULK),
          ),
        );
      } catch (error) {
        if (error instanceof Contended) return undefined;
        throw error;
      }
    },
    decide: (keys, decide) =>
      throwIfContended(() =>
        db.connection((connection) =>
          connection.transaction(async () => {
            const lock = matchBy === 'login';
            const known = await readKnown(connection, keys, { matchBy, source, lock });
            const decided = await decide(known);
            await writeDecisions(connection, run.importId, decided.decisions, {
              matchBy,
              lockedAt: known.now,
            });
            const chunk = await decided.record();
            await record(connection, run, chunk);
            return chunk;
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
