import { OWN_FAMILIES } from './families.ts';
import type { HashRegistry } from './registry.ts';
import type { ParsedHash } from './verifier.ts';

export interface NewHashSettings {
  algorithm: string;
  /** Settings of the family, such as `argon2_memory_kb`. */
  settings: Readonly<Record<string, number>>;
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
  const own = OWN_FAMILIES.find(({ name }) => name === algorithm)?.own;
  const verifier = registry.find(algorithm);
  if (own === undefined || verifier === undefined) throw new Error(`no verifier for ${algorithm}`);
  const maker = own.maker(settings);
  return {
    example: verifier.parse(maker.example),
    make: async (password) => verifier.parse(await maker.make(Buffer.from(password))),
  };
}
