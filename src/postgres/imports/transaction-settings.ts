/**
 * How transactions begin that hold locks for a while. A host that is lost without a word would leave its own open, and
 * whoever meets their keys waiting, for the two hours TCP takes by default; here for seconds. The settings end with the
 * transaction, so a pooler may sit between.
 */
const NOTICE_LOSS =
  'set local tcp_keepalives_idle = 10; set local tcp_keepalives_interval = 5; set local tcp_keepalives_count = 3';

/** Longest such a transaction may be idle, in ms: well above what a chunk waits for its turn. */
const IDLE_TIMEOUT_MS = 10_000;

/** Of a transaction that is idle as long as its caller likes. */
export const BEGIN_OPEN_ENDED = `begin; ${NOTICE_LOSS}`;

/** Joins go through the keys in their order, whatever the planner knows of tables that were just filled. */
export const JOIN_BY_KEY =
  'set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off';

export const BEGIN_BULK = `${BEGIN_OPEN_ENDED}; set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`;

/**
 * Whoever is not the next to commit waits for a lock so long at most: its holder may in turn wait for what is to commit
 * before, which no deadlock check of Postgres can see. In ms.
 */
const LOCK_TIMEOUT_MS = 500;

export const BEGIN_BULK_SHORT_WAITS = `${BEGIN_BULK}; set local lock_timeout = ${LOCK_TIMEOUT_MS}`;
