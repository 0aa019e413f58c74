import pg from 'pg';
import type { Connection, Queryable } from '../../../src/postgres/client/connection.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import type { Listed } from './statement-list.ts';

/**
 * Values for each type of parameter: the first one, or all as an array, whose rows are then on several nodes.
 * Some text parameters must be hexadecimal digits.
 */
const SAMPLES: Record<string, readonly string[]> = {
  text: ['ab', 'bc', 'cd', 'de'],
  uuid: [1, 2, 3, 4].map((n) => `01890000-0000-7000-8000-00000000000${n}`),
  regclass: ['password_logins'],
  integer: ['1'],
  bigint: ['1'],
  'double precision': ['1'],
  boolean: ['true', 'true', 'false', 'false'],
  'timestamp with time zone': [1, 2, 3, 4].map((n) => `2026-01-0${n} 00:00:00+00`),
  bytea: ['\\x00'],
  jsonb: ['[]', '[]', '[]', '[]'],
};

/** Whether the statement was planned and run, but its row violates a constraint. */
const isRefusedRow = (error: unknown) => error instanceof pg.DatabaseError && error.code?.startsWith('23');

class Undone extends Error {}

/** A statement for rows of a single shard. Citus refuses it for several shards. */
const OF_ONE_PART = /\bfor no key update of login(?:$| skip locked)/;

/**
 * Locks on whole shards. Every other statement that writes to several shards waits for them until the
 * transaction ends. Their class is 5. The weakest lock mode blocks nobody.
 */
const PART_LOCKS = `
  select mode || ' of part ' || objid as lock from pg_locks
  where pid = pg_backend_pid() and locktype = 'advisory' and objsubid = 5 and mode not in ('RowExclusiveLock', 'RowShareLock')`;

/**
 * Checks that the transaction has locked no whole shards.
 * @throws {Error} if it has
 */
export async function assertNoPartLocks(connection: Queryable): Promise<void> {
  if (connection.engine.name !== 'citus') return;
  const locks = await connection.query<{ lock: string }>(PART_LOCKS);
  if (locks.length > 0) throw new Error(`holds ${locks.map(({ lock }) => lock).join(', ')}`);
}

/**
 * Runs a statement as the service does, with a value for each parameter, and rolls it back. The database
 * determines the types of the parameters.
 * @throws {Error} the error of the database with the name of the statement; on Citus also if the statement
 * locks whole shards
 */
export async function replay(db: Database, { text }: Listed): Promise<void> {
  const work = async (connection: Connection) => {
    if (text.startsWith('copy ') && !text.startsWith('copy ('))
      await connection.copy([{ statement: text, rows: Buffer.alloc(0), count: 0 }]);
    else await connection.query(text, await samplesFor(connection, text));
    await assertNoPartLocks(connection);
    throw new Undone();
  };
  try {
    await db.connection((connection) => connection.transaction(() => work(connection)));
  } catch (error) {
    if (error instanceof Undone || isRefusedRow(error)) return;
    throw new Error(`${error instanceof Error ? error.message : error}\n${text}`, { cause: error });
  }
}

async function samplesFor(connection: Connection, text: string): Promise<(string | readonly string[])[]> {
  if (!text.includes('$1')) return [];
  await connection.query(`prepare listed as ${text}`);
  const [row] = await connection.query<{ types: string[] }>(
    "select parameter_types::text[] as types from pg_prepared_statements where name = 'listed'",
  );
  await connection.query('deallocate listed');
  const samples = (row?.types ?? []).map(sampleOf);
  if (!OF_ONE_PART.test(text)) return samples;
  return samples.map((sample) => (typeof sample === 'string' ? sample : sample.slice(0, 1)));
}

function sampleOf(type: string): string | readonly string[] {
  const samples = SAMPLES[type.replace('[]', '')];
  const [first] = samples ?? [];
  if (samples === undefined || first === undefined)
    throw new Error(`no value for a parameter of type ${type}: add one to SAMPLES`);
  return type.endsWith('[]') ? samples : first;
}
