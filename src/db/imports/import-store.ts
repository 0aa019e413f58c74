import type { ImportStore } from '../../imports/store.ts';
import { Pool } from '../../pool.ts';
import type { Database } from '../database.ts';
import { CopyDraft, CopyRows } from './copy-draft.ts';
import { expireImports } from './expire.ts';
import { beginImport, doneChunks, endImport } from './import-records.ts';
import { findImport, listImports } from './list-imports.ts';
import { openRehearsal } from './rehearsal.ts';
import { RehearsedRows } from './rehearsed-rows.ts';
import { beginRollback, rollBack } from './rollback.ts';
import { writeChunk } from './write-chunk.ts';

/**
 * The imports kept in this database.
 * @param bulkDb lends the connections that are held while a chunk is written or undone, or a dry run lasts: apart, so
 * that single calls never wait for them
 */
export function createImportStore(db: Database, bulkDb: Database): ImportStore {
  const pool = new Pool(() => new CopyRows());
  return {
    begin: (request) => beginImport(db, request),
    doneChunks: (importId) => doneChunks(db, importId),
    draftRows: () => new CopyDraft(pool),
    writeChunk: (run, chunk) => writeChunk(bulkDb, run, chunk),
    rehearse: () => openRehearsal(bulkDb),
    rehearsedRows: () => new RehearsedRows(),
    end: (run, result) => endImport(db, run, result),
    list: (page) => listImports(db, page),
    find: (importId) => findImport(db, importId),
    beginRollback: (importId) => beginRollback(db, importId),
    rollBack: (importId) => rollBack(bulkDb, importId),
    expire: (days) => expireImports(bulkDb, days),
  };
}
