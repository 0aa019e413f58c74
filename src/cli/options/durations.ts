import { CliError } from '../cli-error.ts';

const UNITS_MS: Readonly<Record<string, number>> = { '': 1000, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Parses a duration such as `90s`, `10m` or `1h`; a number without a unit is in seconds.
 * @throws {CliError} if the text is not a duration
 */
export function durationMs(flag: string, text: string): number {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|)$/.exec(text) ?? [];
  if (number === undefined)
    throw new CliError(`--${flag}: expected a time such as 90s, 10m or 1h, got ${text}`);
  return Number(number) * (UNITS_MS[unit] ?? 0);
}
