import type { Tally } from '../../sources/pipeline/judge.ts';
import { leftOut, tallyJson } from '../plan/inspection-text.ts';
import type { ImportedRows } from '../rows/send-rows.ts';
import { reasonLines, verdictRows, verdictSum } from '../rows/verdict-counts.ts';
import { columns, counted, durationText, printable } from '../terminal/text.ts';
import { type ImportWork, missingLines, stillActiveText } from './import-checks.ts';

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
): string[] {
  const disabled = [
    ...(written.disabled > 0
      ? [
          `  ${counted(written.disabled, 'user')} of earlier imports ${isDryRun ? 'would be' : written.disabled === 1 ? 'was' : 'were'} disabled, as in the old system.`,
        ]
      : []),
    ...(stillActive > 0 ? [`  ${stillActiveText(stillActive)}`] : []),
  ];
  const sum = `${counted(verdicts.rows, 'row')} = ${verdictSum(verdicts, written)}`;
  const name = isDryRun ? 'Dry run' : importId;
  const isLast = !isDryRun || flags.has('dry-run');
  const suggestsReport = isLast && verdicts.failed > 0 && !flags.has('report') && !flags.has('rejects');
  if (!terminal.hasScreen)
    return [
      `${name}: ${sum}${suggestsReport ? ' (which failed, and why: --report FILE)' : ''}`,
      // With --json, stdout has the reasons of failures.
      ...(terminal.isJson
        ? []
        : [
            ...[...reasonLines(verdicts), ...disabled],
            ...[...missingLines({ missing }, isDryRun), ...leftOut({ tally })],
          ]),
    ];
  const files = ['report', 'rejects'].map((flag) => flags.text(flag as 'report' | 'rejects'));
  const [report, rejects] = isLast ? files : [];
  return [
    '',
    `${terminal.paint.bold(name)}: ${sum}${ms === undefined ? '' : `, in ${durationText(ms)}`}`,
    ...columns(verdictRows(verdicts, true)),
    ...(written.updated > 0
      ? [
          `  ${counted(written.updated, 'user')} existed, and ${isDryRun ? 'would get' : 'got'} the password of these files.`,
        ]
      : []),
    ...disabled,
    ...missingLines({ missing }, isDryRun),
    ...leftOut({ tally }),
    ...(report === undefined ? [] : [`  Result of each row: ${printable(report)}`]),
    ...(rejects === undefined || verdicts.failed === 0
      ? []
      : [`  Rows that failed, to correct and import: ${printable(rejects)}`]),
    ...(suggestsReport
      ? ['  Which rows failed, and why: the same command with --report FILE. Nothing is done twice.']
      : []),
    ...(isDryRun ? ['  Nothing was written.'] : [`  To undo it: user-import rollback ${importId}`]),
    '',
  ];
}

export function resultJson(
  { context: { flags }, prepared, addresses, parallel }: ImportWork,
  { importId, verdicts, written, missing, stillActive, tally, isDryRun, isResumed, ms }: ImportResult,
): object {
  return {
    importId,
    url: addresses.text,
    parallel,
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
