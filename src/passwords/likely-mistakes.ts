import type { MistakeCode } from '../hashing/mistakes.ts';
import type { Trial } from '../hashing/passwords.ts';
import { HashRefused } from '../hashing/refused.ts';
import type { HashRegistry } from '../hashing/registry.ts';
import type { HashVerifier, ParsedHash, Repair, SecretId } from '../hashing/verifier.ts';
import { type SubmittedHash, secretFor } from '../hashing/verifier.ts';
import type { PasswordVariant } from './password-variants.ts';

/** Test of a password that succeeds if this mistake was made in the hash or the password. */
export type Suspicion = Trial & RepairedHash;

interface RepairedHash {
  mistake: MistakeCode;
  /** Parameter or family of the repaired hash, if that is what the mistake changed. */
  change?: string;
  hash: ParsedHash;
}

/** Number of repairs that are tested before other forms of the password, which are less likely mistakes. */
const FIRST_REPAIRS = 5;

/** Returns tests for what may be wrong with a refused hash, the most likely mistake first. */
export function suspicionsOfRefused(
  registry: HashRegistry,
  { encoded, named, secret }: SubmittedHash,
  password: Uint8Array,
): Suspicion[] {
  const verifier = named ?? registry.recognise(encoded);
  const unwrapped = unwrap(encoded).flatMap((inner) => {
    const owner = registry.recognise(inner);
    if (owner === undefined || (named !== undefined && owner !== named)) return [];
    return parsed({ mistake: 'HASH_WRAPPED', encoded: inner }, owner, secretFor(owner, secret));
  });
  const owners = verifier === undefined ? registry.resembling(encoded) : [verifier];
  const repairs = owners.flatMap((owner) => repaired(registry, owner, encoded, secretFor(owner, secret)));
  return [...unwrapped, ...repairs].map((one) => ({ ...one, password }));
}

/** Returns tests for mistakes in an accepted hash or in the password, the most likely mistake first. */
export function suspicionsOfMismatch(
  registry: HashRegistry,
  { hash, password }: Trial,
  variants: readonly PasswordVariant[],
): Suspicion[] {
  const repairs = repaired(registry, hash.verifier, hash.encoded, hash.secretId);
  const all: (RepairedHash & { password?: Uint8Array })[] = [
    ...withOtherSecrets(registry, hash),
    ...repairs.slice(0, FIRST_REPAIRS),
    ...variants.map((variant) => ({ ...variant, hash })),
    ...repairs.slice(FIRST_REPAIRS),
  ];
  return all.map((one) => ({ password, ...one }));
}

/** Secrets are rotated now and then, so there are only a few. */
const MAX_OTHER_SECRETS = 3;

function withOtherSecrets(registry: HashRegistry, hash: ParsedHash): RepairedHash[] {
  if (!hash.verifier.takesSecret) return [];
  const ids = registry.secretIdsFor(hash.algorithm).filter((id) => id !== hash.secretId);
  const repair = { mistake: 'ANOTHER_SECRET', encoded: hash.encoded } as const;
  return ids.slice(0, MAX_OTHER_SECRETS).flatMap((id) => parsed(repair, hash.verifier, id));
}

function repaired(
  registry: HashRegistry,
  verifier: HashVerifier,
  encoded: string,
  secretId: SecretId,
): RepairedHash[] {
  return unlessRefused(() => verifier.repairs(encoded, secretId)).flatMap((repair) => {
    // A repair that changes the name of the digest leads to another family.
    const owner = verifier.resembles(repair.encoded) ? verifier : registry.recognise(repair.encoded);
    return owner === undefined ? [] : parsed(repair, owner, secretId);
  });
}

/** Returns an empty list if the repaired hash is refused. */
const parsed = (
  { encoded, verifier, ...repair }: Repair,
  owner: HashVerifier,
  id: SecretId,
): RepairedHash[] => unlessRefused(() => [{ ...repair, hash: (verifier ?? owner).parse(encoded, id) }]);

function unlessRefused<T>(find: () => T[]): T[] {
  try {
    return find();
  } catch (error) {
    if (error instanceof HashRefused) return [];
    throw error;
  }
}

/** Characters before which a hash must begin if other text, such as `{BCRYPT}` or a quote, precedes it. */
const INNERMOST_START = 32;

/** Returns the ends of the text from each of its first `$` signs on, without backslashes and final quotes. */
function unwrap(encoded: string): string[] {
  const text = encoded.replaceAll('\\', '').replace(/["'`]{1,2}$/, '');
  const starts = [...text.slice(0, INNERMOST_START).matchAll(/\$/g)];
  return starts.map(({ index }) => text.slice(index)).filter((inner) => inner !== encoded);
}
