import { randomBytes } from 'node:crypto';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { distributeAlone } from '../../../../src/postgres/citus/migrate/distribute.ts';
import { recogniseEngine } from '../../../../src/postgres/citus/recognise-engine.ts';
import { APPLICATION_NAME, Database } from '../../../../src/postgres/client/database.ts';
import { readMigrations } from '../../../../src/postgres/migrate/apply-migrations.ts';
import { migrateAlone } from '../../../../src/postgres/migrate/migrate-alone.ts';
import { closeTemplate, makeCluster } from '../../../support/citus.ts';
import { useTestDatabase } from '../../../support/database.ts';
import { withDatabase } from '../../../support/nodes.ts';
import { rowsOf } from '../../../support/rows-of.ts';

const logger = { info: () => {}, warn: () => {} };
const { nodes } = inject('postgres');

/**
 * Returns the engine of a session that begins now.
 * @throws {Error} if the database may not be served
 */
async function engineOf(uri: string) {
  const db = new Database({ uri, size: 1, timeoutMs: 10_000, onIdleError: () => {} });
  const engine = await recogniseEngine(db).finally(() => db.close());
  return engine.name;
}

/**
 * Creates a migrated database, with its nodes on Citus, in which nothing is distributed.
 * @param afterwards runs after the database is dropped
 */
async function migrated(afterwards: () => Promise<void> = async () => {}) {
  onTestFinished(afterwards);
  const database = await useTestDatabase({ empty: true });
  const name = new URL(database.uri).pathname.slice(1);
  if (nodes.length > 1) await makeCluster(nodes, name);
  await migrateAlone({ uri: database.uri, migrations: readMigrations(), logger });
  return { ...database, name };
}

it('says what is missing without Citus', async () => {
  const { uri } = await useTestDatabase({ empty: true });
  await expect(distributeAlone({ uri })).rejects.toThrow('run "user-import-core migrate"');
  await migrateAlone({ uri, migrations: readMigrations(), logger });
  await expect(distributeAlone({ uri })).rejects.toThrow('run "create extension citus"');
});

