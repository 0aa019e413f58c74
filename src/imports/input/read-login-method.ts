import type { HashRegistry } from '../../hashing/registry.ts';
import { stripControlAndSpace } from '../../users/email.ts';
import { MAX_CHARACTERS } from '../../users/max-characters.ts';
import { FieldReader, type ValidationErrors } from './field-reader.ts';
import type { JsonObject } from './json-object.ts';
import type { ParsedLoginMethod } from './parsed-user.ts';
import { readLogin } from './read-recipe-fields.ts';

/** What readers work with. */
export interface ReadDeps {
  registry: HashRegistry;
  /** The clock, in ms since the epoch. */
  now(): number;
}

/** One login method of a user form, before it is known which one is primary. */
export interface LoginMethodInput {
  /** Without its external id; undefined where something is wrong with it. */
  login: ParsedLoginMethod | undefined;
  isPrimary: boolean;
  timeJoinedMs: number | undefined;
  externalId: string | undefined;
}

export function readLoginMethod(
  deps: ReadDeps,
  members: JsonObject,
  problems: ValidationErrors,
): LoginMethodInput {
  const part = new FieldReader(members, ' for a loginMethod.', problems);
  const recipeId = part.require('recipeId') ? part.id('recipeId', MAX_CHARACTERS.identity) : undefined;
  checkTenants(part);
  const verified = part.flag('isVerified') ?? false;
  const isPrimary = part.flag('isPrimary') ?? false;
  // Core's sentence has no full stop where the type is wrong.
  const timeJoinedMs = new FieldReader(members, ' for a loginMethod', problems).integer(
    'timeJoinedInMSSinceEpoch',
  );
  if (timeJoinedMs !== undefined) checkTime(timeJoinedMs, deps.now(), part);
  const externalId = readExternalId(part);
  const login = recipeId === undefined ? undefined : readLogin(deps.registry, recipeId, members, problems);
  const common = { verified, ...(timeJoinedMs !== undefined && { timeJoinedMs }) };
  return { login: login && { ...login, ...common }, isPrimary, timeJoinedMs, externalId };
}

/** Stripped, as SuperTokens core keeps it. */
export function readExternalId(part: FieldReader): string | undefined {
  const id = part.id('externalUserId', MAX_CHARACTERS.externalId);
  const stripped = id === undefined ? undefined : stripControlAndSpace(id);
  if (stripped !== '') return stripped;
  part.problem('externalUserId should be of type string');
  return undefined;
}

function checkTenants(part: FieldReader): void {
  const tenantIds = part.texts('tenantIds');
  if (tenantIds?.length === 0) part.problem('tenantIds should hold public');
  if (tenantIds?.some((tenantId) => tenantId !== 'public')) {
    part.problems.add(
      'Multitenancy must be enabled before importing users to a different tenant. This service has public only.',
    );
  }
}

function checkTime(timeJoinedMs: number, nowMs: number, part: FieldReader): void {
  if (timeJoinedMs > nowMs) part.problem('timeJoined cannot be in future');
  if (timeJoinedMs < 0) part.problem('timeJoined cannot be < 0');
}
