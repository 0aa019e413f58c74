import type { NewUsers, ResolvedNewUsers } from '../../imports/staged/staged-store.ts';
import type { Connection } from '../client/connection.ts';
import { retryContended } from '../client/pg-error.ts';
import { readKnown } from '../imports/read-known.ts';
import { BEGIN_BULK_SHORT_WAITS } from '../imports/stored-rows.ts';
import { createPeople } from '../imports/write-decisions.ts';

/** Each attempt can lose only to other writers of the same users at the same moment. */
const MAX_ATTEMPTS = 50;

/** @throws {Contended} if all attempts fail because of other writers */
export function writeTogether<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  return retryContended(MAX_ATTEMPTS, () => connection.transaction(work, BEGIN_BULK_SHORT_WAITS));
}

/** Creates users within a transaction, without recording an import. */
export async function writeUsers(connection: Connection, newUsers: NewUsers): Promise<ResolvedNewUsers> {
  await connection.engine.prepareAllNodes(connection);
  const known = await readKnown(connection, newUsers.keys, {
    ...{ matchBy: 'login', source: undefined, lock: false },
  });
  const resolved = newUsers.resolve(known);
  await createPeople(connection, resolved.decisions.created);
  return resolved;
}
