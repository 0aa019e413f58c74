import { DISTRIBUTED } from './assumptions.ts';
import { COSTS, HASHES, type HashName } from './costs.ts';
import type { Demand } from './read-demand.ts';
import { scatteredBytes } from './relations.ts';

/**
 * Resources that users, sign-ins and single imports need at the peak, whatever the number of nodes. Rates are
 * per second.
 */
export interface SteadyLoad {
  /** CPU time of one sign-in in the service, in ms. */
  signInMs: number;
  serviceCores: number;
  /** Cores that event loops need. Each instance has one event loop. */
  loopCores: number;
  postgresCores: number;
  /** Cores of a distributed Postgres: of all workers together, and of the coordinator. */
  workerCores: number;
  coordinatorCores: number;
  /** WAL a second. */
  walBytes: number;
  /** Size of the indexes that must be in memory. */
  memoryBytes: number;
  /** Memory for verifying the most expensive hash. */
  hashBytes: number;
}

/**
 * WAL of a single import. Its e-mail is its only index entry at a random position. With many users, that page
 * was not touched since the last checkpoint.
 */
export const singleWalBytes = COSTS.singleWalBytes.value + COSTS.leafImageBytes.value;

/** CPU time of a sign-in on all workers of a distributed Postgres together, and on its coordinator, in µs. */
export const workerSignInUs = COSTS.signInPostgresUs.value * DISTRIBUTED.signInWorkers.value;
export const coordinatorSignInUs = COSTS.signInPostgresUs.value * DISTRIBUTED.signInCoordinator.value;

/**
 * CPU time of the coordinator for a single import, in µs, derived from the rates with and without it on the
 * same cores.
 */
export const coordinatorImportUs =
  (COSTS.singleServiceUs.value + COSTS.singlePostgresUs.value) * (1 / DISTRIBUTED.singleRatio.value - 1);

export function steadyLoad({ users, signIns, singleImports, hashes }: Demand): SteadyLoad {
  const shares = Object.entries(hashes) as [HashName, number][];
  const hashMs = shares.reduce((sum, [name, share]) => sum + share * HASHES[name].ms, 0);
  const loopUs = signIns * COSTS.signInServiceUs.value + singleImports * COSTS.singleServiceUs.value;
  const importUs = singleImports * COSTS.singlePostgresUs.value;
  return {
    signInMs: hashMs + COSTS.signInServiceUs.value / 1000,
    serviceCores: (signIns * hashMs) / 1000 + loopUs / 1e6,
    loopCores: loopUs / 1e6,
    postgresCores: (signIns * COSTS.signInPostgresUs.value + importUs) / 1e6,
    workerCores: (signIns * workerSignInUs + importUs) / 1e6,
    coordinatorCores: (signIns * coordinatorSignInUs + singleImports * coordinatorImportUs) / 1e6,
    walBytes: signIns * COSTS.signInWalBytes.value + singleImports * singleWalBytes,
    memoryBytes: users * scatteredBytes,
    hashBytes: Math.max(0, ...shares.map(([name, share]) => (share > 0 ? HASHES[name].memoryBytes : 0))),
  };
}
