import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { type ConfigResult, loadConfig } from './load.ts';
import { isOpenToAll } from './secret-warnings.ts';
import type { Machine } from './settings-in-conflict.ts';

const DEFAULT_FILE = 'config.yaml';
/** Default size of libuv's thread pool. See https://docs.libuv.org/en/v1.x/threadpool.html */
const DEFAULT_THREADS = 4;

/** Reads the configuration of a process from `CONFIG_FILE` or ./config.yaml, and from the environment. */
export function readConfig(
  env: NodeJS.ProcessEnv,
  installed: Pick<Machine, 'embeddedPostgres' | 'answersCalls'>,
): ConfigResult {
  const name = env.CONFIG_FILE || (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
  let file: { name: string; text: string } | undefined;
  try {
    if (name !== undefined) file = { name, text: readFileSync(name, 'utf8') };
  } catch (error) {
    return { ok: false, problems: [`${name}: cannot be read (${(error as NodeJS.ErrnoException).code})`] };
  }
  return loadConfig({
    env,
    ...(file && { file }),
    readSecret: (path) => readFileSync(path, 'utf8'),
    isOpenToAll,
    machine: {
      cores: availableParallelism(),
      memoryBytes: memoryLimit(),
      threadPoolSize: Number(env.UV_THREADPOOL_SIZE) || DEFAULT_THREADS,
      ...installed,
    },
  });
}

/**
 * Returns the memory that this process may use, in bytes. Without a limit of the container, Node.js reports 0, or more
 * than the machine has.
 */
function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
