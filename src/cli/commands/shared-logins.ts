import type { RawLine } from '../../imports/input/line-splitter.ts';
import { isParsedUser, type ParsedUser, type ReadLine } from '../../imports/input/parsed-user.ts';
import { keysOf } from '../../imports/resolve/person.ts';
import { type JsonObject, objectsIn, parseJsonObject } from '../../lib/json/json-object.ts';
import { WorkDatabase } from '../../lib/work-database.ts';
import { type ClaimOptions, claimsOf, NO_CLAIMS } from '../../sources/pipeline/claims.ts';
import { CHANGED_BY, Settlement } from '../../sources/pipeline/settlement.ts';
import { refusal } from '../../sources/pipeline/verdicts.ts';
import type { UserDecisions } from '../../sources/source-user.ts';

export interface SharedLoginProblem {
  result: 'conflict' | 'error';
  /** Code in docs/export.md. */
  reason: string;
  message: string;
}

/**
 * Options for the claims of users to their addresses. Disabled users have claims, because they are written to the files
 * for the other system, too.
 */
const CLAIMS: Omit<ClaimOptions, 'nowMs'> = {
  disabled: 'keep',
  withoutPassword: 'keep',
  providers: {},
  verifiedByDefault: false,
};

/**
 * Finds users of import lines who share an address, an id or a login at a provider with another user. The other system
 * would give the address, id or login to the user whom it imports first. All lines must be added before the first call
 * of `problemOf`.
 */
export class SharedLogins {
  readonly #databases: readonly [WorkDatabase, WorkDatabase];
  readonly #claims: Settlement;
  /** Decides about logins at providers. They are treated like ids: if two users have the same one, nobody gets it. */
  readonly #logins: Settlement;
  readonly #choice: UserDecisions['sharedAddress'];
  readonly #files: string[] = [];
  readonly #nowMs = Date.now();

  constructor(directory: string, choice: UserDecisions['sharedAddress']) {
    this.#databases = [new WorkDatabase({ directory }), new WorkDatabase({ directory })];
    this.#choice = choice;
    this.#claims = new Settlement(this.#databases[0], choice);
    this.#logins = new Settlement(this.#databases[1], undefined);
  }

  /**
   * Adds the next line. A line that cannot be imported is added as well, because its user may be the owner of the
   * address.
   */
  add(file: string, { line: row, text = '' }: RawLine, parsed: ReadLine): void {
    if (this.#files.at(-1) !== file) this.#files.push(file);
    const isUser = isParsedUser(parsed);
    const payload = isUser ? payloadOf(parsed) : parseJsonObject(text);
    const line = {
      ...{ place: this.#files.length - 1, row, identities: [] },
      changedBy: isUser ? CHANGED_BY.all : CHANGED_BY.nothing,
    };
    const ids = new Set(isUser ? keysOf([parsed]).identities.keys() : []);
    const claims = claimsOf(payload && claimantOf(payload), { ...CLAIMS, nowMs: this.#nowMs });
    this.#claims.add({ ...line, claims });
    this.#logins.add({ ...line, claims: { ...NO_CLAIMS, ids } });
  }

  /** Decides between users with the same address, id or login. Must be called after the last line. */
  settle(): void {
    this.#claims.settle();
    this.#logins.settle();
  }

  /**
   * Returns why the user of a line must not be in the files, or undefined.
   * @param number number of the line over all files, from 1
   */
  problemOf(number: number): SharedLoginProblem | undefined {
    const claim = this.#claims.changesBetween(number, number).get(number);
    if (claim?.why !== undefined) return refusal(claim.why, this.#rowText(claim.other), this.#choice);
    const login = this.#logins.changesBetween(number, number).get(number);
    const message = login && `the same login at a provider as ${this.#rowText(login.other)}`;
    return message === undefined ? undefined : { result: 'error', reason: 'LOGIN_SHARED', message };
  }

  close(): void {
    for (const database of this.#databases) database.close();
  }

  #rowText({ place, row }: { place: number; row: number }): string {
    return `line ${row} of ${this.#files[place]}`;
  }
}

const isPassword = ({ recipeId }: { recipeId?: unknown }) => recipeId === 'emailpassword';

function payloadOf({ externalId, methods }: ParsedUser): JsonObject {
  const { timeJoinedMs } = methods.find(isPassword) ?? methods[0];
  const loginMethods = methods.map(({ recipeId, email, verified, externalId: externalUserId }) => ({
    ...{ recipeId, email, externalUserId, isVerified: verified },
  }));
  return { externalUserId: externalId, loginMethods, timeJoinedMs };
}

/**
 * Returns a user with the addresses that the other system gets: those of password logins, or else that of the first
 * login.
 */
function claimantOf({ externalUserId, timeJoinedMs, loginMethods, email, isVerified }: JsonObject) {
  const flat = { recipeId: 'emailpassword', email, isVerified };
  const logins = Array.isArray(loginMethods) ? objectsIn(loginMethods) : [flat];
  const passwords = logins.filter(isPassword);
  const [first] = logins;
  return {
    externalUserId: typeof externalUserId === 'string' ? externalUserId : undefined,
    loginMethods: passwords.length > 0 || !first ? passwords : [{ ...first, recipeId: 'emailpassword' }],
    ...(typeof timeJoinedMs === 'number' && { timeJoinedMs }),
  };
}
