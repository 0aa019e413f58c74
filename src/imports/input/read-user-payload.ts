import type { HashRegistry } from '../../hashing/registry.ts';
import { AppError } from '../../lib/errors.ts';
import { toJson } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { stripControlAndSpace } from '../../lib/text/characters.ts';
import { acceptHash, readNoHash } from '../../passwords/accept-hash.ts';
import { normalizeEmail } from '../../users/email.ts';
import { requirePassword } from '../../users/sign-up.ts';
import { identityKey, MAX_CHARACTERS, type UserProfile } from '../../users/user.ts';
import { FieldReader, metadataProblem, ValidationErrors } from './field-reader.ts';
import {
  credentialOf,
  type ParsedLoginMethod,
  type ParsedPasswordLogin,
  type ParsedThirdPartyLogin,
  type ParsedUser,
  type ReadDeps,
  type ValidationError,
} from './parsed-user.ts';
import { readFactors } from './read-factors.ts';

/** Maximum number of login methods of a user, far more than anybody has. Bounds the cost of importing one user. */
export const MAX_LOGIN_METHODS = 100;

/** Reads the format of `POST /bulk-import/users`. Returns all validation errors, not only the first. */
export function readUserPayload(deps: ReadDeps, value: unknown): ParsedUser | ValidationError[] {
  const errors = new ValidationErrors();
  if (!isJsonObject(value)) {
    errors.add('user should be of type object.');
    return errors.all();
  }
  const user = new FieldReader(value, '.', errors);
  const ownExternalId = readExternalId(user);
  const profile: Record<keyof UserProfile, string | undefined> = { metadata: readMetadata(user) };
  const disabled = user.flag('disabled');
  const factors = readFactors(user, deps.keepsFactors);
  const inputs = readLoginMethods(deps, user);
  const primary = primaryOf(inputs);
  const others = inputs.filter((input) => input !== primary);
  checkLogins(inputs, errors);
  checkExternalIds(ownExternalId, primary, others, errors);
  const all = errors.all();
  if (all.length > 0 || primary?.login === undefined) return all;
  const externalId = ownExternalId ?? primary.externalId;
  return {
    externalId,
    profile,
    disabled,
    factors: factors && { open: factors },
    methods: [primary.login, ...others.flatMap(withExternalId)],
  };
}

/** Returns the metadata as JSON text, with numbers exactly as the sender wrote them. */
function readMetadata(user: FieldReader): string | undefined {
  const metadata = user.object('userMetadata');
  if (metadata === undefined) return undefined;
  const problem = metadataProblem(metadata);
  if (problem === undefined) return toJson(metadata);
  user.addError(`userMetadata ${problem}`);
  return undefined;
}

function readLoginMethods(deps: ReadDeps, user: FieldReader): LoginMethodInput[] {
  const methods = user.require('loginMethods') ? user.objects('loginMethods') : undefined;
  if (methods?.length === 0) user.errors.add('At least one loginMethod is required.');
  if (methods === undefined || methods.length <= MAX_LOGIN_METHODS) {
    return (methods ?? []).map((members) => readLoginMethod(deps, members, user.errors));
  }
  user.errors.add(`At most ${MAX_LOGIN_METHODS} loginMethods are allowed.`);
  return [];
}

/**
 * Returns the login method marked as primary, or else the one with the earliest join time, as SuperTokens
 * core does. The result must depend on the user's JSON alone, not on the clock: a staged user is read again
 * at its import, and clients got its ids after the first reading.
 */
function primaryOf(inputs: readonly LoginMethodInput[]): LoginMethodInput | undefined {
  const marked = inputs.find(({ isPrimary }) => isPrimary);
  if (marked !== undefined || inputs.length < 2) return marked ?? inputs[0];
  const joined = (input: LoginMethodInput) => input.timeJoinedMs ?? Number.MAX_SAFE_INTEGER;
  return inputs.reduce((first, input) => (joined(input) < joined(first) ? input : first));
}

