import type { MistakeCode } from '../hashing/diagnose/mistakes.ts';
import type { Trial } from '../hashing/passwords.ts';
import type { HashRegistry } from '../hashing/registry.ts';
import {
  HashRefused,
  type HashVerifier,
  type ParsedHash,
  type Repair,
  type SecretId,
} from '../hashing/verifier.ts';
import type { PasswordVariant } from './password-variants.ts';
import { type SubmittedHash, secretFor } from './submitted-hash.ts';

/** Test of a password that succeeds if this mistake was made in the hash or the password. */
export interface Suspicion extends Trial {
  mistake: MistakeCode;
}

/** Number of repairs that are tested before other forms of the password, which are less likely mistakes. */
const FIRST_REPAIRS = 5;

/** Returns tests for what may be wrong with a refused hash, the most likely mistake first. */
export function suspicionsOfRefused(
  registry: HashRegistry,
  { encoded, named, secret }: SubmittedHash,
  password: string,
): Suspicion[] {
  const verifier = named ?? registry.recognise(encoded);
  const bytes = Buffer.from(password, 'utf8');
  const unwrapped = unwrap(encoded).flatMap((inner) => {
    const owner = registry.recognise(inner);
    if (owner === undefined || (named !== undefined && owner !== named)) return [];
    return suspicion({ mistake: 'HASH_WRAPPED', encoded: inner }, owner, secretFor(owner, secret), bytes);
  });
  const owners = verifier === undefined ? registry.resembling(encoded) : [verifier];
  const repairs = owners.flatMap((owner) =>
    repaired(registry, owner, { encoded, secretId: secretFor(owner, secret) }, bytes),
  );
  return [...unwrapped, ...repairs];
}

/** Returns tests for mistakes in an accepted hash or in the password, the most likely mistake first. */
export function suspicionsOfMismatch(
  registry: HashRegistry,
  { hash }: Trial,
  { password, variants: otherBytes }: { password: string; variants: readonly PasswordVariant[] },
): Suspicion[] {
  const repairs = repaired(registry, hash.verifier, hash, Buffer.from(password, 'utf8'));
  const variants = otherBytes.map((variant) => ({ ...variant, hash }));
  return [
    ...ofOtherSecrets(registry, hash, Buffer.from(password, 'utf8')),
    ...repairs.slice(0, FIRST_REPAIRS),
    ...variants,
    ...repairs.slice(FIRST_REPAIRS),
  ];
}

/** Secrets are rotated now and then, so there are only a few. */
const MAX_OTHER_SECRETS = 3;

function ofOtherSecrets(registry: HashRegistry, hash: ParsedHash, password: Uint8Array): Suspicion[] {
  if (!hash.verifier.takesSecret) return [];
  return registry
    .secretIdsFor(hash.algorithm)
    .filter((id) => id !== hash.secretId)
    .slice(0, MAX_OTHER_SECRETS)
    .flatMap((id) =>
      suspicion({ mistake: 'ANOTHER_SECRET', encoded: hash.encoded }, hash.verifier, id, password),
    );
}

function repaired(
  registry: HashRegistry,
  verifier: HashVerifier,
  { encoded, secretId }: { encoded: string; secretId?: SecretId },
  password: Uint8Array,
): Suspicion[] {
  return unlessRefused(() => verifier.repairs(encoded, secretId)).flatMap((repair) => {
    // A repair that changes the name of the digest leads to another family.
    const owner = verifier.resembles(repair.encoded) ? verifier : registry.recognise(repair.encoded);
    return owner === undefined ? [] : suspicion(repair, owner, secretId, password);
  });
}

/** Returns an empty list if the repaired hash is refused. */
function suspicion(
  { mistake, encoded, verifier: other }: Repair,
  verifier: HashVerifier,
  secretId: SecretId,
  password: Uint8Array,
): Suspicion[] {
  return unlessRefused(() => [{ mistake, hash: (other ?? verifier).parse(encoded, secretId), password }]);
}

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
  const starts = [...text.slice(0, INNERMOST_START)].flatMap((character, index) =>
    character === '$' ? [index] : [],
  );
  return starts.map((start) => text.slice(start)).filter((inner) => inner !== encoded);
}
