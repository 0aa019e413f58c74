import type { LineCode, LineError, ParsedLoginMethod } from '../input/parsed-user.ts';

export type FinalStatus = 'CREATED' | 'UPDATED' | 'SKIPPED' | 'FAILED';

/**
 * Outcome of a line. A `DEFERRED` line needs the address of another user, and is decided after the last line of the
 * stream.
 */
export interface Outcome {
  status: FinalStatus | 'DEFERRED';
  /** User whom the line created or is about. Undefined if no user is known, or if a dry run would create the user. */
  userId?: string | undefined;
  externalUserId?: string | undefined;
  code?: LineCode;
  message?: string;
  /**
   * Existing login method because of which the line failed. It has a hash, so it is neither reported nor recorded
   * (`outcomeJson`).
   */
  method?: ParsedLoginMethod;
}

export type OutcomeCounts = Record<Lowercase<FinalStatus>, number>;

export const noOutcomes = (): OutcomeCounts => ({ created: 0, updated: 0, skipped: 0, failed: 0 });

/** Counts an outcome. A deferred line is counted when it is decided. */
export function countOutcome(counts: OutcomeCounts, { status }: Outcome): void {
  if (status !== 'DEFERRED') counts[COUNTERS[status]] += 1;
}

/** Returns the number of lines with an outcome. Blank lines have none. */
export const linesOf = ({ created, updated, skipped, failed }: OutcomeCounts): number =>
  created + updated + skipped + failed;

const COUNTERS = { CREATED: 'created', UPDATED: 'updated', SKIPPED: 'skipped', FAILED: 'failed' } as const;

export const outcomeLine = (line: number, outcome: Outcome): string =>
  `{"line":${line},${outcomeMembers(outcome)}}\n`;

/** Returns the outcome as JSON without the login method, which has a hash. */
export const outcomeJson = (outcome: Outcome): string => `{${outcomeMembers(outcome)}}`;

/** Without JSON.stringify for nearly all lines, because it takes several times as long. */
function outcomeMembers({ status, userId, externalUserId, code, message }: Outcome): string {
  const id = userId === undefined ? '' : `,"userId":"${userId}"`;
  if (externalUserId === undefined && code === undefined) return `"status":"${status}"${id}`;
  const external = externalUserId === undefined ? '' : `,"externalUserId":${JSON.stringify(externalUserId)}`;
  const why = code === undefined ? '' : `,"code":"${code}","message":${JSON.stringify(message)}`;
  return `"status":"${status}"${id}${external}${why}`;
}

export type LineFailures = ReadonlyMap<string, readonly (readonly [line: number, message: string])[]>;

export type FailureCounts = Readonly<Record<string, number>>;

export function addFailures(counts: FailureCounts, failures: LineFailures): FailureCounts {
  if (failures.size === 0) return counts;
  const sum = { ...counts };
  for (const [code, lines] of failures) sum[code] = (sum[code] ?? 0) + lines.length;
  return sum;
}

export function alreadyExists(method: ParsedLoginMethod): LineError {
  return method.recipeId === 'emailpassword'
    ? { code: 'EMAIL_ALREADY_EXISTS', message: 'A user with this e-mail exists already' }
    : {
        code: 'THIRD_PARTY_USER_ALREADY_EXISTS',
        message: 'A user with this third-party identity exists already',
      };
}

export const PASSWORD_CHANGED_SINCE: LineError = {
  code: 'PASSWORD_CHANGED_SINCE',
  message: 'The password was set by its user, not by an import: it is kept (onConflict=update-unchanged)',
};

export const SIGNED_IN_SINCE: LineError = {
  code: 'SIGNED_IN_SINCE',
  message: 'The user has signed in and brought this e-mail, so it is kept (onConflict=update-unchanged)',
};

export const EMAIL_CHANGED_SINCE: LineError = {
  code: 'EMAIL_CHANGED_SINCE',
  message: 'The e-mail was changed here, not by an import: the user is kept (onConflict=update-unchanged)',
};

