import type { Tally } from '../../sources/pipeline/tally.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import type { ImportOptions } from '../import-id.ts';
import type { MatchOptions } from '../options/match-options.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { leftOut, tallyJson } from '../plan/inspection-text.ts';
import type { Prepared } from '../plan/prepare.ts';
import { disablesUsers, type ImportedRows } from '../rows/send-rows.ts';
import { reasonLines, reasonsText, type VerdictCounts, verdictSum } from '../rows/verdict-counts.ts';
import { callService } from '../service-client/call-service.ts';
import { hasEarlierImport } from '../service-client/import-records.ts';
import type { SignerKeys } from '../service-client/signer-keys.ts';
import { confirmOrStop } from '../terminal/prompt.ts';
import { count, counted, durationText, printable } from '../terminal/text.ts';
import { type OutputLine, shellCommand } from '../terminal/wrap.ts';

export interface ImportWork {
  context: CommandContext;
  service: ServiceAddress;
  prepared: Prepared;
  options: ImportOptions;
  matching: MatchOptions;
  importId: string;
  signerKeys: SignerKeys;
  retryForMs: number;
  timeoutMs: number;
}

/** With `--yes`, nobody looks at a dry run, so more failures than these stop an import. */
const MIN_FAILURES = 20;
const MAX_SHARE = 0.05;

/**
 * Returns the error that stops an import that nobody was asked about if many of its rows fail: a wrong option is more
 * likely than bad data.
 * @param accepted value of `--accept-failures`
 * @param rows number of rows of the whole export
 * @param isSent whether rows have been sent, so that some are done
 */
export function tooManyFailures(
  verdicts: VerdictCounts,
  { accepted, rows, isSent }: { accepted: number | undefined; rows: number; isSent: boolean },
): CliError | undefined {
  const { failed } = verdicts;
  if (failed <= (accepted ?? Math.max(MIN_FAILURES, Math.floor(rows * MAX_SHARE)))) return undefined;
  const why = reasonsText(verdicts, 'conflict', 'error');
  const text = isSent
    ? `${count(failed)} rows have failed (${why}), so the import stops. To go on with the others: the same command with --accept-failures and a higher number.`
    : `${count(failed)} of ${count(rows)} rows would fail (${why}), so nothing is imported. user-import inspect shows an example of each. To import the others nevertheless: --accept-failures ${failed}`;
  return new CliError(text, { exitCode: EXIT.someFailed });
}

/**
 * Returns the number of rows that are left out as disabled and whose users may have come with an earlier
 * import, so that they keep signing in. Imports that match by external id disable such users.
 */
export async function countStillActive(
  { service, context, importId, options, matching: { source } }: ImportWork,
  verdicts: VerdictCounts,
): Promise<number> {
  const rows = verdicts.reasonsOf('skip').find(([reason]) => reason === 'DISABLED')?.[1] ?? 0;
  if (rows === 0 || disablesUsers(options)) return 0;
  const { signal } = context.interruption;
  return (await hasEarlierImport(service, { importId, source }, signal)) ? rows : 0;
}

const stillActiveText = (rows: number): string =>
  `${counted(rows, 'row')} ${rows === 1 ? 'is' : 'are'} left out because the old system has disabled the user. Those of them whom an earlier import created keep signing in here. To disable them, add --disabled keep, which also imports the others as disabled, or --match external-id; --disabled skip leaves all of them as they are.`;

/** @throws {CliError} unless the operator has decided about such users */
export function stopAtStillActive({ context: { flags } }: ImportWork, rows: number): void {
  if (rows === 0 || flags.has('disabled')) return;
  throw new CliError(`${stillActiveText(rows)} Nothing was imported.`, { exitCode: EXIT.someFailed });
}

/** Warns if users wait for a first sign-in that asks the legacy system, and the service does not ask it. */
export async function warnOfVainWaiting({
  service,
  context: { flags, terminal },
}: ImportWork): Promise<void> {
  if (flags.text('without-password') !== 'legacy') return;
  // A key may lack the right `read`.
  const census = await callService(service, '/recipe/user/passwordhash/census').catch(() => undefined);
  if (census?.legacySignIn === false) terminal.warn(VAIN_WAITING);
}

export const VAIN_WAITING =
  'The service does not ask the legacy system (legacy_signin_for is off), so nobody who waits for a first sign-in can sign in. See docs/moving-in.md';

const MAX_NAMED = 20;

/** Above this share of the rows, removals must be confirmed: an incomplete export looks the same. */
const MAX_MISSING_SHARE = 0.1;