describe.skipIf(nodes.length === 1)('on Citus', () => {
  it('says what is missing without nodes', async () => {
    const { uri } = await useTestDatabase({ empty: true });
    await rowsOf(uri, 'create extension citus');
    await migrateAlone({ uri, migrations: readMigrations(), logger });
    await expect(distributeAlone({ uri })).rejects.toThrow('citus_add_node');
  });

  it('distributes filled tables with messages, and can be repeated', async () => {
    const { uri } = await migrated();
    expect(await engineOf(uri)).toBe('postgres');
    await rowsOf(
      uri,
      `with u as (insert into users (user_id, time_joined_ms) select gen_random_uuid(), n from generate_series(1, 1000) n returning user_id)
       insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm)
       select user_id || '@example.com', user_id, user_id, 1, 'x', 'bcrypt' from u`,
    );
    const said: string[] = [];
    await distributeAlone({ uri, shards: 8, say: (text) => said.push(text) });
    expect(said).toContain('users: distributed by user_id, in 8 parts');
    expect(said).toContain('replaced_hashes: distributed by email, beside password_logins');
    expect(await engineOf(uri)).toBe('citus');
    const [counts] = await rowsOf(
      uri,
      'select (select count(*)::int from users) as users, (select count(*)::int from password_logins) as logins',
    );
    expect(counts).toEqual({ users: 1000, logins: 1000 });
    // No row is left on the coordinator.
    expect(await rowsOf(uri, "select pg_relation_size('users')::int as bytes")).toEqual([{ bytes: 0 }]);
    const [places] = await rowsOf(
      uri,
      "select count(distinct groupid)::int as nodes from pg_dist_placement join pg_dist_shard using (shardid) where logicalrelid = 'users'::regclass",
    );
    expect(places).toEqual({ nodes: nodes.length - 1 });

    const again: string[] = [];
    await distributeAlone({ uri, say: (text) => again.push(text) });
    expect(again.filter((text) => text.endsWith('is distributed already'))).toHaveLength(9);
    expect(again).toEqual(expect.arrayContaining(['citus.propagate_set_commands = local']));
    await distributeAlone({ uri, shards: 8 });
  });

  it.each([
    ['all tables', "select create_distributed_table('users', 'user_id', shard_count => 6)", true],
    ['some tables', "select create_distributed_table('users', 'user_id', shard_count => 6)", false],
  ])('refuses --shards if %s have another number of shards', async (_, statement, all) => {
    const { uri } = await migrated();
    await rowsOf(uri, statement);
    if (all) await distributeAlone({ uri });
    const before = await rowsOf(uri, 'select table_name::text from citus_tables order by 1');
    await expect(distributeAlone({ uri, shards: 8 })).rejects.toThrow(/^--shards 8: .*users has 6/);
    expect(await rowsOf(uri, 'select table_name::text from citus_tables order by 1')).toEqual(before);
    await distributeAlone({ uri, shards: 6 });
    expect(await engineOf(uri)).toBe('citus');
  });

  it('applies settings of a later version at the next migration', async () => {
    const { uri, name } = await migrated();
    await distributeAlone({ uri });
    await rowsOf(uri, `alter database ${name} reset citus.enable_deadlock_prevention`);
    await expect(engineOf(uri)).rejects.toThrow('citus.enable_deadlock_prevention is not off');
    await migrateAlone({ uri, migrations: readMigrations(), logger });
    expect(await engineOf(uri)).toBe('citus');
  });

  it('completes a partial distribution, with which the service does not start', async () => {
    const { uri } = await migrated();
    await rowsOf(uri, "select create_distributed_table('users', 'user_id', shard_count => 6)");
    await expect(engineOf(uri)).rejects.toThrow(
      /some tables are distributed, and others are not \(.*password_logins/,
    );
    await distributeAlone({ uri });
    expect(await engineOf(uri)).toBe('citus');
    expect(await rowsOf(uri, 'select distinct shard_count::int as parts from citus_tables')).toEqual([
      { parts: 6 },
    ]);
  });

  it('changes nothing if it is killed halfway, and can be run again', async () => {
    const { uri } = await migrated();
    const killed = distributeAlone({
      uri,
      say(text) {
        if (text.startsWith('password_logins:'))
          void rowsOf(
            uri,
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
             and application_name = '${APPLICATION_NAME}'`,
          );
      },
    });
    await expect(killed).rejects.toThrow();
    expect(await engineOf(uri)).toBe('postgres');
    await distributeAlone({ uri });
    expect(await engineOf(uri)).toBe('citus');
  });

  it('refuses to run beside an instance, and reports one that was started meanwhile', async () => {
    const { uri } = await migrated();
    const connect = async () => {
      const instance = new Database({ uri, size: 1, timeoutMs: 10_000, onIdleError: () => {} });
      await instance.query('select 1');
      return instance;
    };
    const before = await connect();
    await expect(distributeAlone({ uri })).rejects.toThrow('running instances (from 127.0.0.1): stop all');
    expect(await engineOf(uri)).toBe('postgres');
    await before.close();

    let started: Promise<Database> | undefined;
    const distributed = distributeAlone({
      uri,
      say: () => {
        started ??= connect();
      },
    });
    await expect(distributed).rejects.toThrow('all tables are distributed, but instances were started');
    expect(await engineOf(uri)).toBe('citus');
    // Nothing is left to do, so the instance no longer matters.
    await distributeAlone({ uri });
    await started?.then((instance) => instance.close());
  });

  it('shows nobody partly distributed tables: a session that uses them waits, and then finds them complete', async () => {
    const { uri } = await migrated();
    await rowsOf(uri, 'insert into users (user_id, time_joined_ms) values (gen_random_uuid(), 1)');
    const seen: Promise<unknown>[] = [];
    await distributeAlone({
      uri,
      say(text) {
        if (text.startsWith('password_logins:'))
          seen.push(
            rowsOf(uri, 'select count(*)::int from hash_changes'),
            rowsOf(uri, 'select count(*)::int from users'),
          );
      },
    });
    expect(await Promise.all(seen)).toEqual([[{ count: 0 }], [{ count: 1 }]]);
  });

  it('reports which privileges a role lacks, and succeeds once it has them', async () => {
    const role = `uic_${randomBytes(6).toString('hex')}`;
    const server = inject('postgres').uri;
    // The nodes log in to one another with the role, and find its password where they find that of the URL.
    await rowsOf(server, `create role ${role} login password '${new URL(server).password}'`);
    // Citus copies roles to the nodes. The role can be dropped once the database is gone.
    const { uri, name } = await migrated(async () => void (await rowsOf(server, `drop role ${role}`)));
    const own = new URL(uri);
    own.username = role;
    await rowsOf(uri, `grant select on all tables in schema public to ${role}`);
    await expect(distributeAlone({ uri: own.href })).rejects.toThrow(
      /^must be owner of database .*: the role has to own the database and its tables/,
    );
    await rowsOf(server, `alter database ${name} owner to ${role}`);
    const tables = await rowsOf<{ tablename: string }>(
      uri,
      "select tablename from pg_tables where schemaname = 'public'",
    );
    for (const { tablename } of tables) await rowsOf(uri, `alter table ${tablename} owner to ${role}`);
    await expect(distributeAlone({ uri: own.href })).rejects.toThrow(
      /^must be owner of database .* on each node/,
    );
    expect(await engineOf(uri)).toBe('postgres');
    for (const node of nodes.slice(1)) await rowsOf(node, `alter database ${name} owner to ${role}`);
    await distributeAlone({ uri: own.href });
    expect(await engineOf(own.href)).toBe('citus');
  });

  it('warns about unfavourable settings of nodes, and continues', async () => {
    const { uri, name } = await migrated();
    // A replication factor of the database, which distributing must ignore.
    await rowsOf(uri, `alter database ${name} set citus.shard_replication_factor = 2`);
    const warned: string[] = [];
    await distributeAlone({ uri, warn: (text) => warned.push(text) });
    const [slow] = await rowsOf<{ slow: boolean }>(
      uri,
      "select setting::int > 15000 as slow from pg_settings where name = 'citus.recover_2pc_interval'",
    );
    expect(warned.some((text) => text.includes('citus.recover_2pc_interval'))).toBe(slow?.slow);
    const placements = await rowsOf(
      uri,
      'select shardid from pg_dist_placement group by shardid having count(*) > 1',
    );
    expect(placements).toEqual([]);
  });

  it('leaves no schema on a worker, and says where the coordinator is', async () => {
    const { name } = await migrated();
    const [coordinator = '', worker = ''] = nodes;
    const uri = withDatabase(worker, name);
    const { host } = new URL(coordinator);
    await expect(migrateAlone({ uri, migrations: readMigrations(), logger })).rejects.toThrow(
      `this database is on a worker of Citus: go to the coordinator, ${host}`,
    );
    expect(await rowsOf(uri, "select tablename from pg_tables where schemaname = 'public'")).toEqual([]);
  });

  it('names the node with conflicting tables', async () => {
    const { uri, name } = await migrated();
    const worker = nodes[1] ?? '';
    // This happens if a worker was migrated before it joined the cluster.
    await rowsOf(withDatabase(worker, name), 'create table users (); create table password_logins ()');
    await expect(distributeAlone({ uri })).rejects.toThrow(
      `node ${new URL(worker).host} has users, password_logins.`,
    );
    expect(await engineOf(uri)).toBe('postgres');
    await rowsOf(withDatabase(worker, name), 'drop table users, password_logins');
    await distributeAlone({ uri });
    expect(await engineOf(uri)).toBe('citus');
    // Distributed tables do not conflict.
    await distributeAlone({ uri });
  });

  it('refuses a node that does not answer', async () => {
    const { uri, name } = await migrated();
    const [, node = ''] = nodes;
    await closeTemplate([node], name);
    await expect(distributeAlone({ uri })).rejects.toThrow(
      /^node \S+:\d+ does not answer: failed to connect/,
    );
  });

  it('keeps connections to the nodes open, unless an administrator has set their number', async () => {
    const { uri, name } = await migrated();
    const cached = "select current_setting('citus.max_cached_conns_per_worker') as cached";
    await rowsOf(uri, `alter database ${name} set citus.max_cached_conns_per_worker = 1`);
    await distributeAlone({ uri });
    expect(await rowsOf(uri, cached)).toEqual([{ cached: '16' }]);
    await rowsOf(uri, `alter database ${name} set citus.max_cached_conns_per_worker = 3`);
    await distributeAlone({ uri });
    expect(await rowsOf(uri, cached)).toEqual([{ cached: '3' }]);
  });

  it('distributes the tables of later migrations', async () => {
    const { uri, db } = await migrated();
    await distributeAlone({ uri });
    await db.query('drop table hash_changes');
    await db.query('create table hash_changes (id bigint generated always as identity primary key)');
    await migrateAlone({ uri, migrations: readMigrations(), logger });
    expect(await engineOf(uri)).toBe('citus');
  });

  it('prevents the start of the service if the settings of the database were lost, as in a dump', async () => {
    const { uri, name } = await migrated();
    await distributeAlone({ uri });
    await rowsOf(uri, `alter database ${name} reset citus.propagate_set_commands`);
    await expect(engineOf(uri)).rejects.toThrow(
      'citus.propagate_set_commands is not local: run "user-import-core migrate --distribute"',
    );
    await distributeAlone({ uri });
    expect(await engineOf(uri)).toBe('citus');
  });
});
