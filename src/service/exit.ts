import type { ConfigResult } from '../config/load.ts';
import type { Config } from '../config/schema.ts';

/** Ends the process with exit code 1, and says why on stderr. */
export function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Returns the configuration. Where it has problems, ends the process and says all of them. */
export function configOrExit(result: ConfigResult): Config {
  if (result.ok) return result.config;
  return fail(['The configuration has problems:', ...result.problems].join('\n  '));
}
