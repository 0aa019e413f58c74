import type { RawLine } from '../../imports/input/line-splitter.ts';
import type { ParsedUser, ReadLine } from '../../imports/input/parsed-user.ts';
import { keysOf } from '../../imports/resolve/person.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import { blobText, json, WorkDatabase } from '../../lib/work-database.ts';
import { type ClaimOptions, claimsOf, NO_CLAIMS } from '../../sources/pipeline/claims.ts';
import { CHANGED_BY, Settlement } from '../../sources/pipeline/settlement.ts';
import { refusal } from '../../sources/pipeline/verdicts.ts';

interface SharedLoginProblem {
  result: 'conflict' | 'error';
  /** Code in docs/export.md. */
  reason: string;
  message: string;
}

interface HeldLine {
  file: string;
  raw: RawLine;
  problem: SharedLoginProblem | undefined;
}

/** Disabled users are in the files, too, so they compete for their addresses. */
const CLAIMS: Omit<ClaimOptions, 'nowMs'> = {
  disabled: 'keep',
  withoutPassword: 'keep',
  providers: {},
  verifiedByDefault: false,
};

/**
 * Finds users of import lines who have an address, an id or a login at a provider of somebody else. In the
 * files for another system, the first of them would get it. All lines are added before the first user is judged.
 */
export class SharedLogins {
  readonly #databases: readonly WorkDatabase[];
  /** Has the lines, so that the files are read only once. */
  readonly #held: WorkDatabase;
  readonly #claims: Settlement;
  /** Decides about logins at providers, which count as ids here: nobody gets one that two users have. */
  readonly #logins: Settlement;
  readonly #choice: 'newest' | 'oldest' | undefined;
  readonly #files: string[] = [];
  readonly #nowMs = Date.now();

  constructor({
    tempDirectory: directory,
    sharedAddress,
  }: {
    tempDirectory: string;
    sharedAddress: 'newest' | 'oldest' | undefined;
  }) {
    const [ofClaims, ofLogins] = [new WorkDatabase({ directory }), new WorkDatabase({ directory })];
    this.#databases = [ofClaims, ofLogins];
    this.#held = ofClaims;
    this.#held.exec('create table held (place integer, lines blob)');
    this.#choice = sharedAddress;
    this.#claims = new Settlement(ofClaims, sharedAddress);
    this.#logins = new Settlement(ofLogins, undefined);
  }

  /**
   * Adds lines of a file, with the users in them. A line that cannot be imported has a claim as well: its user may be
   * the owner of the address.
   */
  add(file: string, lines: readonly RawLine[], users: readonly ReadLine[]): void {
    if (this.#files.at(-1) !== file) this.#files.push(file);
    const place = this.#files.length - 1;
    this.#held.run('insert into held values (?, ?)', place, json(lines));
    for (const [index, { line: row, text = '' }] of lines.entries()) {
      const parsed = users[index];
      const isParsed = parsed !== undefined && 'methods' in parsed;
      const read = isParsed ? undefined : parseJsonObject(text);
      const user = isParsed ? claimOfParsed(parsed) : read && claimOf(read);
      const claims = claimsOf(user, { ...CLAIMS, nowMs: this.#nowMs });
      const ids = new Set(isParsed ? keysOf([parsed]).identities.keys() : []);
      const changedBy = isParsed ? CHANGED_BY.all : CHANGED_BY.nothing;
      this.#claims.add({ ...{ place, row, changedBy, claims }, identities: [] });
      this.#logins.add({
        ...{ place, row, changedBy },
        claims: { ...NO_CLAIMS, ids },
        identities: [],
      });
    }
  }

  /** Call when all lines are added. */
  settle(): void {
    this.#claims.settle();
    this.#logins.settle();
  }

  /** Yields all lines again, in batches, with the reason why their users must not be in the files. */
  *each(): Generator<readonly HeldLine[]> {
    let person = 0;
    for (const { place, lines } of this.#held.each('select place, lines from held order by rowid'))
      yield (JSON.parse(blobText(lines)) as RawLine[]).map((raw) => {
        person += 1;
        return { file: this.#files[Number(place)] ?? '', raw, problem: this.#problemOf(person) };
      });
  }

  close(): void {
    for (const database of this.#databases) database.close();
  }

  #problemOf(person: number): SharedLoginProblem | undefined {
    const claim = this.#claims.changesBetween(person, person).get(person);
    if (claim?.why !== undefined) return refusal(claim.why, this.#rowText(claim.other), this.#choice);
    const other = this.#logins.changesBetween(person, person).get(person)?.other;
    return (
      other && {
        ...{ result: 'error', reason: 'LOGIN_SHARED' },
        message: `the same login at a provider as ${this.#rowText(other)}`,
      }
    );
  }

  #rowText({ place, row }: { place: number; row: number }): string {
    return `line ${row} of ${this.#files[place]}`;
  }
}

/** The addresses that a system gets: those of logins with a password, or else that of the first login. */
function claimOfParsed({ externalId, methods }: ParsedUser) {
  const logins = methods.map(({ recipeId, email, verified, externalId: externalUserId }) => ({
    ...{ recipeId, email, externalUserId, isVerified: verified },
  }));
  const login = methods.find(({ recipeId }) => recipeId === 'emailpassword') ?? methods[0];
  return {
    ...claimOf({ externalUserId: externalId, loginMethods: logins }),
    timeJoinedMs: login.timeJoinedMs,
  };
}

function claimOf({ externalUserId, loginMethods, email, isVerified }: JsonObject) {
  const logins = Array.isArray(loginMethods)
    ? loginMethods.filter(isJsonObject)
    : [{ recipeId: 'emailpassword', email, isVerified }];
  const passwords = logins.filter(({ recipeId }) => recipeId === 'emailpassword');
  const [first] = logins;
  return {
    externalUserId: typeof externalUserId === 'string' ? externalUserId : undefined,
    loginMethods:
      passwords.length > 0 || first === undefined ? passwords : [{ ...first, recipeId: 'emailpassword' }],
  };
}
