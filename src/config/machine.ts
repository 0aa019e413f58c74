import type { Config } from './schema.ts';

/** What this machine and installation offer, and what they are used for. */
export interface Machine {
  cores: number;
  /** Of the container, where one sets a limit. */
  memoryBytes: number;
  threadPoolSize: number;
  embeddedPostgres: boolean;
  /** False: for a command that does its work and ends, which needs no keys. */
  answersCalls?: false;
}

const MIB = 1024 * 1024;

/** The defaults that the machine decides. Two threads of the pool stay free for files and DNS. */
export function machineDefaults(machine: Machine): Partial<Config> {
  return {
    hashing_concurrency: Math.max(1, Math.min(machine.cores, machine.threadPoolSize - 2)),
    hashing_memory_mb: Math.max(1, Math.floor(machine.memoryBytes / 4 / MIB)),
  };
}
