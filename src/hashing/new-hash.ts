import { type AlgorithmSettings, type HashRegistry, OWN_ALGORITHMS } from './registry.ts';
import type { ParsedHash } from './verifier.ts';

export interface NewHashSettings {
  algorithm: string;
  settings: AlgorithmSettings;
}

export interface NewHashMaker {
  /**
   * Example of a hash with these settings, over fixed bytes. It has the cost of a new hash and is a decoy.
   */
  readonly example: ParsedHash;
  /** Hashes a password with a fresh random salt. bcrypt reads only the first 72 bytes of `password`. */
  make(password: Uint8Array): Promise<ParsedHash>;
}

/** Returns a maker whose hashes pass the same parser as imported hashes. */
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
