import type { HashRegistry } from '../../hashing/registry.ts';
import type { ParsedHash } from '../../hashing/verifier.ts';
import { AppError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json/json-object.ts';
import { acceptHash, readNoHash } from '../../passwords/accept-hash.ts';
import { normalizeEmail } from '../../users/email.ts';
import { requirePassword } from '../../users/sign-up.ts';
import { MAX_CHARACTERS } from '../../users/user.ts';
import { FieldReader, type ValidationErrors } from './field-reader.ts';
import type { ParsedLoginMethod, ParsedPasswordLogin, ParsedThirdPartyLogin } from './parsed-user.ts';
import type { ReadDeps } from './read-deps.ts';

export type CommonFields = Pick<ParsedLoginMethod, 'verified' | 'timeJoinedMs'>;

export function readLogin(
  deps: ReadDeps,
  recipeId: string,
  members: JsonObject,
  errors: ValidationErrors,
  common: CommonFields,
): ParsedLoginMethod | undefined {
  switch (recipeId) {
    case 'emailpassword':
      return readPasswordLogin(
        deps,
        new FieldReader(members, ' for an emailpassword recipe.', errors),
        common,
      );
    case 'thirdparty':
      return readThirdPartyLogin(new FieldReader(members, ' for a thirdparty recipe.', errors), common);
    case 'passwordless':
      errors.add('passwordless logins cannot be imported. Pass one of emailpassword or thirdparty!');
      return undefined;
    default:
      errors.add('Invalid recipeId for loginMethod. Pass one of emailpassword or thirdparty!');
      return undefined;
  }
}

function readPasswordLogin(
  deps: ReadDeps,
  fields: FieldReader,
  { verified, timeJoinedMs }: CommonFields,
): ParsedPasswordLogin | undefined {
  const email = readEmail(fields);
  const credential = readCredential(deps, fields);
  if (email === undefined || credential === undefined) return undefined;
  // One object literal without spreads, for speed: this code runs for every line of an import.
  return { recipeId: 'emailpassword', email, verified, timeJoinedMs, credential };
}

function readThirdPartyLogin(
  fields: FieldReader,
  { verified, timeJoinedMs }: CommonFields,
): ParsedThirdPartyLogin | undefined {
  const email = readEmail(fields);
  const id = fields.require('thirdPartyId') ? fields.id('thirdPartyId', MAX_CHARACTERS.identity) : undefined;
  const userId = fields.require('thirdPartyUserId')
    ? fields.id('thirdPartyUserId', MAX_CHARACTERS.identity)
    : undefined;
  if (email === undefined || id === undefined || userId === undefined) return undefined;
  return { recipeId: 'thirdparty', email, verified, timeJoinedMs, identity: { id, userId } };
}

function readEmail(fields: FieldReader): string | undefined {
  const raw = fields.require('email') ? fields.text('email', MAX_CHARACTERS.email) : undefined;
  if (raw === undefined) return undefined;
  const email = normalizeEmail(raw);
  if (email === undefined) fields.addError('email should be an address (with an @, at most 256 characters)');
  return email;
}

function readCredential(
  { registry, defaultSecretId }: ReadDeps,
  fields: FieldReader,
): ParsedPasswordLogin['credential'] | undefined {
  const encoded = fields.text('passwordHash', MAX_CHARACTERS.passwordHash);
  const algorithm = fields.text('hashingAlgorithm', MAX_CHARACTERS.hashingAlgorithm);
  const secretId = fields.text('hashingSecretId', MAX_CHARACTERS.hashingSecretId);
  const plainText = fields.text('plainTextPassword', MAX_CHARACTERS.password);
  const { passwordHash, hashingAlgorithm, hashingSecretId, plainTextPassword } = fields.members;
  const noHash = readNoHash(fields.members);
  if (typeof noHash === 'string') return { noHash };
  if (noHash !== undefined) {
    fields.addError(noHash.problem);
    return undefined;
  }
  if (passwordHash !== undefined && plainTextPassword !== undefined) {
    fields.addError('Only one of passwordHash and plainTextPassword can be given');
    return undefined;
  }
  try {
    if (plainText !== undefined) {
      requirePassword(plainText);
      return { plainText };
    }
    if (encoded === undefined) {
      fields.addError('Either (passwordHash, hashingAlgorithm) or plainTextPassword is required');
      return undefined;
    }
    // The algorithm or the default secret must not be guessed if the sender has stated an invalid one.
    if (hashingAlgorithm !== undefined && algorithm === undefined) return undefined;
    if (hashingSecretId !== undefined && secretId === undefined) return undefined;
    const secret = { id: secretId, otherwise: defaultSecretId };
    return credentialOf(acceptHash(registry, encoded, algorithm, secret));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    fields.errors.add(sentenceOf(error, registry), error.code);
    return undefined;
  }
}

/**
 * Returns the plain-text password if the "hash" was a password behind a scheme name such as `{CLEAR}`.
 * @throws {AppError} PASSWORD_EMPTY
 */
export function credentialOf(hash: ParsedHash): ParsedPasswordLogin['credential'] {
  const { clearText } = hash;
  if (clearText === undefined) return { hash };
  requirePassword(clearText);
  return { plainText: clearText };
}

/** Words an invalid algorithm like SuperTokens core's bulk import, other errors like a single import. */
function sentenceOf({ code, message }: AppError, { all }: HashRegistry): string {
  if (code !== 'HASHING_ALGORITHM_EMPTY' && code !== 'HASHING_ALGORITHM_UNSUPPORTED') return message;
  const names = all.map(({ family }) => family.superTokensName);
  const allowed = `${names.slice(0, -1).join(', ')} or, ${names.at(-1)}`;
  return `Invalid hashingAlgorithm for emailpassword recipe. Pass one of ${allowed}!`;
}