/** Returns text about missing users: users of earlier imports whom no row names. */
function missingLines({ missing }: Pick<ImportedRows, 'missing'>, isDryRun: boolean): string[] {
  if (missing === undefined) return [];
  const { found, removed, kept, refused, named } = missing;
  if (refused !== undefined) return [`  ${REFUSED[refused] ?? refused}`];
  if (found === 0) return ['  No user of earlier imports is missing in these files.'];
  const names = named.slice(0, MAX_NAMED).map((id) => printable(id));
  const rest = removed - names.length;
  return [
    `  ${counted(removed, 'user')} of earlier imports ${isDryRun ? 'would be' : removed === 1 ? 'was' : 'were'} removed, who are not in these files any more${kept > 0 ? `; ${count(kept)} stay, because they have been active here` : ''}.`,
    ...(names.length > 0
      ? [
          `  ${isDryRun ? 'Would be removed' : 'Removed'}: ${names.join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}`,
        ]
      : []),
  ];
}

const REFUSED: Readonly<Record<string, string>> = {
  TOO_MANY: 'More users are missing than were confirmed. Nobody was removed.',
  OTHER_PERSONS:
    'Some rows have the ids of other persons here (OTHER_PERSON), so these files may be of another system. Nobody was removed. Decide about these rows, or leave out --delete-missing.',
  UNNAMED_LINES:
    'Some rows have no id, so missing users cannot be determined. Nobody was removed. Correct these rows (--rejects), or leave out --delete-missing.',
};

/** @throws {CliError} if more users are missing than were confirmed, or than a complete export would lack */
export function permittedRemovals(
  { matching: { deleteAtMost } }: ImportWork,
  { missing, verdicts }: ImportedRows,
): number {
  if (missing === undefined) return 0;
  if (missing.refused !== undefined && missing.refused !== 'TOO_MANY')
    throw new CliError(REFUSED[missing.refused] ?? missing.refused);
  const { removed } = missing;
  if (deleteAtMost !== undefined) {
    if (removed <= deleteAtMost) return removed;
    throw new CliError(
      `${counted(removed, 'user')} are missing in these files, more than --delete-at-most ${deleteAtMost}. Nothing was imported.`,
    );
  }
  if (removed <= verdicts.rows * MAX_MISSING_SHARE) return removed;
  throw new CliError(
    `${counted(removed, 'user')} of earlier imports are missing in these files, which have ${counted(verdicts.rows, 'row')}. Is the export complete? If it is, add --delete-at-most ${removed}. Nothing was imported.`,
  );
}

/** @throws {CliError} if the operator types another number of users */
export async function confirmRemovals(context: CommandContext, removals: number): Promise<void> {
  if (removals === 0) return;
  const question = `This removes ${counted(removals, 'user')}. Type their number to continue: `;
  await confirmOrStop(context, question, { typed: String(removals), otherwise: 'Nothing was imported.' });
}

interface ImportResult extends ImportedRows {
  tally: Tally;
  /** Number of rows left out as disabled, whose users may keep signing in. */
  stillActive: number;
  isDryRun: boolean;
  ms: number | undefined;
}

export function resultLines(
  { context: { terminal, flags } }: ImportWork,
  { importId, verdicts, written, missing, stillActive, tally, isDryRun, ms }: ImportResult,
): OutputLine[] {
  const name = terminal.paint.bold(isDryRun ? 'Dry run' : importId);
  const isLast = !isDryRun || flags.has('dry-run');
  const suggestsReport = isLast && verdicts.failed > 0 && !flags.has('report') && !flags.has('rejects');
  const sum = `${name}: ${counted(verdicts.rows, 'row')} = ${verdictSum(verdicts, written)}${suggestsReport ? ' (which failed, and why: --report FILE)' : ''}`;
  // With --json, stdout has the rest.
  if (terminal.isJson) return [sum];
  return [
    sum,
    ...reasonLines(verdicts),
    ...(written.disabled > 0
      ? [
          `  ${counted(written.disabled, 'user')} of earlier imports ${isDryRun ? 'would be' : written.disabled === 1 ? 'was' : 'were'} disabled, as in the old system.`,
        ]
      : []),
    ...(stillActive > 0 && !flags.has('disabled') ? [`  ${stillActiveText(stillActive)}`] : []),
    ...missingLines({ missing }, isDryRun),
    ...leftOut({ tally }),
    ...lastLines(importId, isDryRun, ms),
  ];
}

const lastLines = (importId: string, isDryRun: boolean, ms: number | undefined): OutputLine[] => [
  ...(ms === undefined ? [] : [`  It took ${durationText(ms)}.`]),
  isDryRun ? '  Nothing was written.' : shellCommand('  To undo it: ', ['user-import', 'rollback', importId]),
];

export function resultJson(
  { context: { flags }, prepared, service }: ImportWork,
  { importId, verdicts, written, missing, stillActive, tally, isDryRun, isResumed, ms }: ImportResult,
): object {
  return {
    importId,
    url: service.url,
    system: prepared.plan.source.name,
    dryRun: isDryRun,
    resumed: isResumed,
    ...verdicts.toJSON(),
    ...written,
    ...(missing !== undefined && { missing }),
    disabledButActive: stillActive,
    ...tallyJson(tally),
    advice: prepared.plan.advice,
    ms: Math.round(ms ?? 0),
    report: flags.text('report'),
    rejects: flags.text('rejects'),
  };
}
