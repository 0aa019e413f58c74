import { ASSUMED, DISTRIBUTED } from './assumptions.ts';
import { COSTS } from './costs.ts';
import { linesPerCheckpoint, PAGE_BYTES, touchedPages } from './page-images.ts';
import type { Demand } from './read-demand.ts';
import { indexBytes, tableBytes } from './relations.ts';

/** Numbers of nodes. */
export interface Layout {
  instances: number;
  /** Number of Postgres nodes that hold users. 1 is a plain Postgres. */
  nodes: number;
}

/** Upper bounds of the rate of an import, in lines a second. */
export interface ImportBounds {
  instances: number;
  cores: number;
  /** Infinity if there is no coordinator. */
  coordinator: number;
}

export type BoundBy = keyof ImportBounds | 'disk';

export interface BulkImport {
  seconds: number;
  /** WAL of the whole import. */
  walBytes: number;
  /** Write rate of one node's disk at the end, when a page is rarely touched twice between checkpoints. */
  diskMbs: number;
  /** The bound that limits the last part of the import. */
  boundBy: BoundBy;
  /** Lines a second at the end. */
  lastRate: number;
}

const perSecond = (us: number) => 1e6 / us;

/**
 * CPU time of Postgres for a line, into a full database, in µs. The service's share is assumed to be the same
 * as with an empty one.
 */
export const postgresLineUs =
  (COSTS.bulkServiceUs.value + COSTS.bulkPostgresUs.value) / COSTS.bulkFullRatio.value -
  COSTS.bulkServiceUs.value;

/**
 * CPU time of the coordinator for a line, in µs, derived from the rates with and without it on the same
 * cores.
 */
const coordinatorLineUs =
  (COSTS.bulkServiceUs.value + COSTS.bulkPostgresUs.value) * (1 / DISTRIBUTED.bulkRatio.value - 1);

export function importBounds({ cores }: Demand, { instances, nodes }: Layout): ImportBounds {
  const usable = Math.min(cores * ASSUMED.busy.value, ASSUMED.bulkCores.value);
  return {
    instances: instances * ASSUMED.busy.value * perSecond(COSTS.bulkServiceUs.value),
    cores: nodes * usable * perSecond(postgresLineUs),
    coordinator: nodes === 1 ? Number.POSITIVE_INFINITY : usable * perSecond(coordinatorLineUs),
  };
}

const SLICES = 100;

/**
 * Simulates an import in slices, from empty tables to all users. The larger the indexes are, the more pages
 * are written.
 */
export function bulkImport(demand: Demand, layout: Layout): BulkImport {
  const { nodes } = layout;
  const bounds = importBounds(demand, layout);
  const entries = Object.entries(bounds) as [keyof ImportBounds, number][];
  const [slowest, cpuRate] = entries.reduce((least, one) => (one[1] < least[1] ? one : least));
  const walAtOnce = nodes * ASSUMED.walOnDisk.value * ASSUMED.checkpointShare.value;
  const lines = demand.users / SLICES;
  const sum = { seconds: 0, walBytes: 0 };
  let last: Pick<BulkImport, 'diskMbs' | 'boundBy' | 'lastRate'> | undefined;
  for (let slice = 0; slice < SLICES; slice += 1) {
    const stored = lines * (slice + 0.5);
    const between = linesPerCheckpoint(stored, walAtOnce);
    const walBytes = walAtOnce / between;
    const written =
      walBytes + tableBytes + indexBytes + (touchedPages(stored, between) / between) * PAGE_BYTES;
    const diskRate = (nodes * demand.diskMbs * 1e6) / written;
    const rate = Math.min(cpuRate, diskRate);
    sum.seconds += lines / rate;
    sum.walBytes += lines * walBytes;
    last = {
      diskMbs: (rate * written) / nodes / 1e6,
      boundBy: diskRate < cpuRate ? 'disk' : slowest,
      lastRate: rate,
    };
  }
  if (last === undefined) throw new Error('an import has slices');
  return { ...sum, ...last };
}
