import { Worker } from 'node:worker_threads';

/** Tests and tools run the sources without a build. */
const IS_SOURCE = import.meta.url.endsWith('.ts');

/** The arguments of node for a process that begins with a file of this folder. */
export const EXEC_ARGV = IS_SOURCE ? ['--import', 'tsx'] : [];

/** The file of this folder that a process or thread begins with. */
export const siblingOf = (name: string) => new URL(`./${name}.${IS_SOURCE ? 'ts' : 'js'}`, import.meta.url);

/** Begins a thread with a file of this folder. Node 20 does not load sources there with `--import`, so a script does. */
export function startWorker(name: string, workerData: unknown): Worker {
  if (!IS_SOURCE) return new Worker(siblingOf(name), { workerData, env: {} });
  const [tsx, entry] = [import.meta.resolve('tsx/esm/api'), siblingOf(name).href].map((url) =>
    JSON.stringify(url),
  );
  const script = `import(${tsx}).then(({ register }) => { register(); return import(${entry}); });`;
  return new Worker(script, { eval: true, workerData, env: {} });
}
