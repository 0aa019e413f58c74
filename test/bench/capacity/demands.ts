import type { Demand } from '../../../bench/capacity/read-demand.ts';

/** A demand that one small Postgres serves, with the changes of a test. */
export const demandOf = (changed: Partial<Demand> = {}): Demand => ({
  users: 1_000_000,
  signIns: 10,
  singleImports: 0,
  hashes: { bcrypt: 1 },
  cores: 16,
  memoryGib: 64,
  diskMbs: 500,
  importHours: 24,
  ...changed,
});
