import { type AlgorithmSettings, type HashRegistry, OWN_ALGORITHMS } from './registry.ts';
import type { ParsedHash } from './verifier.ts';

/** How passwords set through this service are hashed. */
export interface NewHashSettings {
  /** The name of one of OWN_ALGORITHMS. */
  algorithm: string;
  settings: AlgorithmSettings;
}

export interface NewHashMaker {
  /** A hash with these settings over fixed bytes: what one costs, and what a decoy looks like. */
  readonly example: ParsedHash;
  /** Hashes with a fresh random salt. bcrypt reads the first 72 bytes of `password` only. */
  make(password: Uint8Array): Promise<ParsedHash>;
}

/** Makes hashes with the configured algorithm. What it makes is parsed as an imported hash is. */
export function newHashMaker({ algorithm, settings }: NewHashSettings, registry: HashRegistry): NewHashMaker {
  const own = OWN_ALGORITHMS.find(({ name }) => name === algorithm)?.own;
  const verifier = registry.find(algorithm);
  if (own === undefined || verifier === undefined) throw new Error(`no verifier for ${algorithm}`);
  const maker = own.maker(settings);
  return {
    example: verifier.parse(maker.example),
    make: async (password) => verifier.parse(await maker.make(Buffer.from(password))),
  };
}
