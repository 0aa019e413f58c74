import type { CanonicalRepair } from './canonical-repairs.ts';
import { neighbours } from './canonical-repairs.ts';

/** Repairs of hashes with a spelling of their own. */
export interface DialectMistakes {
  /** Its groups `iterations` and `hash` are the parts that may be wrong. Both may be missing. */
  pattern: RegExp;
  /** How the dialect writes the hash. */
  hash: 'padded base64' | 'hex';
  iterations?: readonly number[];
}

/** Returns the function that lists what a hash of the dialect may have been, each with one mistake less, likeliest first. */
export function dialectRepairs({ pattern, hash, iterations = [] }: DialectMistakes) {
  const placed = new RegExp(pattern.source, 'd');
  return (encoded: string): CanonicalRepair[] => {
    const places = placed.exec(encoded)?.indices?.groups ?? {};
    const text = (name: string) => encoded.slice(...(places[name] ?? [0, 0]));
    const withText = (name: string, other: string) => {
      const [start, end] = places[name] ?? [0, 0];
      return encoded.slice(0, start) + other + encoded.slice(end);
    };
    const rewritten = otherHash(text('hash'), hash);
    const defaults =
      places.iterations === undefined ? [] : neighbours(Number(text('iterations')), iterations);
    return [
      ...(rewritten === undefined ? [] : [{ ...rewritten, encoded: withText('hash', rewritten.encoded) }]),
      ...defaults.map(
        (other): CanonicalRepair => ({
          mistake: 'ITERATIONS_OF_A_VERSION',
          encoded: withText('iterations', String(other)),
        }),
      ),
    ];
  };
}

function otherHash(text: string, written: DialectMistakes['hash']): CanonicalRepair | undefined {
  if (written === 'hex') {
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text) || /^[0-9a-f]+$/.test(text)) return undefined;
    const isHex = /^(?:[0-9A-F]{2})+$/.test(text);
    return {
      mistake: 'BASE64_INSTEAD_OF_HEX',
      encoded: isHex ? text.toLowerCase() : Buffer.from(text, 'base64').toString('hex'),
    };
  }
  if (/^(?:[0-9a-f]{2}){8,}$/i.test(text))
    return { mistake: 'HEX_INSTEAD_OF_BASE64', encoded: Buffer.from(text, 'hex').toString('base64') };
  const padded = Buffer.from(text, 'base64').toString('base64');
  return padded === text || text === ''
    ? undefined
    : { mistake: 'URL_SAFE_OR_UNPADDED_BASE64', encoded: padded };
}
