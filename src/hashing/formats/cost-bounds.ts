import { HashRefused } from '../verifier.ts';

export interface CostBounds {
  /** Name of the hash's cost parameter in messages. */
  name: string;
  min: number;
  max: number;
  /** Name of the setting that determines `max`. */
  setting: string;
}

const PLAIN_DECIMAL = /^(?:0|[1-9][0-9]*)$/;
const MIB = 1024 * 1024;

/**
 * Parses digits only, without sign or leading zeros.
 * @throws {HashRefused} `format` if the text is not such a number or below `min`, `cost` if it is above `max`
 */
export function parseCost(text: string, { name, min, max, setting }: CostBounds): number {
  if (!PLAIN_DECIMAL.test(text)) throw new HashRefused('format', `${name} is not a plain decimal number`);
  // A number above 2^53 loses some digits, but stays above the limit of every cost parameter.
  const value = Number(text);
  if (value < min) throw new HashRefused('format', `${name} must be at least ${min}`);
  if (value > max) {
    const shown = text.length <= 10 ? `${name} ${text}` : name;
    throw new HashRefused('cost', `${shown} is above the limit of ${max} (${setting})`);
  }
  return value;
}

/** @throws {HashRefused} `cost` if a hash needs more memory than all hashing may use (hashing_memory_mb) */
export function checkMemory(bytes: number, budgetBytes: number): void {
  if (bytes <= budgetBytes) return;
  const [needed, available] = [Math.ceil(bytes / MIB), Math.floor(budgetBytes / MIB)];
  throw new HashRefused(
    'cost',
    `needs ${needed} MiB of memory, above the limit of ${available} MiB (hashing_memory_mb)`,
  );
}

/** @throws {HashRefused} `cost` if a hash takes longer than one hash may take (hashing_max_ms) */
export function checkMs(ms: number, maxMs: number): void {
  if (ms <= maxMs) return;
  throw new HashRefused(
    'cost',
    `takes ${Math.ceil(ms)} ms by the reference table, above the limit of ${maxMs} ms (hashing_max_ms)`,
  );
}
