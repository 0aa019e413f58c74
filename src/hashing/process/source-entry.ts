import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/** Whether this code runs from source, as tests and tools do, without a build. */
const IS_SOURCE = import.meta.url.endsWith('.ts');

/**
 * Folder with the compiled files of this folder. Tests set it, because a process that loads the TypeScript sources
 * takes a second of CPU longer to start.
 */
const COMPILED = IS_SOURCE ? process.env.COMPILED_HASHING_PROCESS : undefined;
const LOADS_SOURCE = IS_SOURCE && COMPILED === undefined;

/** Arguments of Node.js for a process that runs a file of this folder. */
export const EXEC_ARGV = LOADS_SOURCE ? ['--import', 'tsx'] : [];

/** Returns the URL of a file of this folder that a process or thread runs. */
export const siblingOf = (name: string) =>
  new URL(
    `./${name}.${LOADS_SOURCE ? 'ts' : 'js'}`,
    COMPILED === undefined ? import.meta.url : pathToFileURL(`${COMPILED}/`),
  );

/**
 * Starts a thread that runs a file of this folder. Node.js 20 ignores `--import` in threads, so a script registers the
 * loader.
 */
export function startWorker(name: string, workerData: unknown): Worker {
  if (!LOADS_SOURCE) return new Worker(siblingOf(name), { workerData, env: {} });
  const [tsx, entry] = [import.meta.resolve('tsx/esm/api'), siblingOf(name).href].map((url) =>
    JSON.stringify(url),
  );
  const script = `import(${tsx}).then(({ register }) => { register(); return import(${entry}); });`;
  return new Worker(script, { eval: true, workerData, env: {} });
}
