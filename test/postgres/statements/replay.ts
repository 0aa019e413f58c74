import pg from 'pg';
import type { Connection, Queryable } from '../../../src/postgres/client/connection.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import type { Listed } from './statement-list.ts';

/**
 * Values of each type that a parameter has: the first, or all as an array, whose rows would be on several nodes. Text has to be
 * hexadecimal digits for some.
 */
const SAMPLES: Record<string, readonly string[]> = {
  text: ['ab', 'bc', 'cd', 'de'],
  uuid: [1, 2, 3, 4].map((n) => `01890000-0000-7000-8000-00000000000${n}`),
  regclass: ['password_logins'],
  integer: ['1'],
  bigint: ['1'],
  'double precision': ['1'],
  boolean: ['true', 'true', 'false', 'false'],
  bytea: ['\\x00'],
  jsonb: ['[]', '[]', '[]', '[]'],
};

/** The statement was planned and run; what it would have written is no row of ours. */
const isRefusedRow = (error: unknown) => error instanceof pg.DatabaseError && error.code?.startsWith('23');

class Undone extends Error {}

/** Is sent for the rows of one part of a table: Citus refuses it for rows of several. */
const OF_ONE_PART = /\bfor no key update of login$/;

/**
 * Locks of whole parts of tables, which each other statement that writes to several parts waits for until the transaction ends. 5 is
 * the class of these locks. What takes the weakest one keeps nobody out.
 */
const PART_LOCKS = `
  select mode || ' of part ' || objid as lock from pg_locks
  where pid = pg_backend_pid() and locktype = 'advisory' and objsubid = 5 and mode not in ('RowExclusiveLock', 'RowShareLock')`;

/** @throws {Error} where the transaction has locked whole parts of tables */
export async function assertNoPartLocks(connection: Queryable): Promise<void> {
  if (connection.engine !== 'citus') return;
  const locks = await connection.query<{ lock: string }>(PART_LOCKS);
  if (locks.length > 0) throw new Error(`holds ${locks.map(({ lock }) => lock).join(', ')}`);
}

/**
 * Runs a statement as the service does, with a value for each parameter, and takes it back. Which type a parameter has is told by the
 * database: the list need not have them.
 * @throws {Error} what the database says, and of which statement; under Citus also where it locks whole parts of tables
 */
export async function replay(db: Database, { text }: Listed): Promise<void> {
  const work = async (connection: Connection) => {
    if (text.startsWith('copy '))
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
