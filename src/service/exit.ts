import type { ConfigResult } from '../config/load.ts';
import type { Config } from '../config/schema.ts';

/** Ends the process with 1, saying why on stderr. */
export function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** The configuration, or the end of the process with all that is wrong with it. */
export function configOrExit(result: ConfigResult): Config {
  if (result.ok) return result.config;
  return fail(['The configuration has problems:', ...result.problems].join('\n  '));
}
