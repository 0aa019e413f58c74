import type { Config } from './schema.ts';

/** Properties of the machine and of the installation from which defaults of settings are derived. */
export interface Machine {
  cores: number;
  /** Memory of the machine, or the limit of the container if it has one. */
  memoryBytes: number;
  threadPoolSize: number;
  embeddedPostgres: boolean;
  /**
   * Whether the process answers HTTP calls and therefore needs API keys. False for a program that does its
   * work and ends, such as a migration.
   */
  answersCalls?: false;
}

const MIB = 1024 * 1024;

/**
 * Returns the defaults that depend on the machine. Hashing leaves two of libuv's threads free for files and
 * DNS.
 */
export function machineDefaults(machine: Machine): Partial<Config> {
  return {
    hashing_concurrency: Math.max(1, Math.min(machine.cores, machine.threadPoolSize - 2)),
    hashing_memory_mb: Math.max(1, Math.floor(machine.memoryBytes / 4 / MIB)),
  };
}
