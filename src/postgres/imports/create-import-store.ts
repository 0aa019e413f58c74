import type { ImportStore } from '../../imports/import-store.ts';
import { BufferPool } from '../../lib/buffers/buffer-pool.ts';
import type { Database } from '../client/database.ts';
import { CopyRows } from './copy-people.ts';
import { DryRunSink, forgetLostSessions } from './dry-run-sink.ts';
import { expireImports } from './expire-imports.ts';
import { beginImport, endImport, recordedChunks, settledOutcomes } from './import-records.ts';
import { openImportSink } from './import-sink.ts';
import { listFailures } from './list-failures.ts';
import { findImport, listImports } from './list-imports.ts';
import { earlierUsers, findByExternalIds, recordMissing, removeMissing } from './missing-users.ts';
import { beginRollback, rollBack } from './rollback.ts';

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
    rollBack: (importId) => rollBack(bulkDb, importId),
    expire: async (days) => (await forgetLostSessions(bulkDb)) + (await expireImports(bulkDb, days)),
  };
}
