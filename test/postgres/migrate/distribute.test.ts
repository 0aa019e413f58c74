import { describe, expect, inject, it } from 'vitest';
import { Database } from '../../../src/postgres/client/database.ts';
import { recogniseEngine } from '../../../src/postgres/client/recognise-engine.ts';
import { distributeAlone } from '../../../src/postgres/migrate/distribute.ts';
import { migrateAlone } from '../../../src/postgres/migrate/migrate-alone.ts';
import { readMigrations } from '../../../src/postgres/migrate/read-migrations.ts';
import { makeCluster } from '../../support/citus.ts';
import { useTestDatabase } from '../../support/database.ts';
import { rowsOf } from '../../support/nodes.ts';

const logger = { info: () => {}, warn: () => {} };
const { nodes } = inject('postgres');

/** A migrated database, on Citus with its nodes, in which nothing is distributed. */
async function migrated() {
  const database = await useTestDatabase({ empty: true });
  const name = new URL(database.uri).pathname.slice(1);
  if (nodes.length > 1) await makeCluster(nodes, name);
  await migrateAlone({ uri: database.uri, migrations: readMigrations(), logger });
  return database;
}

it('says what is missing where there is no Citus', async () => {
  const { uri } = await useTestDatabase({ empty: true });
  await expect(distributeAlone({ uri })).rejects.toThrow('run "npm run migrate"');
  await migrateAlone({ uri, migrations: readMigrations(), logger });
  await expect(distributeAlone({ uri })).rejects.toThrow('run "create extension citus"');
});

describe.skipIf(nodes.length === 1)('on Citus', () => {
  it('says what is missing where there are no nodes', async () => {
    const { uri } = await useTestDatabase({ empty: true });
    await rowsOf(uri, 'create extension citus');
    await migrateAlone({ uri, migrations: readMigrations(), logger });
    await expect(distributeAlone({ uri })).rejects.toThrow('citus_add_node');
  });

  it('distributes filled tables, says so, and may be repeated', async () => {
    const { uri, db } = await migrated();
    expect(await recogniseEngine(db)).toBe('postgres');
    await db.query(
      `with u as (insert into users (user_id, time_joined_ms) select gen_random_uuid(), n from generate_series(1, 1000) n returning user_id)
       insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm)
       select user_id || '@example.com', user_id, user_id, 1, 'x', 'bcrypt' from u`,
    );
    const said: string[] = [];
    await distributeAlone({ uri, shards: 8, say: (text) => said.push(text) });
    expect(said).toContain('users: distributed by user_id');
    expect(await recogniseEngine(db)).toBe('citus');
    const [counts] = await db.query(
      'select (select count(*)::int from users) as users, (select count(*)::int from password_logins) as logins',
    );
    expect(counts).toEqual({ users: 1000, logins: 1000 });
    // None is left where they were.
    expect(await db.query("select pg_relation_size('users')::int as bytes")).toEqual([{ bytes: 0 }]);
    const [places] = await db.query(
      "select count(distinct groupid)::int as nodes from pg_dist_placement join pg_dist_shard using (shardid) where logicalrelid = 'users'::regclass",
    );
    expect(places).toEqual({ nodes: nodes.length - 1 });

    const again: string[] = [];
    await distributeAlone({ uri, say: (text) => again.push(text) });
    expect(again.filter((text) => text.endsWith('is distributed already'))).toHaveLength(7);
    expect(again).toEqual(expect.arrayContaining(['citus.propagate_set_commands = local']));
  });

  it('says where what a lost node leaves prepared would stay for long', async () => {
    const { uri, db } = await migrated();
    const [row] = await db.query<{ ms: number }>(
      "select setting::int as ms from pg_settings where name = 'citus.recover_2pc_interval'",
    );
    const said: string[] = [];
    await distributeAlone({ uri, say: (text) => said.push(text) });
    const ms = row?.ms ?? 0;
    const advice = said.filter((text) => text.startsWith(`citus.recover_2pc_interval is ${ms} ms`));
    expect(advice).toHaveLength(ms > 10_000 ? 1 : 0);
  });

  it('goes on where it was broken off, which the service does not start on', async () => {
    const { uri, db } = await migrated();
    await db.query("select create_distributed_table('users', 'user_id', shard_count => 4)");
    await expect(recogniseEngine(db)).rejects.toThrow(
      'some tables are distributed, and others are not (password_logins',
    );
    await distributeAlone({ uri });
    expect(await recogniseEngine(db)).toBe('citus');
  });

  it('distributes what a later migration adds', async () => {
    const { uri, db } = await migrated();
    await distributeAlone({ uri });
    await db.query('drop table hash_changes');
    await db.query('create table hash_changes (id bigint generated always as identity primary key)');
    await migrateAlone({ uri, migrations: readMigrations(), logger });
    expect(await recogniseEngine(db)).toBe('citus');
  });

  it('is told by the sessions that come later', async () => {
    const { uri } = await migrated();
    await distributeAlone({ uri });
    const db = new Database({ uri, size: 1, timeoutMs: 10_000, onIdleError: () => {} });
    expect(await db.query('show citus.propagate_set_commands')).toEqual([
      { 'citus.propagate_set_commands': 'local' },
    ]);
    await db.close();
  });
});
