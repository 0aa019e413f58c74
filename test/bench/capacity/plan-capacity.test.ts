import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASSUMED, DISTRIBUTED } from '../../../bench/capacity/assumptions.ts';
import { postgresLineUs } from '../../../bench/capacity/bulk-import.ts';
import { COSTS, HASHES, type HashName } from '../../../bench/capacity/costs.ts';
import { planCapacity } from '../../../bench/capacity/plan-capacity.ts';
import type { Demand } from '../../../bench/capacity/read-demand.ts';
import { RELATIONS, scatteredBytes } from '../../../bench/capacity/relations.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { demandOf } from './demands.ts';

const GIB = 1024 ** 3;

describe('instances', () => {
  it('have enough cores for the hashes with three tenths free, and one spare instance', () => {
    // 1,000 sign-ins of 44 ms keep 44 cores busy. An instance of 16 cores contributes 11.2.
    const { load, instances } = planCapacity(demandOf({ signIns: 1000 }));
    expect(load.serviceCores).toBeCloseTo(44 + COSTS.signInServiceUs.value / 1000, 6);
    expect(instances).toBe(Math.ceil((44 + COSTS.signInServiceUs.value / 1000) / 11.2) + 1);
  });

  it('are planned with the mean CPU time of the hashes, and with the memory of the largest', () => {
    const { load, instanceBytes } = planCapacity(
      demandOf({ hashes: { bcrypt: 0.5, argon2: 0.25, scrypt: 0.25 } }),
    );
    expect(load.signInMs).toBeCloseTo(22 + 19 / 4 + 26 / 4 + COSTS.signInServiceUs.value / 1000, 6);
    expect(instanceBytes).toBe(COSTS.serviceBytes.value + 16 * 19 * 1024 ** 2);
  });

  it('are two even under little load, so that one may restart', () => {
    const { instances, connections } = planCapacity(demandOf({ signIns: 0 }));
    expect([instances, connections]).toEqual([2, 30]);
  });

  it('have enough event loops for single imports', () => {
    const singleImports = 100_000;
    const { instancesFor } = planCapacity(demandOf({ singleImports, cores: 1024 }));
    expect(instancesFor.eventLoops).toBe(
      Math.ceil((singleImports * COSTS.singleServiceUs.value + 10 * COSTS.signInServiceUs.value) / 1e6 / 0.7),
    );
    expect(instancesFor.cores).toBe(1);
  });

  it('hold the default number of connections of the configuration', () => {
    const machine = { cores: 2, memoryBytes: GIB, threadPoolSize: 4, embeddedPostgres: true };
    const loaded = loadConfig({ env: {}, readSecret: () => '', isOpenToAll: () => false, machine });
    if (!loaded.ok) throw new Error(loaded.problems.join());
    const { postgresql_connection_pool_size, bulk_import_connections } = loaded.config;
    expect(postgresql_connection_pool_size + bulk_import_connections + 1).toBe(COSTS.connections.value);
  });
});

describe('Postgres', () => {
  it('is a single server while that is enough, with memory for its indexes', () => {
    const most = Math.floor((64 * GIB * 0.6) / scatteredBytes);
    // Time and disk are ample, so that memory decides.
    const rest = { importHours: 10_000, diskMbs: 1e5 };
    const fits = planCapacity(demandOf({ ...rest, users: most }));
    expect([fits.nodes, fits.beyondOne, fits.uses[0]?.what]).toEqual([1, [], 'memory for indexes']);
    const beyond = planCapacity(demandOf({ ...rest, users: most + 1 }));
    expect([beyond.nodes, beyond.beyondOne]).toEqual([2, ['memory for indexes']]);
    expect(planCapacity(demandOf({ ...rest, users: 5 * most })).nodes).toBe(5);
  });

  it('is distributed if one server lacks cores', () => {
    const signIns = (3 * 16 * 0.7 * 1e6) / (COSTS.signInPostgresUs.value * DISTRIBUTED.signInWorkers.value);
    const { nodes, beyondOne } = planCapacity(demandOf({ signIns: signIns - 1, diskMbs: 1e5 }));
    expect([nodes, beyondOne]).toEqual([3, ['CPU of Postgres']]);
  });

  it('is distributed if one server cannot write the WAL of sign-ins', () => {
    const signIns = (1.9 * 1e6) / COSTS.signInWalBytes.value;
    const { nodes, beyondOne } = planCapacity(demandOf({ signIns, diskMbs: 1, users: 1000 }));
    expect([nodes, beyondOne]).toEqual([2, ['disk writes of sign-ins']]);
  });

  it('needs PgBouncer above a number of connections', () => {
    const at = (instances: number) =>
      planCapacity(
        demandOf({ signIns: ((instances - 1.5) * 11.2 * 1000) / (44 + COSTS.signInServiceUs.value / 1000) }),
      );
    expect([at(33).instances, at(33).connections, at(33).pooler]).toEqual([33, 495, false]);
    expect([at(34).connections, at(34).pooler]).toEqual([510, true]);
  });
});

