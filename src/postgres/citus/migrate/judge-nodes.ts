export const SETTINGS_OF_NODES = [
  'lc_messages',
  'max_connections',
  'max_prepared_transactions',
  'server_version_num',
  'synchronous_commit',
  'wal_level',
  'citus.recover_2pc_interval',
] as const;

export interface NodeSettings {
  /** `host:port`. */
  node: string;
  /** Values as `pg_settings` has them: times are in milliseconds. */
  settings: Readonly<Partial<Record<(typeof SETTINGS_OF_NODES)[number], string>>>;
}

/** Versions of Citus and PostgreSQL with which the service was tested. */
const TRIED = { citus: /^13\.2(\.|$)/, postgres: 15 };

/** Locales with English messages, because `node-errors.ts` recognises errors by their texts. */
const ENGLISH = /^(C|POSIX|en)(?![A-Za-z])|^English/;

/** If a node is lost, users whose rows it had locked would wait for longer than callers do. */
const LONG_RECOVERY_MS = 15_000;

export function refusalOf(nodes: readonly NodeSettings[]): string | undefined {
  for (const { node, settings } of nodes) {
    if (!ENGLISH.test(settings.lc_messages ?? ''))
      return `node ${node} has lc_messages = '${settings.lc_messages ?? ''}': set it to 'C' or 'en_US.UTF-8' on all nodes, as errors of nodes are told apart by their words`;
    if (!Number(settings.max_prepared_transactions))
      return `node ${node} has max_prepared_transactions = 0: set it to max_connections or more on all nodes`;
  }
  return undefined;
}

/** @param citus version of Citus, such as 13.2.2 */
export function adviceOn(nodes: readonly NodeSettings[], citus: string): string[] {
  const advice: string[] = [];
  const majors = new Set(
    nodes.map(({ settings }) => Math.floor(Number(settings.server_version_num) / 10_000)),
  );
  if (!TRIED.citus.test(citus) || [...majors].some((major) => major !== TRIED.postgres)) {
    const postgres = [...majors].join(', ');
    advice.push(
      `this is Citus ${citus} on PostgreSQL ${postgres}; what was tried is Citus 13.2 on PostgreSQL ${TRIED.postgres}`,
    );
  }
  for (const { node, settings } of nodes) {
    const { max_prepared_transactions: prepared, max_connections: connections } = settings;
    if (Number(prepared) < Number(connections)) {
      advice.push(
        `node ${node}: max_prepared_transactions = ${prepared} is below max_connections = ${connections}: under load, commits may fail`,
      );
    }
    if (settings.wal_level !== 'logical')
      advice.push(
        `node ${node}: wal_level = ${settings.wal_level}: only with 'logical' can tables be moved to new nodes without an interruption`,
      );
    if (settings.synchronous_commit === 'off')
      advice.push(
        `node ${node}: synchronous_commit = off: after a crash, this node loses its last commits, and the others do not`,
      );
    const recovery = Number(settings['citus.recover_2pc_interval']);
    if (recovery < 0 || recovery > LONG_RECOVERY_MS) {
      const lasts = recovery < 0 ? 'for ever' : `for up to ${recovery / 1000} s`;
      advice.push(
        `node ${node}: citus.recover_2pc_interval = ${recovery} ms: rows that a lost node had locked stay locked ${lasts}; 5 s is enough`,
      );
    }
  }
  return advice;
}
