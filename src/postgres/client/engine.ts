/**
 * What keeps the rows: one Postgres, or several nodes of one, under Citus. What differs in kind is in this file, `citus-error.ts` and
 * `lock-changes.ts`; statements that have a form for each have both side by side, by `engine`.
 */
export type Engine = 'postgres' | 'citus';

/** What each engine has of its own, made once: a statement is sent for every call. */
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
 * What Citus has to do otherwise than it does by itself. Settings of the database, as those of a session do not get through a pooler;
 * `npm run migrate -- --distribute` makes them.
 */
export const CITUS_SETTINGS: Readonly<Record<string, string>> = {
  // `set local` reaches the nodes: a lock is waited for there.
  'citus.propagate_set_commands': 'local',
  // A statement goes to the parts of a table one after the other: two of them that meet do not wait for each other crosswise.
  'citus.multi_shard_modify_mode': 'sequential',
};

/**
 * What begins a transaction, one message each. Citus sends the whole text of a message that sets something on to the nodes.
 * @param begin statements with `; ` between them
 */
export const beginMessages = (engine: Engine, begin: string): string[] =>
  engine === 'citus' ? begin.split('; ') : [begin];

/**
 * How many times the lines of a chunk of a bulk import there are in one, as measured (docs/adr/0008-bulk-writes.md). Under Citus, a
 * transaction costs more: each part of a table has a COPY of its own, and the commit is of two phases.
 */
export const CHUNK_SCALE: Readonly<Record<Engine, number>> = { postgres: 1, citus: 4 };

/** What is answered where all of it is there. */
export const PROBE: Readonly<Record<Engine, string>> = {
  postgres: 'select 1',
  citus: 'select 1 from users limit 1',
};

/** Rows that a transaction wants as they are, and to stay so until it ends. */
export interface RowsToLock {
  table: string;
  /** What else the condition speaks of: `unnest(…) as t (…)`. */
  with?: string;
  where: string;
  columns: string;
  /** In whose order they are locked, as all do who lock several of them. */
  key: string;
  /** A short column, which says the same afterwards. */
  plain: string;
}

/**
 * A statement that locks rows, and returns them. Citus locks rows of several nodes only by changing them, so there they are changed
 * to what they are: one part of the table after the other, and within a part in no order that could be relied on.
 */
export function lockingRows(engine: Engine, rows: RowsToLock): string {
  if (engine !== 'citus') return `${readingRows(rows)} order by ${rows.key} for no key update of login`;
  const { table, where, columns, plain } = rows;
  const from = rows.with === undefined ? '' : `from ${rows.with}`;
  return `update ${table} login set ${plain} = login.${plain} ${from} where ${where} returning ${columns}`;
}

/** The same rows, not locked, in any order. */
export const readingRows = ({ table, with: others, where, columns }: RowsToLock): string =>
  `select ${columns} from ${table} login${others === undefined ? '' : `, ${others}`} where ${where}`;