describe('the bulk import', () => {
  it('is bounded by the streams of few instances, or by the cores of a small Postgres', () => {
    const streams = planCapacity(demandOf({ users: 1e6 })).import;
    expect(streams.boundBy).toBe('instances');
    expect(streams.seconds).toBeCloseTo((1e6 * COSTS.bulkServiceUs.value) / 1e6 / 0.7, 6);
    const cores = planCapacity(demandOf({ cores: 1, diskMbs: 1e5 })).import;
    expect(cores.boundBy).toBe('cores');
    expect(cores.lastRate).toBeCloseTo((0.7 * 1e6) / postgresLineUs, 6);
  });

  it('writes more for each user the more users exist', () => {
    const walOf = (users: number) => planCapacity(demandOf({ users })).import.walBytes / users;
    expect(walOf(1e6)).toBeLessThan(1.05 * COSTS.bulkWalBytes.value);
    expect(walOf(3e8)).toBeGreaterThan(1.2 * COSTS.bulkWalBytes.value);
  });

  it('is reported as too slow if more workers would not make it end in time', () => {
    const plan = planCapacity(demandOf({ users: 1e10, importHours: 1 }));
    expect(plan.inTime).toBe(false);
    // Limit of the coordinator.
    const usable = Math.min(16 * ASSUMED.busy.value, ASSUMED.bulkCores.value);
    const lineUs =
      (COSTS.bulkServiceUs.value + COSTS.bulkPostgresUs.value) * (1 / DISTRIBUTED.bulkRatio.value - 1);
    expect(plan.import.seconds).toBeLessThanOrEqual(1.05 * ((1e10 * lineUs) / 1e6 / usable));
  });
});

const hashes = fc.constantFrom(...(Object.keys(HASHES) as HashName[])).map((name) => ({ [name]: 1 }));
const demands: fc.Arbitrary<Demand> = fc.record({
  users: fc.oneof(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1e6, max: 1e11 })),
  signIns: fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1e6 })),
  singleImports: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1e5 })),
  hashes,
  cores: fc.integer({ min: 1, max: 128 }),
  memoryGib: fc.integer({ min: 4, max: 1024 }),
  diskMbs: fc.integer({ min: 50, max: 5000 }),
  importHours: fc.integer({ min: 1, max: 1000 }),
});
const factor = fc.double({ min: 1, max: 100, noNaN: true });
const RUNS = { numRuns: 100 };

describe('for any demand', () => {
  it('more users never need fewer nodes or bytes', () => {
    fc.assert(
      fc.property(demands, factor, (demand, times) => {
        const [less, more] = [demand, { ...demand, users: Math.floor(demand.users * times) }].map(
          planCapacity,
        );
        for (const key of ['nodes', 'tableBytes', 'indexBytes', 'walOnDiskBytes'] as const)
          expect(more?.[key]).toBeGreaterThanOrEqual(less?.[key] ?? Number.NaN);
      }),
      RUNS,
    );
  });

  it('more sign-ins never need fewer instances or nodes', () => {
    fc.assert(
      fc.property(demands, factor, (demand, times) => {
        const [less, more] = [demand, { ...demand, signIns: demand.signIns * times }].map(planCapacity);
        expect(more?.instancesFor.cores).toBeGreaterThanOrEqual(less?.instancesFor.cores ?? Number.NaN);
        expect(more?.nodes).toBeGreaterThanOrEqual(less?.nodes ?? Number.NaN);
      }),
      RUNS,
    );
  });

  it('larger machines never need more nodes', () => {
    fc.assert(
      fc.property(demands, factor, (demand, times) => {
        const [large, small] = [{ ...demand, memoryGib: demand.memoryGib * times }, demand].map(planCapacity);
        expect(large?.nodes).toBeLessThanOrEqual(small?.nodes ?? Number.NaN);
        const quick = planCapacity({ ...demand, diskMbs: demand.diskMbs * times });
        expect(quick.nodes).toBeLessThanOrEqual(small?.nodes ?? Number.NaN);
      }),
      RUNS,
    );
  });

  it('no resource exceeds its limit, except the coordinator and the import that it delays', () => {
    fc.assert(
      fc.property(demands, (demand) => {
        const plan = planCapacity(demand);
        const beyond = plan.uses.filter(({ share }) => share > 1).map(({ what }) => what);
        const may = plan.nodes > 1 ? ['CPU of the coordinator', 'time of the import'] : [];
        expect(beyond.filter((what) => !may.includes(what))).toEqual([]);
        expect(plan.inTime || plan.nodes > 1).toBe(true);
        expect(plan.uses).toEqual(plan.uses.toSorted((a, b) => b.share - a.share));
      }),
      RUNS,
    );
  });
});

it('every relation takes some bytes, and every scattered index has an entry for some users', () => {
  for (const { bytes, scattered, kind } of RELATIONS) {
    expect(bytes).toBeGreaterThan(0);
    if (scattered !== undefined) expect([kind, scattered > 0]).toEqual(['index', true]);
  }
});
