import { type StringOptions, Type } from '@sinclair/typebox';
import { MAX_CHARACTERS } from '../users/max-characters.ts';

/**
 * Text that UTF-8 can carry. Half a surrogate pair, which JSON can write as an escape, would be sent on as U+FFFD:
 * two different texts would become one.
 */
const WELL_FORMED = '^\\P{Surrogate}*$';
/** And that Postgres can hold: it has no NUL. */
const STORABLE = '^[^\\u0000\\p{Surrogate}]*$';

const text = (options: StringOptions) => Type.String({ pattern: WELL_FORMED, ...options });

export const EmailField = text({
  maxLength: MAX_CHARACTERS.email,
  description: 'Stripped at both ends and lower-cased; at most 256 characters, with an @.',
});

export const PasswordField = text({
  maxLength: MAX_CHARACTERS.password,
  description: 'Taken as it is, as UTF-8.',
});

export const PasswordHashField = text({
  maxLength: MAX_CHARACTERS.passwordHash,
  description: 'As docs/hash-formats.md says.',
});

export const AlgorithmField = text({
  maxLength: MAX_CHARACTERS.hashingAlgorithm,
  description: '`bcrypt`, `argon2` or `external_scrypt`; without it the format of the hash decides.',
});

/** Of a third-party provider, or of a user there. */
export const IdentityField = Type.String({
  minLength: 1,
  maxLength: MAX_CHARACTERS.identity,
  pattern: STORABLE,
  description: 'Compared exactly.',
});

/** Any text may be asked for; what cannot be an id is nobody's. The limit is that of a body. */
export const AnyIdField = Type.String({ maxLength: 1_048_576 });
