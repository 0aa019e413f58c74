import type { NewUsers, StagedStore } from '../../imports/staged/staged-store.ts';
import type { Connection } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { readUsers } from '../users/user-rows.ts';
import { processNext } from './process-next.ts';
import { addStaged, countStaged, listStaged, removeStaged } from './staged-rows.ts';
import { writeTogether, writeUsers } from './write-users.ts';

/** @param bulkDb database connections for importing staged users */
export function createStagedStore(db: Database, bulkDb: Database): StagedStore {
  return {
    add: (users) => addStaged(db, users),
    list: (listing) => listStaged(db, listing),
    count: (status) => countStaged(db, status),
    remove: (ids) => removeStaged(db, ids),
    processNext: (work) => processNext(db, bulkDb, work),
    create: (writing) =>
      db.connection((connection) => writeTogether(connection, () => createUser(connection, writing))),
  };
}

async function createUser(connection: Connection, writing: NewUsers) {
  const { decisions, failures } = await writeUsers(connection, writing);
  const [failure] = failures;
  if (failure !== undefined) return { failure };
  const userId = decisions.ids.first;
  const user = (await readUsers(connection, [userId])).get(userId);
  if (user === undefined) throw new Error('a user that was created is not there');
  return { user };
}
