import { randomBytes } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { CITUS } from '../../src/postgres/citus/citus.ts';
import { CITUS_SETTINGS } from '../../src/postgres/citus/recognise-engine.ts';
import { Database } from '../../src/postgres/client/database.ts';
import { ONE_POSTGRES } from '../../src/postgres/client/engine.ts';
import { IS_CITUS } from './citus.ts';
import { dropDatabase, onNodes, withDatabase } from './nodes.ts';
import { rowsOf } from './rows-of.ts';

export interface TestDatabase {
  uri: string;
  /** Connection pool, as the service has it. */
  db: Database;
  /** Closes `db` and drops the database. */
  drop(): Promise<void>;
}

/** Creates a database for one test or file: a copy of the migrated template, or an empty one. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const { uri: serverUri, template, nodes } = inject('postgres');
  const name = `uic_test_${randomBytes(8).toString('hex')}`;
  // Copies files, which takes half as long as copying pages through the log, and dropping the copy a third.
  const copied = empty ? 'template0' : template;
  await onNodes(nodes, `create database ${name} template ${copied} strategy file_copy`);
  const uri = withDatabase(serverUri, name);
  // A copy of a template has its rows, but not its settings.
  const isDistributed = IS_CITUS && !empty;
  if (isDistributed) {
    // Tests use triggers, which Citus disables by default.
    const settings = { ...CITUS_SETTINGS, 'citus.enable_unsafe_triggers': 'on' };
    for (const [setting, value] of Object.entries(settings))
      await rowsOf(serverUri, `alter database ${name} set ${setting} = '${value}'`);
  }
  const db = new Database({ uri, size: 10, timeoutMs: 10_000, onIdleError: () => {} });
  // Set here, because asking the database would leave a connection open.
  db.engine = isDistributed ? CITUS : ONE_POSTGRES;
  return {
    uri,
    db,
    async drop() {
      await db.close();
      await dropDatabase(nodes, name);
    },
  };
}

/** Creates a database that is dropped at the end of the test. */
export async function useTestDatabase(options?: { empty: boolean }): Promise<TestDatabase> {
  const database = await createTestDatabase(options);
  onTestFinished(() => database.drop());
  return database;
}

/** Deletes all users and imports. */
export async function removeEverything(db: Database): Promise<void> {
  await db.query(
    `with a as (delete from users), b as (delete from password_logins), c as (delete from third_party_logins),
       d as (delete from user_aliases), e as (delete from imports), f as (delete from import_chunks),
       g as (delete from import_changes), h as (delete from import_failures), i as (delete from import_user_ranges),
       j as (delete from moved_logins)
     delete from hash_changes`,
  );
}
