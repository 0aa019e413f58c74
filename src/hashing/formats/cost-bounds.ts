import { HashRefused } from '../verifier.ts';

export interface CostBounds {
  /** Name of the cost parameter in messages. */
  name: string;
  min: number;
  max: number;
  /** Name of the setting that determines `max`. */
  setting: string;
}

const PLAIN_DECIMAL = /^(?:0|[1-9][0-9]*)$/;
const MIB = 1024 * 1024;

/**
 * Parses a cost parameter: digits only, without sign or leading zeros.
 * @throws {HashRefused} `format` if it is not such a number or below `min`, `cost` if it is above `max`
 */
export function parseCost(text: string, { name, min, max, setting }: CostBounds): number {
  if (!PLAIN_DECIMAL.test(text)) throw new HashRefused('format', `${name} is not a plain decimal number`);
  // Above 2^53 some digits are lost, but the number stays above every bound.
  const value = Number(text);
  if (value < min) throw new HashRefused('format', `${name} must be at least ${min}`);
  if (value > max) {
    const shown = text.length <= 10 ? `${name} ${text}` : name;
    throw new HashRefused('cost', `${shown} is above the limit of ${max} (${setting})`);
  }
  return value;
}

/**
 * Checks the memory of a verification.
 * @throws {HashRefused} `cost` if a verification would need more memory than the limit for all hashing
 */
export function checkMemory(bytes: number, budgetBytes: number): void {
  if (bytes <= budgetBytes) return;
  const [needed, available] = [Math.ceil(bytes / MIB), Math.floor(budgetBytes / MIB)];
  throw new HashRefused(
    'cost',
    `needs ${needed} MiB of memory, above the limit of ${available} MiB (hashing_memory_mb)`,
  );
}

/**
 * Checks the time of a verification.
 * @throws {HashRefused} `cost` if a verification would take longer on the reference machine than one hash may
 */
export function checkMs(ms: number, maxMs: number): void {
  if (ms <= maxMs) return;
  throw new HashRefused(
    'cost',
    `takes ${Math.ceil(ms)} ms by the reference table, above the limit of ${maxMs} ms (hashing_max_ms)`,
  );
}
