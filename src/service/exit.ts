import type { ConfigResult } from '../config/load.ts';
import type { Config } from '../config/schema.ts';

export function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Returns the configuration. If it has problems, prints all of them and ends the process. */
export function configOrExit(result: ConfigResult): { config: Config; warnings: string[] } {
  if (result.ok) return result;
  return fail(['The configuration has problems:', ...result.problems].join('\n  '));
}
