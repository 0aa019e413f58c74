/** A figure for plans, with its source. */
export interface Cost {
  what: string;
  value: number;
  unit: string;
  source: string;
}

/** Two cores of a virtual machine, which also ran the load generator and PostgreSQL 17. */
const SCALING = 'measured 2026-11-21 (scaling.md)';
/**
 * The same machine under other load of the same size. There, a line of a bulk import took 1.4 to 1.7 times
 * the CPU time of an idle machine.
 */
const FOOTPRINT = 'measured 2026-11-22 (bench/footprint.ts)';

const MIB = 1024 ** 2;

export const COSTS = {
  bulkServiceUs: {
    what: 'a line of a bulk import: CPU of the service',
    value: 6,
    unit: 'µs',
    source: SCALING,
  },
  bulkPostgresUs: { what: '– CPU of Postgres, empty tables', value: 10, unit: 'µs', source: SCALING },
  bulkFullRatio: {
    what: '– the rate into 5,000,000 users, beside that into none',
    value: 0.76,
    unit: '',
    source: SCALING,
  },
  bulkRate: {
    what: '– lines a second of one stream into 5,000,000 users',
    value: 87_208,
    unit: '',
    source: SCALING,
  },
  bulkWalBytes: { what: '– WAL without page images', value: 720, unit: 'bytes', source: FOOTPRINT },
  singleServiceUs: {
    what: 'a single import, 64 connections: CPU of the service',
    value: 115,
    unit: 'µs',
    source: FOOTPRINT,
  },
  singlePostgresUs: { what: '– CPU of Postgres', value: 52, unit: 'µs', source: FOOTPRINT },
  singleWalBytes: { what: '– WAL without page images', value: 752, unit: 'bytes', source: FOOTPRINT },
  signInServiceUs: {
    what: 'a sign-in without its hash: CPU of the service',
    value: 311,
    unit: 'µs',
    source: FOOTPRINT,
  },
  signInPostgresUs: { what: '– CPU of Postgres', value: 218, unit: 'µs', source: FOOTPRINT },
  signInWalBytes: {
    what: '– WAL of the first one of a day, with the image of its page',
    value: 7580,
    unit: 'bytes',
    source: FOOTPRINT,
  },
  leafImageBytes: {
    what: 'a page of an index in the WAL, once after each checkpoint',
    value: 5660,
    unit: 'bytes',
    source: FOOTPRINT,
  },
  serviceBytes: {
    what: 'memory of an instance without hashes, beside a bulk import',
    value: 134 * MIB,
    unit: 'bytes',
    source: SCALING,
  },
  connections: {
    what: 'connections of an instance',
    value: 15,
    unit: '',
    source: 'default of the [configuration](configuration.md)',
  },
} satisfies Record<string, Cost>;

/**
 * CPU time and memory of a verification. The CPU time follows from the rate of the verifier alone on two
 * cores.
 */
export const HASHES = {
  bcrypt: { what: 'bcrypt, cost 10', ms: 44, memoryBytes: 0, source: SCALING },
  'bcrypt-12': {
    what: 'bcrypt, cost 12',
    ms: 176,
    memoryBytes: 0,
    source: 'four times cost 10, by definition',
  },
  argon2: {
    what: 'argon2id, 19 MiB, 2 passes, 1 lane: the default here',
    ms: 19,
    memoryBytes: 19 * MIB,
    source: SCALING,
  },
  'argon2-64': {
    what: 'argon2id, 64 MiB, 3 passes, 4 lanes',
    ms: 154,
    memoryBytes: 64 * MIB,
    source: SCALING,
  },
  scrypt: {
    what: 'scrypt of Firebase, mem_cost 14, rounds 8',
    ms: 26,
    memoryBytes: 16 * MIB,
    source: SCALING,
  },
} satisfies Record<string, { what: string; ms: number; memoryBytes: number; source: string }>;

export type HashName = keyof typeof HASHES;
