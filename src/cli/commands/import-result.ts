import type { Tally } from '../../sources/pipeline/tally.ts';
import { leftOut, tallyJson } from '../plan/inspection-text.ts';
import type { ImportedRows } from '../rows/send-rows.ts';
import { reasonLines, verdictSum } from '../rows/verdict-counts.ts';
import { counted, durationText } from '../terminal/text.ts';
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
    ...(stillActive > 0 ? [`  ${stillActiveText(stillActive)}`] : []),
    ...missingLines({ missing }, isDryRun),
    ...leftOut({ tally }),
    ...lastLines(importId, isDryRun, ms),
  ];
}

const lastLines = (importId: string, isDryRun: boolean, ms: number | undefined): string[] => [
  ...(ms === undefined ? [] : [`  It took ${durationText(ms)}.`]),
  isDryRun ? '  Nothing was written.' : `  To undo it: user-import rollback ${importId}`,
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
