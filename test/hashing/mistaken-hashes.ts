import { readFileSync } from 'node:fs';
import type { MistakeCode } from '../../src/hashing/mistakes.ts';
import { accepted, DEFAULT_LIMITS, verifierOf } from '../support/vectors.ts';

/** A hash with a mistake in it or in its password. */
export interface Mistaken {
  mistake: MistakeCode;
  what: string;
  algorithm: string;
  /** Id of the vector in whose hash or password the mistake was made. */
  from?: string;
  hash: string;
  password: string;
  /** Signer key of the service, in base64. */
  signerKey?: string;
  /** Whether an import refuses the hash as it is. */
  refused: boolean;
}

const FILE = new URL('vectors/mistaken-hashes.json', import.meta.url);

/** Each mistake, made in hashes of the public vectors. */
export const MISTAKEN = (JSON.parse(readFileSync(FILE, 'utf8')) as Mistaken[]).map((one) => {
  const key = one.signerKey === undefined ? undefined : Buffer.from(one.signerKey, 'base64');
  return {
    ...one,
    refused: accepted(verifierOf(one.algorithm, DEFAULT_LIMITS, key), one.hash) === undefined,
  };
});

export function mistakenHash(what: string): Mistaken {
  const found = MISTAKEN.find((one) => one.what === what);
  if (found === undefined) throw new Error(`no example: ${what}`);
  return found;
}