export const EMAIL_SET_HERE: LineError = {
  code: 'EMAIL_CHANGED_SINCE',
  message:
    'The user with this e-mail got it here, not by an import, so the line may be about somebody else: nothing is changed',
};

export const LOGIN_METHODS_CHANGED_SINCE: LineError = {
  code: 'LOGIN_METHODS_CHANGED_SINCE',
  message:
    'The address or the login methods of the user were changed here, so none is added (onConflict=update-unchanged)',
};

export const MOVED: LineError = {
  code: 'MOVED',
  message:
    'An identity provider has asked for the password of this user, who has moved there: nothing is changed here',
};

export const IN_CORE: LineError = {
  code: 'HANDED_OVER',
  message: 'The SuperTokens core has this user, so nothing is changed here',
};

/** Error for a line that would have to change a user in the SuperTokens core, which an import cannot do. */
export const CHANGE_IN_CORE: LineError = {
  code: 'HANDED_OVER',
  message:
    'The SuperTokens core has this user: change the e-mail there, or if the line disables or enables the user, remove the user there',
};

export const EXTERNAL_ID_REPEATED: LineError = {
  code: 'EXTERNAL_ID_REPEATED',
  message: 'An earlier line of this import has the same external id',
};

export const EXTERNAL_ID_INEXACT: LineError = {
  code: 'FIELD_INVALID',
  message:
    'externalUserId begins or ends with a blank or a control character, so that it may be confused with the id of somebody else (matchBy=externalId)',
};

export const OTHER_PERSON: LineError = {
  code: 'OTHER_PERSON',
  message:
    'The user with this external id seems to be another person: neither an address, a login, the hash nor the time of joining agrees',
};

export const STATE_CHANGED_SINCE: LineError = {
  code: 'STATE_CHANGED_SINCE',
  message: 'The user was enabled here, not by an import, and stays so (onConflict=update-unchanged)',
};

export const USER_UNKNOWN: LineError = {
  code: 'USER_UNKNOWN',
  message: 'No import of this source created a user with this external id, so nobody is disabled',
};

export const UNCHANGED: LineError = { code: 'UNCHANGED', message: 'The user is already as the line says' };

export const NO_EXTERNAL_ID: LineError = {
  code: 'FIELD_INVALID',
  message: 'externalUserId is required: users are matched by it (matchBy=externalId)',
};

export const EXTERNAL_ID_EXISTS: LineError = {
  code: 'EXTERNAL_ID_ALREADY_EXISTS',
  message: 'A user with this external id exists already',
};

export const NOT_A_PERSON: LineError = {
  code: 'EXTERNAL_ID_ALREADY_EXISTS',
  message: 'The external id of this line is an id of another user',
};

export const FOREIGN_PERSON: LineError = {
  code: 'EXTERNAL_ID_ALREADY_EXISTS',
  message: 'The external id of this line belongs to a user of another source',
};

export const TAKEN_EXTERNAL_ID: LineError = {
  code: 'EXTERNAL_ID_ALREADY_EXISTS',
  message: 'An external id of this line belongs to a user that exists already',
};

export const FOREIGN_ID: LineError = {
  code: 'EXTERNAL_ID_ALREADY_EXISTS',
  message: 'The user exists already, and not with the external ids of this line',
};

export const TAKEN_METHOD_ID: LineError = {
  code: 'EXTERNAL_ID_ALREADY_EXISTS',
  message: 'An external id of this line belongs to another user, or to another login method',
};

export const DIVIDED_BY_LOGIN: LineError = {
  code: 'LOGIN_METHODS_DIVIDED',
  message:
    'Some login methods of this line belong to a user that exists already, others to another one or to nobody',
};

export const DIVIDED_BY_ADDRESS: LineError = {
  code: 'LOGIN_METHODS_DIVIDED',
  message:
    'Several passwords of this line, or of the user with its external id, have other addresses: it is unclear which replace which',
};
