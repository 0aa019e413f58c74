/**
 * PostgreSQL then notices within seconds that the client's host is lost. With TCP's defaults, the transaction
 * and its locks would stay for two hours. The settings end with the transaction, so that a pooler may be in
 * front of the database.
 */
const NOTICE_LOSS =
  'set local tcp_keepalives_idle = 10; set local tcp_keepalives_interval = 5; set local tcp_keepalives_count = 3';

/** Well above the time that an import chunk waits until the chunk before it has committed. */
const IDLE_TIMEOUT_MS = 10_000;

/** Joins read rows in the order of keys, although statistics of tables that were just filled are wrong. */
export const JOIN_BY_KEY =
  'set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off';

/** JSON of rows then has the same texts for the same times in all sessions (stored-rows.ts). */
const TIMES_IN_UTC = "set local timezone = 'UTC'";

export const BEGIN_BULK = `begin; ${NOTICE_LOSS}; ${TIMES_IN_UTC}; set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`;

/**
 * Milliseconds that an import chunk may wait for a lock, unless it is the next to commit. The holder of the
 * lock may itself wait for an earlier chunk to commit, which PostgreSQL's deadlock check cannot see.
 */
const LOCK_TIMEOUT_MS = 500;

export const BEGIN_BULK_SHORT_WAITS = `${BEGIN_BULK}; set local lock_timeout = ${LOCK_TIMEOUT_MS}`;
