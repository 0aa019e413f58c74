import pg from 'pg';

/** Error message of a killed Citus coordinator to sessions that were waiting for a node. */
const SHUT_DOWN = 'postmaster was shut down, exiting';

/**
 * Error codes by the texts of messages from nodes and of Citus itself. Citus passes on only the message,
 * without the code, if COPY fails or if `insert … select` writes by COPY. Messages are in English, because
 * the service requires an English `lc_messages` on the nodes. Errors with any other message keep the code
 * XX000.
 */
const CODES: readonly (readonly [words: RegExp, code: string])[] = [
  [/^duplicate key value violates unique constraint /, '23505'],
  [/^new row for relation "\w+" violates check constraint /, '23514'],
  [/^index row size \d+ exceeds /, '54000'],
  [/^canceling statement due to lock timeout$/, '55P03'],
  [/^deadlock detected$|involved in a distributed deadlock$/, '40P01'],
  [/^could not serialize access|due to conflict with recovery$/, '40001'],
  [/^canceling statement due to /, '57014'],
  [/^terminating connection /, '57P01'],
  [new RegExp(`^${SHUT_DOWN}$`), '57P01'],
  [/^the database system is /, '57P03'],
  [/^cannot execute .* in a read-only transaction$/, '25006'],
  [/: (No space left on device|Disk quota exceeded)$/, '53100'],
  [/^out of (shared )?memory$/, '53200'],
  [/^sorry, too many clients already$|^remaining connection slots are reserved /, '53300'],
  [/^could not (create|open|extend|read|write|fsync|flush)\b.* file /, '58030'],
  // Messages about a lost node: during a statement (from PostgreSQL's client library, which sets no code),
  // before a statement, and at the commit.
  [/^server closed the connection unexpectedly|^connection not open|^no connection to the server/, '08006'],
  [/^(could not|SSL SYSCALL error).*(Connection|connection|Broken pipe|timed out|EOF detected)/, '08006'],
  [/^failure on connection marked as essential/, '08006'],
  [/^could not commit transaction for shard /, '08007'],
];

/** Matches the name of a constraint and the number of a shard, such as `password_logins_pkey_102008`. */
const CONSTRAINT = / constraint "(.+?)(?:_\d{6,})?"$/;

/** Matches the error about a shard that was just moved to another node. The statement can be repeated. */
const MOVED = /^relation ".+_\d{6,}" does not exist$/;

/** Source files of Citus that raise errors about a node. */
const NODE_FILES = new Set([
  'remote_commands.c',
  'multi_copy.c',
  'remote_transaction.c',
  'placement_connection.c',
]);

/** Returns whether the error comes from a node of Citus, not from the coordinator. */
export const isOfNode = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.message !== SHUT_DOWN && NODE_FILES.has(error.file ?? '');

/** Matches the address of the node in the message or the context of an error, in all forms that Citus has. */
const NODE_IN_MESSAGE = new RegExp(
  `^(?:${[
    'connection to the remote node \\S+@',
    'failure on connection marked as essential: ',
    'connection establishment for node ',
    'could not establish any connections to the node ',
    'failed to complete COPY on ',
    'failed to COPY to shard \\d+ on ',
    "failed to prepare transaction '\\w+' on host ",
  ].join('|')})([\\w.:-]+:\\d{1,5})(?:\\s|$)`,
);
const NODE_IN_CONTEXT = /^while executing command on ([\w.:-]+:\d{1,5})$/m;

/** Returns the node that raised an error, as `host:port`, if Citus names it. */
export function nodeOf(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  return NODE_IN_MESSAGE.exec(error.message)?.[1] ?? NODE_IN_CONTEXT.exec(error.where ?? '')?.[1];
}

export function normaliseCitusError(error: unknown): void {
  if (!(error instanceof pg.DatabaseError)) return;
  const { message } = error;
  const node = nodeOf(error);
  if (node !== undefined) Object.assign(error, { node });
  if (error.code === 'XX000') error.code = CODES.find(([words]) => words.test(message))?.[1] ?? error.code;
  if (error.code === '42P01' && MOVED.test(message)) error.code = '40001';
  if (error.code?.startsWith('23')) error.constraint ??= CONSTRAINT.exec(message)?.[1];
}
