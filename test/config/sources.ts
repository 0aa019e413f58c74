import { type ConfigSources, loadConfig } from '../../src/config/load.ts';
import type { Machine } from '../../src/config/settings-in-conflict.ts';

export const KEY = 'a-key-of-20-characters-or-more';
export const URI = 'postgresql://user:hunter2@db.example:5432/users';
const MACHINE: Machine = { cores: 4, memoryBytes: 8 * 1024 ** 3, threadPoolSize: 16, embeddedPostgres: true };

/** Loads a configuration, on a machine of four cores and 8 GiB. */
export function load(
  sources: Partial<Omit<ConfigSources, 'file' | 'machine'>> & { yaml?: string; machine?: Partial<Machine> },
) {
  const { yaml, machine, ...others } = sources;
  return loadConfig({
    env: {},
    isOpenToAll: () => false,
    readSecret: (path) => {
      throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
    },
    ...(yaml !== undefined && { file: { name: 'config.yaml', text: yaml } }),
    ...others,
    machine: { ...MACHINE, ...machine },
  });
}

export function loaded(sources: Parameters<typeof load>[0]) {
  const result = load(sources);
  if (!result.ok) throw new Error(result.problems.join('; '));
  return result.config;
}

export function problems(sources: Parameters<typeof load>[0]): string[] {
  const result = load(sources);
  return result.ok ? [] : result.problems;
}

export function warnings(sources: Parameters<typeof load>[0]): string[] {
  const result = load(sources);
  if (!result.ok) throw new Error(result.problems.join('; '));
  return result.warnings;
}
