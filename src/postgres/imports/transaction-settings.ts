/**
 * Settings that make PostgreSQL notice within seconds that the host of a transaction is lost. With TCP's defaults, the
 * transaction and its locks would stay for two hours. The settings end with the transaction, so a pooler may be in
 * front of the database.
 */
const NOTICE_LOSS =
  'set local tcp_keepalives_idle = 10; set local tcp_keepalives_interval = 5; set local tcp_keepalives_count = 3';

/**
 * Maximum milliseconds that a transaction may be idle: well above the time that a chunk waits for the chunk before it
 * to commit.
 */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * Makes joins use keys in their order. Without it, PostgreSQL may choose other plans, because statistics of tables
 * that were just filled are wrong.
 */
export const JOIN_BY_KEY =
  'set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off';

export const BEGIN_BULK = `begin; ${NOTICE_LOSS}; set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`;

/**
 * Milliseconds that a transaction may wait for a lock unless it is the next to commit. The holder of the lock may
 * itself wait for an earlier transaction to commit, and PostgreSQL's deadlock check cannot see that.
 */
const LOCK_TIMEOUT_MS = 500;

export const BEGIN_BULK_SHORT_WAITS = `${BEGIN_BULK}; set local lock_timeout = ${LOCK_TIMEOUT_MS}`;
