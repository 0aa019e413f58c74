import { identityKey } from '../../users/user.ts';
import { toJson } from './exact-json.ts';
import { FieldReader, ValidationErrors } from './field-reader.ts';
import { isJsonObject } from './json-object.ts';
import { metadataProblem } from './metadata-problem.ts';
import type { ParsedLoginMethod, ParsedUser, ValidationError } from './parsed-user.ts';
import {
  type LoginMethodInput,
  type ReadDeps,
  readExternalId,
  readLoginMethod,
} from './read-login-method.ts';

/** Far above what a person has; bounds what one user can cost. */
const MAX_LOGIN_METHODS = 100;

/**
 * A user with all its login methods, as `POST /bulk-import/users` takes it. Answers every problem with it, where there
 * is one, rather than the first.
 */
export function readUserPayload(deps: ReadDeps, value: unknown): ParsedUser | ValidationError[] {
  const problems = new ValidationErrors();
  if (!isJsonObject(value)) {
    problems.add('user should be of type object.');
    return problems.all();
  }
  const user = new FieldReader(value, '.', problems);
  const ownExternalId = readExternalId(user);
  const metadata = readMetadata(user);
  refuseWhatIsNotKept(user);
  const inputs = readLoginMethods(deps, user);
  const primary = primaryOf(inputs);
  const others = inputs.filter((input) => input !== primary);
  checkLogins(inputs, problems);
  checkExternalIds(ownExternalId, primary, others, problems);
  const all = problems.all();
  if (all.length > 0 || primary?.login === undefined) return all;
  const externalId = ownExternalId ?? primary.externalId;
  return {
    ...(externalId !== undefined && { externalId }),
    ...(metadata !== undefined && { metadata }),
    methods: [primary.login, ...others.flatMap(withExternalId)],
  };
}

/** As JSON text, with numbers as they were written. */
function readMetadata(user: FieldReader): string | undefined {
  const metadata = user.object('userMetadata');
  if (metadata === undefined) return undefined;
  const problem = metadataProblem(metadata);
  if (problem === undefined) return toJson(metadata);
  user.problem(`userMetadata ${problem}`);
  return undefined;
}

function refuseWhatIsNotKept(user: FieldReader): void {
  if (user.objects('userRoles')?.length) {
    user.problems.add('userRoles cannot be imported. This service keeps no roles.');
  }
  if (user.objects('totpDevices')?.length) {
    user.problems.add('MFA must be enabled to import totp devices. This service does not have it.');
  }
}

function readLoginMethods(deps: ReadDeps, user: FieldReader): LoginMethodInput[] {
  const methods = user.require('loginMethods') ? user.objects('loginMethods') : undefined;
  if (methods?.length === 0) user.problems.add('At least one loginMethod is required.');
  if (methods === undefined || methods.length <= MAX_LOGIN_METHODS) {
    return (methods ?? []).map((members) => readLoginMethod(deps, members, user.problems));
  }
  user.problems.add(`At most ${MAX_LOGIN_METHODS} loginMethods are allowed.`);
  return [];
}

/**
 * The one that is marked, else the one that was joined first, as in SuperTokens core. By the form alone, whatever the
 * clock: a staged form is read twice, and ids are told after the first time.
 */
function primaryOf(inputs: readonly LoginMethodInput[]): LoginMethodInput | undefined {
  const marked = inputs.find(({ isPrimary }) => isPrimary);
  if (marked !== undefined || inputs.length < 2) return marked ?? inputs[0];
  const joined = (input: LoginMethodInput) => input.timeJoinedMs ?? Number.MAX_SAFE_INTEGER;
  return inputs.reduce((first, input) => (joined(input) < joined(first) ? input : first));
}

function checkLogins(inputs: readonly LoginMethodInput[], problems: ValidationErrors): void {
  // Nearly all.
  if (inputs.length < 2) return;
  const logins = inputs.flatMap(({ login }) => login ?? []);
  const emails = logins.flatMap((login) => (login.recipeId === 'emailpassword' ? login.email : []));
  const identities = logins.flatMap((login) => (login.recipeId === 'thirdparty' ? login.identity : []));
  if (inputs.filter(({ isPrimary }) => isPrimary).length > 1) {
    problems.add('No two loginMethods can have isPrimary as true.');
  }
  if (hasRepeats(emails)) {
    problems.add('No two loginMethods can have the same email for an emailpassword recipe.');
  }
  if (hasRepeats(identities.map(identityKey))) {
    problems.add('No two loginMethods can have the same thirdPartyId and thirdPartyUserId.');
  }
}

function checkExternalIds(
  own: string | undefined,
  primary: LoginMethodInput | undefined,
  others: readonly LoginMethodInput[],
  problems: ValidationErrors,
): void {
  const ofPrimary = primary?.externalId;
  if (own !== undefined && ofPrimary !== undefined && own !== ofPrimary) {
    problems.add('externalUserId of the primary loginMethod should be that of the user.');
  }
  if (hasRepeats([own ?? ofPrimary, ...others.map(({ externalId }) => externalId)])) {
    problems.add('No two loginMethods can have the same externalUserId.');
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
