import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import { WorkDatabase } from '../../lib/work-database.ts';
import { normalizeEmail } from '../../users/email.ts';
import { identityKey } from '../../users/user.ts';
import type { BadRecord } from '../containers/table.ts';
import { SIGNER_KEY_ALGORITHM } from '../fields/hashes.ts';
import type { Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { claimsOf } from './claims.ts';
import { type HeldRecords, heldRecords } from './joined-records.ts';
import { type JudgeDeps, type Judged, judge } from './judge.ts';
import { detailOf, type Plan } from './plan.ts';
import { readTables, type UsedBatch } from './read-tables.ts';
import { type ReadRow, type UserReading, userReading } from './read-users.ts';
import { CHANGED_BY, Settlement } from './settlement.ts';
import { countIn, type Tally } from './tally.ts';
import type { Verdict } from './verdict.ts';
import { verdictStore } from './verdicts.ts';

export interface LoadDeps extends JudgeDeps {
  /** Private directory for the work database. */
  tempDirectory: string;
  /** Maximum size of the work database in bytes. Undefined: limited only by the disk. */
  maxBytes?: number | undefined;
  /** Keeps with each verdict the record of the export, and the user that was read from it. */
  keepsOriginals: boolean;
  signal?: AbortSignal | undefined;
}

/** All users of an export, each of them read and judged once. */
export interface LoadedUsers {
  rows: number;
  /** Complete counts over the whole export. */
  tally: Tally;
  /** Yields the verdicts on all rows in batches, in the order of the export, from the work database. */
  verdicts(signal?: AbortSignal): AsyncGenerator<readonly Verdict[]>;
  /** Removes the work database. */
  close(): void;
}

/**
 * Reads the tables of the plan once, judges each user, and decides between users who have the same address or id.
 * Memory is bounded, because everything about more than one row is in a work database on disk.
 * @throws {FileProblem} if a file has changed since it was surveyed
 * @throws {WorkDatabaseProblem} if the disk is full
 */
export async function loadUsers(plan: Plan, deps: LoadDeps): Promise<LoadedUsers> {
  const { tally } = deps;
  const database = new WorkDatabase({ directory: deps.tempDirectory, maxBytes: deps.maxBytes });
  try {
    const reading = userReading(plan, deps, database);
    const settlement = new Settlement(database, deps.sharedAddress);
    const verdicts = verdictStore(database, settlement, { ...deps, surveys: plan.surveys });
    for await (const [batch, rows] of readRows(plan, reading, heldRecords(database), deps.signal)) {
      const place = verdicts.placeOf(batch);
      for (const { row, bad, record: original, user } of rows) {
        const claims = claimsOf(user, deps);
        const judged = bad === undefined ? judge(user, deps) : refused(bad, user, tally);
        const { result, reason, message, email, line, parsed } = judged;
        settlement.add({
          place,
          row,
          claims,
          changedBy: bad === undefined ? changedBy(judged) : CHANGED_BY.nothing,
          identities: parsed === undefined ? [] : identitiesOf(parsed),
          summary: parsed && user && summaryOf(parsed, user),
        });
        const signerKey = parsed && user && signerKeyOf(user, plan.settings);
        // A record that was read in part must never be imported as a user.
        const whole = bad === undefined ? user : undefined;
        const externalUserId = user?.externalUserId;
        verdicts.add(
          { place, row, result, reason, message, externalUserId, email, signerKey, user: whole, original },
          line,
        );
      }
    }
    verdicts.finish();
    settlement.settle();
    tally.contradictions = settlement.contradictions();
    for (const [text, users] of settlement.summaries()) countSummary(text, users, tally);
    return {
      rows: settlement.rows,
      tally,
      verdicts: verdicts.each,
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Yields the tables of users with their rows, which are read while they are taken. Users are read at once if no joined
 * table can follow; otherwise their records wait on disk. People who have records only in a joined table come last.
 */
async function* readRows(
  plan: Plan,
  reading: UserReading,
  held: HeldRecords,
  signal: AbortSignal | undefined,
): AsyncGenerator<[UsedBatch, Iterable<ReadRow>]> {
  const { uses, surveys } = plan;
  const lastDetail = surveys.findLastIndex(({ tables }) =>
    tables.some((table) => uses.get(table)?.detail !== undefined),
  );
  let isHolding = false;
  for await (const batch of readTables(plan, signal)) {
    const { use, survey } = batch;
    reading.join(batch);
    if (use.as === 'detail') {
      if (detailOf(use).readAlone !== undefined) held.add(batch);
      continue;
    }
    // Rows keep the order of the files, so all rows after a row that is held are held as well.
    isHolding ||= surveys.indexOf(survey) <= lastDetail;
    if (isHolding) held.add(batch);
    else yield [batch, reading.readUsers(batch)];
  }
  for (const as of ['users', 'detail'] as const)
    for (const batch of held.each(as)) {
      signal?.throwIfAborted();
      yield [batch, as === 'users' ? reading.readUsers(batch) : reading.readAlone(batch)];
      await nextTurn();
    }
}

/** Refuses a record that cannot be read. Its user id and address are shown if the readable part has them. */
function refused({ problem, message }: BadRecord, user: SourceUser | undefined, tally: Tally): Judged {
  const { email, state } = user ?? {};
  if (typeof state === 'object') tally.unknownStates.count(state.column, state.word);
  return { result: 'error', reason: problem, message, email: email && normalizeEmail(email) };
}

function changedBy({ result, reason }: Pick<Verdict, 'result' | 'reason'>) {
  if (result === 'import') return CHANGED_BY.all;
  if (result === 'error') return CHANGED_BY.betterClaims;
  return reason === 'DISABLED' ? CHANGED_BY.ids : CHANGED_BY.nothing;
}

function signerKeyOf({ password }: SourceUser, { signerKey }: Settings): string | undefined {
  if (password === undefined || !('encoded' in password)) return undefined;
  return password.signerKey ?? (password.algorithm === SIGNER_KEY_ALGORITHM ? signerKey : undefined);
}

const identitiesOf = ({ methods }: ParsedUser): string[] =>
  methods.flatMap((method) => (method.recipeId === 'thirdparty' ? identityKey(method.identity) : []));

/** Counts of the final summary that an imported user raises by one. Kept as JSON text; an export has few of them. */
type Summary = readonly (readonly [
  counts: 'hashes' | 'providers' | 'addresses' | 'secondFactors' | 'withoutPassword' | 'facts',
  name: string,
])[];

function summaryOf(
  { methods, disabled }: ParsedUser,
  { hasSecondFactor, hasHiddenPassword, mustChangePassword, factors }: SourceUser,
): string {
  const summary: Summary[number][] = [];
  if (disabled === true) summary.push(['facts', 'disabled']);
  if (hasHiddenPassword === true && methods.every(({ recipeId }) => recipeId === 'thirdparty'))
    summary.push(['withoutPassword', 'social']);
  for (const method of methods) {
    if (method.recipeId === 'thirdparty') {
      summary.push(['providers', method.identity.id]);
      continue;
    }
    // Whoever waits for a first sign-in or a reset has nothing to sign in with.
    if ('noHash' in method.credential) {
      if (method.credential.noHash === 'waiting')
        summary.push(['facts', method.verified ? 'waiting, verified' : 'waiting, unverified']);
      continue;
    }
    if (mustChangePassword === true) summary.push(['facts', 'must change the password']);
    summary.push(['addresses', method.verified ? 'verified' : 'unverified']);
    if ('hash' in method.credential) {
      const { algorithm, strength } = method.credential.hash;
      summary.push(['hashes', `${algorithm} ${strength}`]);
    }
  }
  if (hasSecondFactor === true) summary.push(['secondFactors', 'users']);
  if (hasSecondFactor === true && (factors?.totpDevices?.length ?? 0) > 0)
    summary.push(['secondFactors', 'kept']);
  return JSON.stringify(summary);
}

function countSummary(text: string, users: number, tally: Tally): void {
  if (users === 0) return;
  for (const [counts, name] of JSON.parse(text) as Summary)
    countIn<string>(tally[counts] as Map<string, number>, name, users);
}
