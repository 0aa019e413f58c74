import type { Tally } from '../../sources/pipeline/tally.ts';
import { leftOut, tallyJson } from '../plan/inspection-text.ts';
import { nextSteps } from '../rows/next-steps.ts';
import type { ImportedRows } from '../rows/send-rows.ts';
import { reasonLines, verdictSum } from '../rows/verdict-counts.ts';
import { count, counted, durationText, linesOf, printable } from '../terminal/text.ts';
import { type OutputLine, shellCommand } from '../terminal/wrap.ts';
import type { ImportWork } from './run-rows.ts';

const MAX_NAMED = 20;

interface ImportResult extends ImportedRows {
  tally: Tally;
  /**
   * Number of rows that are left out as disabled, and whose users can still sign in here if an earlier import created
   * them.
   */
  stillActive: number;
  isDryRun: boolean;
  ms: number | undefined;
}

export const stillActiveText = (rows: number): string =>
  `${counted(rows, 'row')} ${rows === 1 ? 'is' : 'are'} left out because the old system has disabled the user. If an earlier import created some of them, they keep signing in here. To disable those, add --disabled keep, which also imports the others as disabled, or --match external-id; --disabled skip leaves all of them as they are.`;

export const REFUSED: Readonly<Record<string, string>> = {
  TOO_MANY: 'More users are missing than were confirmed. Nobody was removed.',
  OTHER_PERSONS:
    'Some rows have the ids of other persons here (OTHER_PERSON), so these files may be of another system. Nobody was removed. Decide about these rows, or leave out --delete-missing.',
  UNNAMED_LINES:
    'Some rows have no id, so missing users cannot be determined. Nobody was removed. Correct these rows (--rejects), or leave out --delete-missing.',
};

/** Returns the beginning of a sentence: `284 users of earlier imports were`. */
const earlier = (users: number, isDryRun: boolean) =>
  `  ${counted(users, 'user')} of earlier imports ${isDryRun ? 'would be' : users === 1 ? 'was' : 'were'}`;

/** Returns text about missing users: users of earlier imports whom no row names. */
function missingLines({ missing, isDryRun }: ImportResult): string[] {
  if (missing === undefined) return [];
  const { found, removed, kept, refused, named } = missing;
  if (refused !== undefined) return [`  ${REFUSED[refused] ?? refused}`];
  if (found === 0) return ['  No user of earlier imports is missing in these files.'];
  const stay = kept > 0 ? `; ${count(kept)} stay, because they have been active here` : '';
  const listed = (title: string, ids: readonly string[], number: number) => {
    const names = ids.slice(0, MAX_NAMED).map(printable);
    const rest = number > names.length ? ` and ${count(number - names.length)} more` : '';
    return names.length > 0 && `  ${title}: ${names.join(', ')}${rest}`;
  };
  return linesOf(
    `${earlier(removed, isDryRun)} removed, who are not in these files any more${stay}.`,
    listed(isDryRun ? 'Would be removed' : 'Removed', named.removed, removed),
    listed('Keep signing in', named.kept, kept),
    kept > 0 && '  user-import delete ID removes one.',
  );
}

export function resultLines(
  { context: { terminal, flags }, prepared, options }: ImportWork,
  result: ImportResult,
): OutputLine[] {
  const { importId, verdicts, written, stillActive, tally, isDryRun, ms } = result;
  const name = terminal.paint.bold(isDryRun ? 'Dry run' : importId);
  const isLast = !isDryRun || flags.has('dry-run');
  const suggestsReport = isLast && verdicts.failed > 0 && !flags.has('report') && !flags.has('rejects');
  const sum = `${name}: ${counted(verdicts.rows, 'row')} = ${verdictSum(verdicts, written)}${suggestsReport ? ' (which failed, and why: --report FILE)' : ''}`;
  // With --json, everything else is in the JSON on stdout.
  if (terminal.isJson) return [sum];
  const { disabled } = written;
  return [
    ...linesOf(
      sum,
      reasonLines(verdicts),
      disabled > 0 && `${earlier(disabled, isDryRun)} disabled, as in the old system.`,
      stillActive > 0 && !flags.has('disabled') && `  ${stillActiveText(stillActive)}`,
      missingLines(result),
      leftOut(tally),
      ms !== undefined && `  It took ${durationText(ms)}.`,
    ),
    isDryRun
      ? '  Nothing was written.'
      : shellCommand('  To undo it: ', ['user-import', 'rollback', importId]),
    ...nextSteps(verdicts, prepared.plan.source, options),
  ];
}

export function resultJson(
  { context: { flags }, prepared, service }: ImportWork,
  { importId, verdicts, written, missing, stillActive, tally, isDryRun, isResumed, ms }: ImportResult,
): object {
  return {
    ...{ importId, url: service.url, system: prepared.plan.source.name },
    ...{ dryRun: isDryRun, resumed: isResumed, ...verdicts.toJSON(), ...written },
    ...(missing !== undefined && { missing }),
    ...{ disabledButActive: stillActive, ...tallyJson(tally), advice: prepared.plan.advice },
    ...{ ms: Math.round(ms ?? 0), report: flags.text('report'), rejects: flags.text('rejects') },
  };
}
