/**
 * Makes Postgres notice within seconds that the host of a transaction is lost. With TCP's defaults the transaction would
 * stay open for two hours, and whoever meets its locks would wait. The settings end with the transaction, so a pooler may
 * sit between.
 */
const NOTICE_LOSS =
  'set local tcp_keepalives_idle = 10; set local tcp_keepalives_interval = 5; set local tcp_keepalives_count = 3';

/** Longest that such a transaction may be idle, in ms: well above what a chunk waits for the chunk before it to commit. */
const IDLE_TIMEOUT_MS = 10_000;

/** Makes joins go through keys in their order, whatever the statistics of tables that were just filled say. */
export const JOIN_BY_KEY =
  'set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off';

export const BEGIN_BULK = `begin; ${NOTICE_LOSS}; set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`;

/**
 * How long a transaction that is not the next to commit waits for a lock, in ms. The holder of the lock may be waiting for
 * a transaction that is to commit before it; no deadlock check of Postgres can see that.
 */
const LOCK_TIMEOUT_MS = 500;

export const BEGIN_BULK_SHORT_WAITS = `${BEGIN_BULK}; set local lock_timeout = ${LOCK_TIMEOUT_MS}`;
