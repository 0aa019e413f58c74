import type { Cost } from './costs.ts';

/**
 * Figures that were not measured here: chosen, or measured by others. A plan is only as good as they are for
 * your machines.
 */
export const ASSUMED = {
  busy: {
    what: 'how busy cores may be at the peak',
    value: 0.7,
    unit: '',
    source: 'the rest is for what strays and for a node that is away',
  },
  bulkCores: {
    what: 'cores of a node of Postgres that bulk imports can use',
    value: 4,
    unit: '',
    source: 'chosen: measured were two; writers wait for the locks of WAL and of growing tables',
  },
  indexShare: {
    what: 'share of the memory of a node of Postgres that indexes may take',
    value: 0.6,
    unit: '',
    source: 'the rest is for pages of tables and for connections',
  },
  walOnDisk: {
    what: 'max_wal_size of a node during the import',
    value: 100e9,
    unit: 'bytes',
    source: 'chosen; more is fewer page images',
  },
  checkpointShare: {
    what: 'of which a checkpoint begins at',
    value: 1 / 1.9,
    unit: '',
    source: 'PostgreSQL, checkpoint_completion_target 0.9',
  },
  spareInstances: {
    what: 'instances beyond those that are needed',
    value: 1,
    unit: '',
    source: 'one restarts',
  },
  serverConnections: {
    what: 'connections that a node of Postgres serves without a pooler',
    value: 500,
    unit: '',
    source: 'chosen; as it comes it has 100',
  },
} satisfies Record<string, Cost>;

/**
 * A distributed Postgres compared with a plain one on the same cores. Ratios of rates are the lower end of
 * the measurements.
 */
export const DISTRIBUTED = {
  signInWorkers: {
    what: 'CPU of a sign-in on all workers together, of what it takes on a plain Postgres',
    value: 1.3,
    unit: '',
    source: 'measured 2026-11-23: 1.2 to 1.4; the two statements alone, 8 connections',
  },
  signInCoordinator: {
    what: '– on the coordinator, beside that',
    value: 1.5,
    unit: '',
    source: 'measured 2026-11-23: 1.4 to 1.7',
  },
  singleRatio: {
    what: 'single imports of new users',
    value: 0.75,
    unit: '',
    source: 'npm run bench -- nodes: 0.75 to 0.95',
  },
  bulkRatio: {
    what: 'bulk imports',
    value: 0.73,
    unit: '',
    source: 'npm run bench -- nodes: 0.73 to 0.95',
  },
  leastWorkers: {
    what: 'workers at least',
    value: 2,
    unit: '',
    source: 'with one there is nothing to distribute',
  },
  workerConnections: {
    what: 'connections to each worker for one to the coordinator',
    value: 16,
    unit: '',
    source: 'citus.max_cached_conns_per_worker, as --distribute sets it',
  },
} satisfies Record<string, Cost>;
