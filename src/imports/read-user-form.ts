import { identityKey } from '../identity-key.ts';
import type { Candidate, CandidateMethod, Refused } from './candidate.ts';
import { toJson } from './exact-numbers.ts';
import { FormPart, FormProblems } from './form-part.ts';
import { isMembers } from './members.ts';
import { metadataProblem } from './metadata-problem.ts';
import {
  type LoginMethodDraft,
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
export function readUserForm(deps: ReadDeps, value: unknown): Candidate | Refused[] {
  const problems = new FormProblems();
  if (!isMembers(value)) {
    problems.add('user should be of type object.');
    return problems.all();
  }
  const user = new FormPart(value, '.', problems);
  const ownExternalId = readExternalId(user);
  const metadata = readMetadata(user);
  refuseWhatIsNotKept(user);
  const drafts = readLoginMethods(deps, user);
  const primary = primaryOf(drafts);
  const others = drafts.filter((draft) => draft !== primary);
  checkLogins(drafts, problems);
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
function readMetadata(user: FormPart): string | undefined {
  const metadata = user.object('userMetadata');
  if (metadata === undefined) return undefined;
  const problem = metadataProblem(metadata);
  if (problem === undefined) return toJson(metadata);
  user.problem(`userMetadata ${problem}`);
  return undefined;
}

function refuseWhatIsNotKept(user: FormPart): void {
  if (user.objects('userRoles')?.length) {
    user.problems.add('userRoles cannot be imported. This service keeps no roles.');
  }
  if (user.objects('totpDevices')?.length) {
    user.problems.add('MFA must be enabled to import totp devices. This service does not have it.');
  }
}

function readLoginMethods(deps: ReadDeps, user: FormPart): LoginMethodDraft[] {
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
function primaryOf(drafts: readonly LoginMethodDraft[]): LoginMethodDraft | undefined {
  const marked = drafts.find(({ isPrimary }) => isPrimary);
  if (marked !== undefined || drafts.length < 2) return marked ?? drafts[0];
  const joined = (draft: LoginMethodDraft) => draft.timeJoinedMs ?? Number.MAX_SAFE_INTEGER;
  return drafts.reduce((first, draft) => (joined(draft) < joined(first) ? draft : first));
}

function checkLogins(drafts: readonly LoginMethodDraft[], problems: FormProblems): void {
  // Nearly all.
  if (drafts.length < 2) return;
  const logins = drafts.flatMap(({ login }) => login ?? []);
  const emails = logins.flatMap((login) => (login.recipeId === 'emailpassword' ? login.email : []));
  const identities = logins.flatMap((login) => (login.recipeId === 'thirdparty' ? login.identity : []));
  if (drafts.filter(({ isPrimary }) => isPrimary).length > 1) {
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
  primary: LoginMethodDraft | undefined,
  others: readonly LoginMethodDraft[],
  problems: FormProblems,
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

function withExternalId({ login, externalId }: LoginMethodDraft): CandidateMethod[] {
  if (login === undefined) return [];
  return [externalId === undefined ? login : { ...login, externalId }];
}
