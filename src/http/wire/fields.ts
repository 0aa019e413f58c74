import { type StringOptions, Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../lib/errors.ts';
import { HASHING_ALGORITHMS } from '../../users/accept-hash.ts';
import { MAX_CHARACTERS } from '../../users/max-characters.ts';

/**
 * Text that UTF-8 can carry. Half a surrogate pair, which JSON can write as an escape, would be sent on as U+FFFD:
 * two different texts would become one.
 */
const WELL_FORMED = '^\\P{Surrogate}*$';
/** And that Postgres can hold: it has no NUL. */
const STORABLE = '^[^\\u0000\\p{Surrogate}]*$';

/** The pattern is not documented: few languages know it, and text that comes as UTF-8 always has it. */
const text = (options: StringOptions) =>
  Type.String({ pattern: WELL_FORMED, documentedAs: Type.String(options), ...options });

/** Once it is stripped. */
export const EmailJson = Type.String({ format: 'email', maxLength: 256 });

export const EmailField = text({
  maxLength: MAX_CHARACTERS.email,
  description: 'Stripped at both ends and lower-cased; at most 256 characters, with an @.',
  documentedAs: EmailJson,
});

export const PasswordField = text({
  maxLength: MAX_CHARACTERS.password,
  description: 'Taken as it is, as UTF-8.',
});

export const PasswordHashField = text({
  maxLength: MAX_CHARACTERS.passwordHash,
  description: 'As docs/hash-formats.md says.',
  documentedAs: Type.String({ minLength: 1, maxLength: MAX_CHARACTERS.passwordHash }),
});

/** `a`, `b` or `c`. */
const alternatives = (names: readonly string[]) =>
  names
    .map((name) => `\`${name}\``)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ');

export const AlgorithmField = text({
  maxLength: MAX_CHARACTERS.hashingAlgorithm,
  description: `${alternatives(HASHING_ALGORITHMS)}; without it the format of the hash decides.`,
});

/** Of a third-party provider, or of a user there. */
export const IdentityJson = Type.String({ minLength: 1, maxLength: MAX_CHARACTERS.identity });

export const IdentityField = Type.String({
  minLength: 1,
  maxLength: MAX_CHARACTERS.identity,
  pattern: STORABLE,
  description: 'Compared exactly.',
  documentedAs: IdentityJson,
});

/** Any text may be asked for; what cannot be an id is nobody's. The limit is that of a body. */
export const AnyIdField = Type.String({ maxLength: 1_048_576 });

/** What is wrong with a hash, or with the name of its algorithm. */
export const HASH_ERRORS = [
  'HASHING_ALGORITHM_EMPTY',
  'HASHING_ALGORITHM_UNSUPPORTED',
  'PASSWORD_HASH_COST',
  'PASSWORD_HASH_EMPTY',
  'PASSWORD_HASH_INVALID',
  'SIGNER_KEY_NOT_CONFIGURED',
] as const satisfies readonly ErrorCode[];