function checkLogins(inputs: readonly LoginMethodInput[], errors: ValidationErrors): void {
  // Fast path: nearly all users have one login method.
  if (inputs.length < 2) return;
  const logins = inputs.flatMap(({ login }) => login ?? []);
  const emails = logins.flatMap((login) => (login.recipeId === 'emailpassword' ? login.email : []));
  const identities = logins.flatMap((login) => (login.recipeId === 'thirdparty' ? login.identity : []));
  if (inputs.filter(({ isPrimary }) => isPrimary).length > 1) {
    errors.add('No two loginMethods can have isPrimary as true.');
  }
  if (hasRepeats(emails)) {
    errors.add('No two loginMethods can have the same email for an emailpassword recipe.');
  }
  if (hasRepeats(identities.map(identityKey))) {
    errors.add('No two loginMethods can have the same thirdPartyId and thirdPartyUserId.');
  }
}

function checkExternalIds(
  own: string | undefined,
  primary: LoginMethodInput | undefined,
  others: readonly LoginMethodInput[],
  errors: ValidationErrors,
): void {
  const ofPrimary = primary?.externalId;
  if (own !== undefined && ofPrimary !== undefined && own !== ofPrimary) {
    errors.add('externalUserId of the primary loginMethod should be that of the user.');
  }
  if (hasRepeats([own ?? ofPrimary, ...others.map(({ externalId }) => externalId)])) {
    errors.add('No two loginMethods can have the same externalUserId.');
  }
}

function hasRepeats(values: readonly (string | undefined)[]): boolean {
  if (values.length < 2) return false;
  const given = values.filter((value) => value !== undefined);
  return new Set(given).size < given.length;
}

function withExternalId({ login, externalId }: LoginMethodInput): ParsedLoginMethod[] {
  if (login === undefined) return [];
  return [externalId === undefined ? login : { ...login, externalId }];
}

/** Login method as read from a user's JSON, before it is known which method is the primary one. */
interface LoginMethodInput {
  login: ParsedLoginMethod | undefined;
  isPrimary: boolean;
  timeJoinedMs: number | undefined;
  externalId: string | undefined;
}

function readLoginMethod(deps: ReadDeps, members: JsonObject, errors: ValidationErrors): LoginMethodInput {
  const fields = new FieldReader(members, ' for a loginMethod.', errors);
  const recipeId = fields.require('recipeId') ? fields.id('recipeId', MAX_CHARACTERS.identity) : undefined;
  if (fields.tenants()?.length === 0) fields.addError('tenantIds should hold public');
  const verified = fields.flag('isVerified') ?? false;
  const isPrimary = fields.flag('isPrimary') ?? false;
  // This suffix has no full stop, because SuperTokens core omits it in the message for a wrong type.
  const timeJoinedMs = new FieldReader(members, ' for a loginMethod', errors).integer(
    'timeJoinedInMSSinceEpoch',
  );
  if (timeJoinedMs !== undefined) checkTime(timeJoinedMs, deps.now(), fields);
  const externalId = readExternalId(fields);
  const common = { verified, timeJoinedMs };
  const login = recipeId === undefined ? undefined : readLogin(deps, recipeId, members, errors, common);
  return { login, isPrimary, timeJoinedMs, externalId };
}

/** Strips control characters and spaces at both ends, as SuperTokens core does. */
function readExternalId(fields: FieldReader): string | undefined {
  const id = fields.id('externalUserId', MAX_CHARACTERS.externalId);
  const stripped = id === undefined ? undefined : stripControlAndSpace(id);
  if (stripped !== '') return stripped;
  fields.addError('externalUserId should be of type string');
  return undefined;
}

function checkTime(timeJoinedMs: number, nowMs: number, fields: FieldReader): void {
  if (timeJoinedMs > nowMs) fields.addError('timeJoined cannot be in future');
  if (timeJoinedMs < 0) fields.addError('timeJoined cannot be < 0');
}

type CommonFields = Pick<ParsedLoginMethod, 'verified' | 'timeJoinedMs'>;

function readLogin(
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
    // An invalid algorithm or secret id must not be replaced by a guessed algorithm or the default secret.
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
 * Returns the message for an error: for an invalid algorithm in the words of SuperTokens core's bulk import, for other
 * errors as in a single import.
 */
function sentenceOf({ code, message }: AppError, { all }: HashRegistry): string {
  if (code !== 'HASHING_ALGORITHM_EMPTY' && code !== 'HASHING_ALGORITHM_UNSUPPORTED') return message;
  const names = all.map(({ superTokensName }) => superTokensName);
  const allowed = `${names.slice(0, -1).join(', ')} or, ${names.at(-1)}`;
  return `Invalid hashingAlgorithm for emailpassword recipe. Pass one of ${allowed}!`;
}
