import type { MistakeCode } from '../hashing/diagnose/mistakes.ts';
import type { Trial } from '../hashing/passwords.ts';
import type { HashRegistry } from '../hashing/registry.ts';
import { HashRefused, type HashVerifier, type Repair, type SecretId } from '../hashing/verifier.ts';
import { type SubmittedHash, secretFor } from './accept-hash.ts';
import { passwordVariants } from './password-variants.ts';

/** A trial that succeeds only where the mistake was made. */
export interface Suspicion extends Trial {
  mistake: MistakeCode;
}

/** What may have happened to a hash that was refused, likeliest first. */
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
  return [
    ...unwrapped,
    ...(verifier === undefined ? [] : repaired(verifier, encoded, secretFor(verifier, secret), bytes)),
  ];
}

/** What may have happened to a hash that was accepted and does not match, or to its password; likeliest first. */
export function suspicionsOfMismatch({ hash }: Trial, password: string): Suspicion[] {
  return [
    ...repaired(hash.verifier, hash.encoded, hash.secretId, Buffer.from(password, 'utf8')),
    ...passwordVariants(password).map((variant) => ({ ...variant, hash })),
  ];
}

function repaired(
  verifier: HashVerifier,
  encoded: string,
  secretId: SecretId,
  password: Uint8Array,
): Suspicion[] {
  return unlessRefused(() => verifier.repairs(encoded, secretId)).flatMap((repair) =>
    suspicion(repair, verifier, secretId, password),
  );
}

/** Returns one suspicion, or none where the hash is refused. */
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

/** A hash must begin within so many characters: room for `{bcrypt}`, `bcrypt$`, `argon2` or a quote before it. */
const INNERMOST_START = 32;

/** Returns the texts that begin at the first `$` signs, without backslashes and without quotes at the end. */
function unwrap(encoded: string): string[] {
  const text = encoded.replaceAll('\\', '').replace(/["'`]{1,2}$/, '');
  const starts = [...text.slice(0, INNERMOST_START)].flatMap((character, index) =>
    character === '$' ? [index] : [],
  );
  return starts.map((start) => text.slice(start)).filter((inner) => inner !== encoded);
}
