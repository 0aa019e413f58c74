import pg from 'pg';

/** The coordinator, whose process was killed, to those that waited for a node. */
const SHUT_DOWN = 'postmaster was shut down, exiting';

/**
 * Messages of nodes, with the error code that Citus drops: it passes on the message alone where COPY fails, and where
 * `insert … select` writes by COPY. Messages of Citus itself are here, too. They are in English, because `lc_messages` of the nodes must
 * be. Any other message keeps the code XX000.
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
  // A node was lost: amid a statement (words of the client library, which has no code), before it, and at the commit.
  [/^server closed the connection unexpectedly|^connection not open|^no connection to the server/, '08006'],
  [/^(could not|SSL SYSCALL error).*(Connection|connection|Broken pipe|timed out|EOF detected)/, '08006'],
  [/^failure on connection marked as essential/, '08006'],
  [/^could not commit transaction for shard /, '08007'],
];

/** Name of a constraint on a node: our name and the number of the shard, such as `password_logins_pkey_102008`. */
const CONSTRAINT = / constraint "(.+?)(?:_\d{6,})?"$/;

/** A shard was being moved to another node, and has arrived. The statement can simply run again. */
const MOVED = /^relation ".+_\d{6,}" does not exist$/;

/** Source files of Citus that raise errors about a node. */
const NODE_FILES = new Set([
  'remote_commands.c',
  'multi_copy.c',
  'remote_transaction.c',
  'placement_connection.c',
]);

/** Was it a node that failed? The connection to the coordinator is as good as before then. */
export const isOfNode = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.message !== SHUT_DOWN && NODE_FILES.has(error.file ?? '');

/** How Citus names the node that an error is from: at the beginning of the message, or in a line of the context. */
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

/** Returns the node that an error is from, as `host:port`, for the log; undefined where Citus does not name it. */
export function nodeOf(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  return NODE_IN_MESSAGE.exec(error.message)?.[1] ?? NODE_IN_CONTEXT.exec(error.where ?? '')?.[1];
}

/**
 * Gives an error the code that one PostgreSQL would have reported, our name of the constraint, and the `node` that it is from, which
 * the log shows.
 */
export function normaliseCitusError(error: unknown): void {
  if (!(error instanceof pg.DatabaseError)) return;
  const { message } = error;
  const node = nodeOf(error);
  if (node !== undefined) Object.assign(error, { node });
  if (error.code === 'XX000') error.code = CODES.find(([words]) => words.test(message))?.[1] ?? error.code;
  if (error.code === '42P01' && MOVED.test(message)) error.code = '40001';
  if (error.code?.startsWith('23')) error.constraint ??= CONSTRAINT.exec(message)?.[1];
}
