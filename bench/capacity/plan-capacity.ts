import { ASSUMED, DISTRIBUTED } from './assumptions.ts';
import { type BulkImport, bulkImport, importBounds, type Layout } from './bulk-import.ts';
import { COSTS } from './costs.ts';
import type { Demand } from './read-demand.ts';
import { indexBytes, tableBytes } from './relations.ts';
import { type SteadyLoad, steadyLoad } from './steady-load.ts';

/** One thing that is used, and how much of it there is. */
export interface Use {
  what: string;
  /** Of what may be used: 1 is all of it. */
  share: number;
}

export interface Capacity extends Layout {
  demand: Demand;
  load: SteadyLoad;
  import: BulkImport;
  /** The import ends within the hours that were asked for. */
  inTime: boolean;
  /** Without the spare: the largest counts. */
  instancesFor: { cores: number; eventLoops: number; bulkImport: number };
  /** Why one Postgres is not enough; none: it is. */
  beyondOne: string[];
  /** Memory of each instance. */
  instanceBytes: number;
  /** Of all nodes of Postgres together, after the import. */
  tableBytes: number;
  indexBytes: number;
  /** What WAL takes at most during the import. */
  walOnDiskBytes: number;
  /** To Postgres, or to the coordinator; all instances together. */
  connections: number;
  /** To one Postgres, or to each worker. */
  connectionsPerNode: number;
  /** PgBouncer is needed: it keeps those to Postgres down. */
  pooler: boolean;
  /** The fullest first. */
  uses: Use[];
}

/** Where the coordinator is what bounds the import, it may take so much longer than that alone: the last bit would take endless workers. */
const SLACK = 1.05;

/** Finds the smallest layout that serves a demand. */
export function planCapacity(demand: Demand): Capacity {
  const load = steadyLoad(demand);
  const within = demand.importHours * 3600;
  const secondsOf = (layout: Layout) => bulkImport(demand, layout).seconds;
  const withNodes = (nodes: number): Layout => ({ instances: Number.POSITIVE_INFINITY, nodes });

  const beyondOne = steadyUses(demand, load, 1).flatMap(({ what, share }) => (share > 1 ? [what] : []));
  if (secondsOf(withNodes(1)) > within) beyondOne.push('time of the import');

  let nodes = 1;
  let seconds = within;
  if (beyondOne.length > 0) {
    const least = DISTRIBUTED.leastWorkers.value;
    const atBest = demand.users / importBounds(demand, withNodes(least)).coordinator;
    seconds = Math.max(within, SLACK * atBest);
    const isEnough = (count: number) =>
      // More workers do not help the coordinator.
      steadyUses(demand, load, count).every(({ share, what }) => share <= 1 || what === COORDINATOR) &&
      secondsOf(withNodes(count)) <= seconds;
    nodes = leastNumber(least, isEnough);
  }

  const instancesFor = {
    cores: Math.ceil(load.serviceCores / (demand.cores * ASSUMED.busy.value)),
    eventLoops: Math.ceil(load.loopCores / ASSUMED.busy.value),
    bulkImport: leastNumber(1, (instances) => secondsOf({ instances, nodes }) <= seconds),
  };
  const needed = Math.max(...Object.values(instancesFor));
  const instances = needed + ASSUMED.spareInstances.value;
  const imported = bulkImport(demand, { instances: needed, nodes });
  const connections = instances * COSTS.connections.value;
  const perNode = connections * (nodes === 1 ? 1 : DISTRIBUTED.workerConnections.value);
  const pooler = perNode > ASSUMED.serverConnections.value;
  return {
    demand,
    instances,
    instancesFor,
    nodes,
    beyondOne,
    load,
    import: imported,
    inTime: imported.seconds <= within,
    instanceBytes: COSTS.serviceBytes.value + demand.cores * load.hashBytes,
    tableBytes: demand.users * tableBytes,
    indexBytes: demand.users * indexBytes,
    walOnDiskBytes: nodes * ASSUMED.walOnDisk.value,
    connections,
    connectionsPerNode: perNode,
    pooler,
    uses: [
      { what: HASHING, share: load.serviceCores / (needed * demand.cores * ASSUMED.busy.value) },
      ...steadyUses(demand, load, nodes),
      { what: 'time of the import', share: imported.seconds / within },
      ...(pooler ? [] : [{ what: 'connections', share: perNode / ASSUMED.serverConnections.value }]),
    ].sort((a, b) => b.share - a.share),
  };
}

/** The least whole number that fits, where all above one that fits do so as well. */
function leastNumber(from: number, fits: (number: number) => boolean): number {
  let step = 1;
  while (!fits(from + step - 1)) step *= 2;
  let [low, high] = [from + Math.floor(step / 2), from + step - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** The one thing that instances do not share. */
export const HASHING = 'cores for hashing';
/** The one thing that more workers do not help. */
export const COORDINATOR = 'CPU of the coordinator';

/** What sign-ins and single imports use of Postgres. */
function steadyUses({ cores, memoryGib, diskMbs }: Demand, load: SteadyLoad, nodes: number): Use[] {
  const usable = cores * ASSUMED.busy.value;
  return [
    {
      what: 'CPU of Postgres',
      share: (nodes > 1 ? load.workerCores : load.postgresCores) / (nodes * usable),
    },
    ...(nodes > 1 ? [{ what: COORDINATOR, share: load.coordinatorCores / usable }] : []),
    {
      what: 'memory for indexes',
      share: load.memoryBytes / (nodes * memoryGib * 1024 ** 3 * ASSUMED.indexShare.value),
    },
    { what: 'disk writes of sign-ins', share: load.walBytes / (nodes * diskMbs * 1e6) },
  ];
}
