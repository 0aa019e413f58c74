import type { MistakeCode } from '../hashing/diagnose/mistakes.ts';
import type { Trial } from '../hashing/passwords.ts';
import type { HashRegistry } from '../hashing/registry.ts';
import { HashRefused, type HashVerifier } from '../hashing/verifier.ts';
import type { SubmittedHash } from './accept-hash.ts';
import { passwordVariants } from './password-variants.ts';

/** A trial that succeeds only where the mistake was made. */
export interface Suspicion extends Trial {
  mistake: MistakeCode;
}

/** What may have happened to a hash that was refused, likeliest first. */
export function suspicionsOfRefused(
  registry: HashRegistry,
  { encoded, named }: SubmittedHash,
  password: string,
): Suspicion[] {
  const verifier = named ?? registry.recognise(encoded);
  const bytes = Buffer.from(password, 'utf8');
  const unwrapped = unwrap(encoded).flatMap((inner) => {
    const owner = registry.recognise(inner);
    if (owner === undefined || (named !== undefined && owner !== named)) return [];
    return suspicion('HASH_WRAPPED', owner, inner, bytes);
  });
  return [...unwrapped, ...(verifier === undefined ? [] : repaired(verifier, encoded, bytes))];
}

/** What may have happened to a hash that was accepted and does not match, or to its password; likeliest first. */
export function suspicionsOfMismatch({ hash }: Trial, password: string): Suspicion[] {
  return [
    ...repaired(hash.verifier, hash.encoded, Buffer.from(password, 'utf8')),
    ...passwordVariants(password).map((variant) => ({ ...variant, hash })),
  ];
}

function repaired(verifier: HashVerifier, encoded: string, password: Uint8Array): Suspicion[] {
  return verifier
    .repairs(encoded)
    .flatMap((repair) => suspicion(repair.mistake, repair.verifier ?? verifier, repair.encoded, password));
}

/** Returns one suspicion, or none where the hash is refused. */
function suspicion(
  mistake: MistakeCode,
  verifier: HashVerifier,
  encoded: string,
  password: Uint8Array,
): Suspicion[] {
  try {
    return [{ mistake, hash: verifier.parse(encoded), password }];
  } catch (error) {
    if (error instanceof HashRefused) return [];
    throw error;
  }
}

/** A hash must begin within so many characters: room for `{BCRYPT}`, `bcrypt:` or a quote before it. */
const INNERMOST_START = 32;

/** Returns the texts that begin at the first `$` signs, without backslashes and without quotes at the end. */
function unwrap(encoded: string): string[] {
  const text = encoded.replaceAll('\\', '').replace(/["'`]{1,2}$/, '');
  const starts = [...text.slice(0, INNERMOST_START)].flatMap((character, index) =>
    character === '$' ? [index] : [],
  );
  return starts.map((start) => text.slice(start)).filter((inner) => inner !== encoded);
}
