import type { JsonObject } from '../../lib/json/json-object.ts';
import { stripControlAndSpace } from '../../lib/text/characters.ts';
import { MAX_CHARACTERS } from '../../users/user.ts';
import { FieldReader, type ValidationErrors } from './field-reader.ts';
import type { ParsedLoginMethod } from './parsed-user.ts';
import type { ReadDeps } from './read-deps.ts';
import { readLogin } from './read-recipe-fields.ts';

/** Login method as read from a user's JSON, before it is known which method is the primary one. */
export interface LoginMethodInput {
  login: ParsedLoginMethod | undefined;
  isPrimary: boolean;
  timeJoinedMs: number | undefined;
  externalId: string | undefined;
}

export function readLoginMethod(
  deps: ReadDeps,
  members: JsonObject,
  errors: ValidationErrors,
): LoginMethodInput {
  const fields = new FieldReader(members, ' for a loginMethod.', errors);
  const recipeId = fields.require('recipeId') ? fields.id('recipeId', MAX_CHARACTERS.identity) : undefined;
  checkTenants(fields);
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
export function readExternalId(fields: FieldReader): string | undefined {
  const id = fields.id('externalUserId', MAX_CHARACTERS.externalId);
  const stripped = id === undefined ? undefined : stripControlAndSpace(id);
  if (stripped !== '') return stripped;
  fields.addError('externalUserId should be of type string');
  return undefined;
}

function checkTenants(fields: FieldReader): void {
  const tenantIds = fields.texts('tenantIds');
  if (tenantIds?.length === 0) fields.addError('tenantIds should hold public');
  if (tenantIds?.some((tenantId) => tenantId !== 'public')) {
    fields.errors.add(
      'Multitenancy must be enabled before importing users to a different tenant. This service has public only.',
    );
  }
}

function checkTime(timeJoinedMs: number, nowMs: number, fields: FieldReader): void {
  if (timeJoinedMs > nowMs) fields.addError('timeJoined cannot be in future');
  if (timeJoinedMs < 0) fields.addError('timeJoined cannot be < 0');
}
