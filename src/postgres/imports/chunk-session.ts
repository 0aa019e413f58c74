import type { ChunkSession, ChunkTransaction } from '../../imports/import-store.ts';
import type { Connection } from '../client/connection.ts';
import { throwIfContended } from '../client/contention.ts';
import { applyWriteSet } from './apply-write-set.ts';
import { recordChunk } from './import-records.ts';
import { readExistingLogins } from './read-existing-logins.ts';
import { readKnownUsers } from './read-known-users.ts';
import { BEGIN_BULK, BEGIN_BULK_SHORT_WAITS } from './transaction-settings.ts';

export function chunkSession(connection: Connection): ChunkSession {
  const transaction: ChunkTransaction = {
    copyRows: (rows) => connection.copy(rows),
    async lockExisting(keys) {
      // The COPY of new users follows this read, so all nodes must be prepared first (rule 5 of
      // citus/citus.ts).
      await connection.engine.prepareAllNodes(connection);
      return readExistingLogins(connection, keys, { lock: true });
    },
    async readKnown(keys, source) {
      await connection.engine.prepareAllNodes(connection);
      return readKnownUsers(connection, keys, source);
    },
    apply: (importId, writeSet, options) => applyWriteSet(connection, importId, writeSet, options),
    recordChunk: (run, chunk) => recordChunk(connection, run, chunk),
  };
  return {
    transaction: (work, { patient }) =>
      throwIfContended(() =>
        connection.transaction(() => work(transaction), patient ? BEGIN_BULK : BEGIN_BULK_SHORT_WAITS),
      ),
  };
}
