import pg from 'pg';
import type { ImportPlace } from './import-state.ts';

const TABLES = [
  'users',
  'password_logins',
  'third_party_logins',
  'user_aliases',
  'hash_changes',
  'import_changes',
];

/** Logins without a user, and users without a login. */
const HALVES = `select
  (select count(*) from (select user_id from password_logins union all select user_id from third_party_logins
    union all select user_id from user_aliases) o where user_id not in (select user_id from users))::int as orphans,
  (select count(*) from users where user_id not in (select user_id from password_logins union all select user_id from third_party_logins))::int as empty`;

/** Rows that a load of single calls has written. */
export interface Written {
  hashes: Map<string, string>;
  thirdParties: Set<string>;
  orphans: number;
  empty: number;
}

/** Copies of the distributed tables in one session of the coordinator, where any join is allowed. */
export class ClusterSnapshot {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async take(uri: string): Promise<ClusterSnapshot> {
    const client = new pg.Client(uri);
    await client.connect();
    // Temporary tables take precedence over others with the same name.
    for (const table of TABLES)
      await client.query(`create temp table ${table} as select * from public.${table}`);
    for (const table of ['users', 'password_logins', 'third_party_logins', 'user_aliases'])
      await client.query(`create index on pg_temp.${table} (user_id)`);
    for (const table of TABLES) await client.query(`analyze pg_temp.${table}`);
    return new ClusterSnapshot(client);
  }

  query: ImportPlace['query'] = async (sql) => (await this.#client.query(sql)).rows;

  /** Removes from the copies what the load with this prefix of names wrote, and returns it. */
  async takeOut(name: string): Promise<Written> {
    const [halves] = (await this.#client.query<{ orphans: number; empty: number }>(HALVES)).rows;
    const logins = await this.#client.query<{ email: string; password_hash: string; user_id: string }>(
      `delete from password_logins where email like '${name}-%' returning email, password_hash, user_id`,
    );
    const others = await this.#client.query<{ third_party_user_id: string; user_id: string }>(
      `delete from third_party_logins where third_party_user_id like '${name}-%' returning third_party_user_id, user_id`,
    );
    const ids = [...logins.rows, ...others.rows].map((row) => row.user_id);
    const users = await this.#client.query('delete from users where user_id = any($1)', [ids]);
    await this.#client.query('delete from hash_changes where recipe_user_id = any($1)', [ids]);
    return {
      hashes: new Map(logins.rows.map((row) => [row.email, row.password_hash])),
      thirdParties: new Set(others.rows.map((row) => row.third_party_user_id)),
      orphans: halves?.orphans ?? -1,
      // Each user of the load has one login.
      empty: (halves?.empty ?? -1) + ids.length - (users.rowCount ?? 0),
    };
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
