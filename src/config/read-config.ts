import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { hasEmbeddedPostgres } from '../embedded-postgres/binaries.ts';
import { type ConfigResult, loadConfig } from './load.ts';

const DEFAULT_FILE = 'config.yaml';
/** libuv's own default. https://docs.libuv.org/en/v1.x/threadpool.html */
const DEFAULT_THREADS = 4;

/** Reads the configuration of this process: from the environment, and the file `CONFIG_FILE` or ./config.yaml. */
export function readConfig(env: NodeJS.ProcessEnv): ConfigResult {
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
    machine: {
      cores: availableParallelism(),
      memoryBytes: memoryLimit(),
      threadPoolSize: Number(env.UV_THREADPOOL_SIZE) || DEFAULT_THREADS,
      embeddedPostgres: hasEmbeddedPostgres(),
    },
  });
}

/** Returns the container's limit where there is one. Without one, that call returns 0 or more than the machine has. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
