import { readFileSync } from 'node:fs';

export interface LockedPackage {
  version: string;
  dev?: boolean;
  license?: string;
  [key: string]: unknown;
}

export interface Lock {
  version: string;
  packages: Record<string, LockedPackage>;
  [key: string]: unknown;
}

/** Reads a JSON file of the project. */
export const readJson = (name: string) =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));

/** Returns package-lock.json without the packages that only development needs. */
export function productionLock(): Lock {
  const lock: Lock = readJson('package-lock.json');
  const packages = Object.entries(lock.packages).filter(([, { dev }]) => !dev);
  for (const [, locked] of packages) delete locked.devDependencies;
  return { ...lock, packages: Object.fromEntries(packages) };
}
