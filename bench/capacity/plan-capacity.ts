import { ASSUMED, DISTRIBUTED } from './assumptions.ts';
import { type BulkImport, bulkImport, importBounds, type Layout } from './bulk-import.ts';
import { COSTS } from './costs.ts';
import type { Demand } from './read-demand.ts';
import { indexBytes, tableBytes } from './relations.ts';
import { type SteadyLoad, steadyLoad } from './steady-load.ts';

/** A resource, and how much of it is used. */
export interface Use {
  what: string;
  /** Used share of the permitted amount. 1 is all of it. */
  share: number;
}

export interface Capacity extends Layout {
  demand: Demand;
  load: SteadyLoad;
  import: BulkImport;
  /** Whether the import ends within the requested hours. */
  inTime: boolean;
  /** Instances that each resource needs, without the spare. The largest number counts. */
  instancesFor: { cores: number; eventLoops: number; bulkImport: number };
  /** Reasons why one Postgres is not enough. Empty if one is. */
  beyondOne: string[];
  /** Memory of each instance. */
  instanceBytes: number;
  /** Bytes on all Postgres nodes together, after the import. */
  tableBytes: number;
  indexBytes: number;
  /** Maximum size of the WAL during the import. */
  walOnDiskBytes: number;
  /** Connections of all instances together to Postgres, or to the coordinator. */
  connections: number;
  /** Connections to one Postgres, or to each worker. */
  connectionsPerNode: number;
  /** Whether PgBouncer is needed to limit the connections to Postgres. */
  pooler: boolean;
  /** Resources, the most used first. */
  uses: Use[];
}

/**
 * Factor by which an import may take longer than the coordinator alone requires. Without it, the plan would
 * add workers without end.
 */
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
      // More workers do not relieve the coordinator.
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

/** Returns the least number that fits. Every number above one that fits must fit, too. */
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

/** The resource that instances do not share. */
export const HASHING = 'cores for hashing';
/** The resource that more workers do not relieve. */
export const COORDINATOR = 'CPU of the coordinator';

/** Returns the resources of Postgres that sign-ins and single imports use. */
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
