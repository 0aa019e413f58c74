import type { HashRegistry } from '../../hashing/registry.ts';
import { AppError } from '../../lib/errors.ts';
import { acceptHash } from '../../users/accept-hash.ts';
import { normalizeEmail } from '../../users/email.ts';
import { MAX_CHARACTERS } from '../../users/max-characters.ts';
import { requirePassword } from '../../users/sign-up.ts';
import { FieldReader, type ValidationErrors } from './field-reader.ts';
import type { JsonObject } from './json-object.ts';
import type { ParsedPasswordLogin, ParsedThirdPartyLogin } from './parsed-user.ts';

type PasswordLogin = Pick<ParsedPasswordLogin, 'recipeId' | 'email' | 'credential'>;
type ThirdPartyLogin = Pick<ParsedThirdPartyLogin, 'recipeId' | 'email' | 'identity'>;
export type Login = PasswordLogin | ThirdPartyLogin;

/** What is particular to the recipe of a login method; undefined where something is wrong with that. */
export function readLogin(
  registry: HashRegistry,
  recipeId: string,
  members: JsonObject,
  problems: ValidationErrors,
): Login | undefined {
  switch (recipeId) {
    case 'emailpassword':
      return readPasswordLogin(registry, new FieldReader(members, ' for an emailpassword recipe.', problems));
    case 'thirdparty':
      return readThirdPartyLogin(new FieldReader(members, ' for a thirdparty recipe.', problems));
    case 'passwordless':
      problems.add('passwordless logins cannot be imported. Pass one of emailpassword or thirdparty!');
      return undefined;
    default:
      problems.add('Invalid recipeId for loginMethod. Pass one of emailpassword or thirdparty!');
      return undefined;
  }
}

function readPasswordLogin(registry: HashRegistry, part: FieldReader): PasswordLogin | undefined {
  const email = readEmail(part);
  const credential = readCredential(registry, part);
  if (email === undefined || credential === undefined) return undefined;
  return { recipeId: 'emailpassword', email, credential };
}

function readThirdPartyLogin(part: FieldReader): ThirdPartyLogin | undefined {
  const email = readEmail(part);
  const id = part.require('thirdPartyId') ? part.id('thirdPartyId', MAX_CHARACTERS.identity) : undefined;
  const userId = part.require('thirdPartyUserId')
    ? part.id('thirdPartyUserId', MAX_CHARACTERS.identity)
    : undefined;
  if (email === undefined || id === undefined || userId === undefined) return undefined;
  return { recipeId: 'thirdparty', email, identity: { id, userId } };
}

function readEmail(part: FieldReader): string | undefined {
  const raw = part.require('email') ? part.text('email', MAX_CHARACTERS.email) : undefined;
  if (raw === undefined) return undefined;
  const email = normalizeEmail(raw);
  if (email === undefined) part.problem('email should be an address (with an @, at most 256 characters)');
  return email;
}

function readCredential(
  registry: HashRegistry,
  part: FieldReader,
): ParsedPasswordLogin['credential'] | undefined {
  const encoded = part.text('passwordHash', MAX_CHARACTERS.passwordHash);
  const algorithm = part.text('hashingAlgorithm', MAX_CHARACTERS.hashingAlgorithm);
  const plainText = part.text('plainTextPassword', MAX_CHARACTERS.password);
  const { passwordHash, hashingAlgorithm, plainTextPassword } = part.members;
  if (passwordHash !== undefined && plainTextPassword !== undefined) {
    part.problem('Only one of passwordHash and plainTextPassword can be given');
    return undefined;
  }
  try {
    if (plainText !== undefined) {
      requirePassword(plainText);
      return { plainText };
    }
    if (encoded === undefined) {
      part.problem('Either (passwordHash, hashingAlgorithm) or plainTextPassword is required');
      return undefined;
    }
    // Not taken by its looks where an algorithm was meant.
    if (hashingAlgorithm !== undefined && algorithm === undefined) return undefined;
    return { hash: acceptHash(registry, encoded, algorithm) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    part.problems.add(sentenceOf(error, registry), error.code);
    return undefined;
  }
}

/** The message of the single import, but for a wrong algorithm: there clients of SuperTokens core know another sentence. */
function sentenceOf({ code, message }: AppError, { all }: HashRegistry): string {
  if (code !== 'HASHING_ALGORITHM_EMPTY' && code !== 'HASHING_ALGORITHM_UNSUPPORTED') return message;
  const names = all.map(({ superTokensName }) => superTokensName);
  const allowed = `${names.slice(0, -1).join(', ')} or, ${names.at(-1)}`;
  return `Invalid hashingAlgorithm for emailpassword recipe. Pass one of ${allowed}!`;
}
