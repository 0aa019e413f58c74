import { type StringOptions, Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../lib/errors.ts';
import { HASHING_ALGORITHMS } from '../../passwords/accept-hash.ts';
import { MAX_CHARACTERS } from '../../users/user.ts';

/**
 * Pattern of text without half surrogate pairs. Each would be replaced by U+FFFD, so two different texts would become
 * equal.
 */
const WELL_FORMED = '^\\P{Surrogate}*$';
/** Pattern of text that PostgreSQL can store. It cannot store NUL either. */
const STORABLE = '^[^\\u0000\\p{Surrogate}]*$';

/**
 * Returns the schema of a text. The interface description omits the pattern: few languages support \p{…}, and all valid
 * UTF-8 matches it.
 */
export const text = (options: StringOptions) =>
  Type.String({ pattern: WELL_FORMED, documentedAs: Type.String(options), ...options });

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

const PasswordHashField = text({
  maxLength: MAX_CHARACTERS.passwordHash,
  description: 'Hash in a form that docs/hash-formats.md lists.',
  documentedAs: Type.String({ minLength: 1, maxLength: MAX_CHARACTERS.passwordHash }),
});

/** Lists names as in error messages: `a`, `b` or `c`. */
const alternatives = (names: readonly string[]) =>
  names
    .map((name) => `\`${name}\``)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ');

const AlgorithmField = text({
  maxLength: MAX_CHARACTERS.hashingAlgorithm,
  description: `${alternatives(HASHING_ALGORITHMS)}; without it, the format of the hash decides.`,
});

const SecretIdField = text({
  maxLength: MAX_CHARACTERS.hashingSecretId,
  description:
    'Id in `hashing_secrets` of the secret with which the hash was made. Without it, the default of the algorithm is used.',
});

export const HASH_FIELDS = {
  passwordHash: PasswordHashField,
  hashingAlgorithm: Type.Optional(AlgorithmField),
  hashingSecretId: Type.Optional(SecretIdField),
};

/**
 * Fields that say that there is no hash. They accept any value, because `readNoHash` checks the values with messages
 * that never repeat a password sent by mistake.
 */
export const NO_HASH_FIELDS = {
  password: Type.Optional(
    Type.Unknown({
      documentedAs: Type.Literal('unset', {
        description: 'There is no hash. The password can only be reset.',
      }),
    }),
  ),
  legacySignIn: Type.Optional(
    Type.Unknown({
      documentedAs: Type.Literal(true, {
        description: 'There is no hash. The legacy system verifies the password at the first sign-in.',
      }),
    }),
  ),
};

export const IdentityJson = Type.String({ minLength: 1, maxLength: MAX_CHARACTERS.identity });

export const IdentityField = Type.String({
  minLength: 1,
  maxLength: MAX_CHARACTERS.identity,
  pattern: STORABLE,
  description: 'Compared exactly.',
  documentedAs: IdentityJson,
});

/**
 * Id of a user or of a login. Any text is allowed: text that cannot be an id is not found. The length is the default
 * limit of a body.
 */
export const AnyIdField = Type.String({ maxLength: 1_048_576 });

export const HASH_ERRORS = [
  'HASHING_ALGORITHM_EMPTY',
  'HASHING_ALGORITHM_UNSUPPORTED',
  'HASHING_SECRET_MISSING',
  'PASSWORD_HASH_COST',
  'PASSWORD_HASH_EMPTY',
  'PASSWORD_HASH_INVALID',
  'SIGNER_KEY_NOT_CONFIGURED',
] as const satisfies readonly ErrorCode[];
