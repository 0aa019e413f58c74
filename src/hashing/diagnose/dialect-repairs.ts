import type { CanonicalRepair } from './canonical-repairs.ts';
import { neighbours } from './canonical-repairs.ts';

/** What can go wrong with the hashes of a spelling of its own, besides the base64 in them. */
export interface DialectMistakes {
  /** Its groups `iterations` and `hash` are the parts that may be wrong. Both may be missing. */
  pattern: RegExp;
  /** The hash is in lower-case hexadecimal digits. */
  hexHash: boolean;
  /** By default in versions of the system, in ascending order. */
  versions: readonly number[];
}

/** Returns the function that lists what a hash of the dialect may have been, each with one mistake less, likeliest first. */
export function dialectRepairs({ pattern, hexHash, versions }: DialectMistakes) {
  const placed = new RegExp(pattern.source, 'd');
  return (encoded: string): CanonicalRepair[] => {
    const { hash, iterations } = placed.exec(encoded)?.indices?.groups ?? {};
    const repairs: CanonicalRepair[] = [];
    const offer = (mistake: CanonicalRepair['mistake'], [start, end]: [number, number], other: string) =>
      repairs.push({ mistake, encoded: encoded.slice(0, start) + other + encoded.slice(end) });

    const digits = hexHash && hash ? lowerHex(encoded.slice(...hash)) : undefined;
    if (digits !== undefined && hash) offer('BASE64_INSTEAD_OF_HEX', hash, digits);
    for (const other of iterations ? neighbours(Number(encoded.slice(...iterations)), versions) : [])
      if (iterations) offer('ITERATIONS_OF_A_VERSION', iterations, String(other));
    return repairs;
  };
}

/** Returns the bytes of base64 or of capital digits in lower-case hexadecimal digits. Undefined for any other text. */
function lowerHex(text: string): string | undefined {
  if (/^[0-9a-f]*$/.test(text) || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  return /^(?:[0-9A-F]{2})+$/.test(text) ? text.toLowerCase() : Buffer.from(text, 'base64').toString('hex');
}
