import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const IS_SOURCE = import.meta.url.endsWith('.ts');

/**
 * Compiled code for tests: a process that loads the TypeScript sources takes a second of CPU longer to start.
 */
const COMPILED = IS_SOURCE ? process.env.COMPILED_HASHING_PROCESS : undefined;
const LOADS_SOURCE = IS_SOURCE && COMPILED === undefined;

export const EXEC_ARGV = LOADS_SOURCE ? ['--import', 'tsx'] : [];

export const siblingOf = (name: string) =>
  new URL(
    `./${name}.${LOADS_SOURCE ? 'ts' : 'js'}`,
    COMPILED === undefined ? import.meta.url : pathToFileURL(`${COMPILED}/`),
  );

/** Node.js 20 ignores `--import` in threads, so a script registers the TypeScript loader. */
export function startWorker(name: string, workerData: unknown): Worker {
  if (!LOADS_SOURCE) return new Worker(siblingOf(name), { workerData, env: {} });
  const [tsx, entry] = [import.meta.resolve('tsx/esm/api'), siblingOf(name).href].map((url) =>
    JSON.stringify(url),
  );
  const script = `import(${tsx}).then(({ register }) => { register(); return import(${entry}); });`;
  return new Worker(script, { eval: true, workerData, env: {} });
}
