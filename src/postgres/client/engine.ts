/**
 * The database that keeps the rows: one Postgres, or several nodes under Citus. Differences between the two are in this file, in
 * `citus-error.ts`, `in-parts.ts`, `lock-changes.ts` and `prepare-all-nodes.ts`. A statement that needs a form for each engine has both
 * side by side.
 */
export type Engine = 'postgres' | 'citus';

/** Makes a value for each engine, once: statements are sent for every call, and must not be put together each time. */
export const forEachEngine = <T>(make: (engine: Engine) => T): Readonly<Record<Engine, T>> => ({
  postgres: make('postgres'),
  citus: make('citus'),
});

/** The tables that are distributed over the nodes, and by which column; those in one list have the rows of one value on one node. */
export const DISTRIBUTED: readonly (readonly [table: string, column: string][])[] = [
  [['users', 'user_id']],
  [
    ['password_logins', 'email'],
    ['replaced_hashes', 'email'],
  ],
  [
    ['third_party_logins', 'third_party_user_id'],
    ['replaced_emails', 'third_party_user_id'],
  ],
  [['user_aliases', 'alias']],
  [['hash_changes', 'id']],
];

/**
 * Settings of Citus that differ from its defaults. `npm run migrate -- --distribute` sets them for the database, because settings of a
 * session do not get through a pooler.
 */
export const CITUS_SETTINGS: Readonly<Record<string, string>> = {
  // `set local` reaches the nodes: a lock is waited for there.
  'citus.propagate_set_commands': 'local',
  // A statement keeps one connection to each node: its commit has fewer transactions to prepare.
  'citus.multi_shard_modify_mode': 'sequential',
  // A statement that writes to several parts of a table does not lock these parts. Chunks commit in order: a chunk that held such a
  // lock while it waited for the chunk before it, which waited for the lock, came to an end by lock_timeout only.
  'citus.enable_deadlock_prevention': 'off',
};

/**
 * Returns the messages that begin a transaction. Under Citus each statement is a message of its own: Citus forwards the whole text of a
 * message that contains a `set` to the nodes.
 * @param begin statements with `; ` between them
 */
export const beginMessages = (engine: Engine, begin: string): string[] =>
  engine === 'citus' ? begin.split('; ') : [begin];

/**
 * How many times the lines of a chunk of a bulk import there are in one, as measured (docs/adr/0008-bulk-writes.md). Under Citus, a
 * transaction costs more: each part of a table has a COPY of its own, and the commit is of two phases.
 */
export const CHUNK_SCALE: Readonly<Record<Engine, number>> = { postgres: 1, citus: 4 };

/** Query of the readiness probe. Under Citus it reads every shard, so that a missing worker fails it. */
export const PROBE: Readonly<Record<Engine, string>> = {
  postgres: 'select 1',
  citus: 'select 1 from users limit 1',
};

/** Rows to read, and to lock until the transaction ends. */
export type RowsToLock = {
  table: string;
  /** Source of the other columns that the condition names: `unnest(…) as t (…)`. */
  with?: string;
  where: string;
  columns: string;
  /** Order in which the rows are locked: the same for all who lock several of them. */
  key: string;
} & (
  | {
      /**
       * Condition that shows Citus that all rows are in one shard (`in-parts.ts`), where `where` does not show it; empty if it does.
       * Citus locks rows of one shard as one Postgres does.
       */
      part: string;
    }
  | {
      /** Column that the no-op update assigns to itself; the shortest one, because its value is copied. */
      noopColumn: string;
    }
);

/**
 * Returns a statement that locks rows, and returns them. Under Citus rows of several parts cannot be locked but by changing them, so
 * they are changed to what they are: in no order that could be relied on.
 */
export function lockingRows(engine: Engine, rows: RowsToLock): string {
  const { table, where, columns, key } = rows;
  if (engine === 'citus' && 'noopColumn' in rows) {
    const { noopColumn } = rows;
    const from = rows.with === undefined ? '' : `from ${rows.with}`;
    return `update ${table} login set ${noopColumn} = login.${noopColumn} ${from} where ${where} returning ${columns}`;
  }
  const part = engine === 'citus' && 'part' in rows && rows.part !== '' ? ` and ${rows.part}` : '';
  return `${readingRows(rows)}${part} order by ${key} for no key update of login`;
}

/** Returns a statement that reads the same rows, in any order, and locks none. */
export const readingRows = ({ table, with: others, where, columns }: RowsToLock): string =>
  `select ${columns} from ${table} login${others === undefined ? '' : `, ${others}`} where ${where}`;
