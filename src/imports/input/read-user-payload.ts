import { toJson } from '../../lib/json/exact-json.ts';
import { isJsonObject } from '../../lib/json/json-object.ts';
import type { UserProfile } from '../../users/user.ts';
import { identityKey } from '../../users/user.ts';
import { FieldReader, ValidationErrors } from './field-reader.ts';
import { metadataProblem } from './metadata-problem.ts';
import type { ParsedLoginMethod, ParsedUser, ValidationError } from './parsed-user.ts';
import type { ReadDeps } from './read-deps.ts';
import { readFactors } from './read-factors.ts';
import { type LoginMethodInput, readExternalId, readLoginMethod } from './read-login-method.ts';

/** Nobody has nearly as many login methods. The limit bounds the cost of importing one user. */
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

/** Returns JSON text, with numbers exactly as the sender wrote them. */
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
