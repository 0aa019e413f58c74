import type { CanonicalRepair } from './canonical-repairs.ts';
import { neighbours } from './canonical-repairs.ts';

export interface DialectMistakes {
  /** Pattern of the dialect. Its optional groups `iterations` and `hash` mark parts that a mistake may have changed. */
  pattern: RegExp;
  hexHash: boolean;
  /** Default numbers of iterations in the versions of the system, in ascending order. */
  versions: readonly number[];
}

/** Returns a function that lists possible repairs, the most likely first. Each corrects one mistake. */
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

/** Rewrites base64 or upper-case hexadecimal digits to lower-case ones. Returns undefined for any other text. */
function lowerHex(text: string): string | undefined {
  if (/^[0-9a-f]*$/.test(text) || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  return /^(?:[0-9A-F]{2})+$/.test(text) ? text.toLowerCase() : Buffer.from(text, 'base64').toString('hex');
}
