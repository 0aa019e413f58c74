import type { Config } from './schema.ts';

/** Properties of the machine and of the installation from which defaults of settings are derived. */
export interface Machine {
  cores: number;
  /** Memory of the machine, or the limit of the container if it has one. */
  memoryBytes: number;
  threadPoolSize: number;
  embeddedPostgres: boolean;
  /** False for a program that ends after its work, such as a migration: it needs no API keys. */
  answersCalls?: false;
}

const MIB = 1024 * 1024;

/** Hashing leaves two of libuv's threads free for files and DNS. */
export function machineDefaults(machine: Machine): Partial<Config> {
  return {
    hashing_concurrency: Math.max(1, Math.min(machine.cores, machine.threadPoolSize - 2)),
    hashing_memory_mb: Math.max(1, Math.floor(machine.memoryBytes / 4 / MIB)),
  };
}
