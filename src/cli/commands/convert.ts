import { newTally } from '../../sources/pipeline/judge.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { checkVerdictPaths, openVerdictFiles, type VerdictFiles } from '../files/verdict-files.ts';
import { prepare, stopWhereAdvised } from '../plan/prepare.ts';
import { VerdictCounts } from '../rows/verdict-counts.ts';
import { verdictSum } from '../rows/verdict-text.ts';
import { counted, printableJson } from '../terminal/text.ts';

/** Writes the import lines to stdout without calling a service. */
export const run: RunCommand = async (context) => {
  const { flags, terminal } = context;
  if (terminal.isResultShown && !flags.has('show'))
    throw new CliError(
      'The lines hold addresses and hashes: send them to a file (… > users.ndjson), or add --show to see them here.',
    );
  checkVerdictPaths(context, true);
  const prepared = await prepare(context);
  stopWhereAdvised(prepared.plan);
  await prepared.stopAtUnknownStates();
  const files = openVerdictFiles(context, prepared.plan.source.name, true);
  let verdicts: VerdictCounts | undefined;
  try {
    verdicts = await convert(context, prepared.convert(Date.now(), newTally()), files);
    if (verdicts === undefined) {
      files.discard();
      return EXIT.ok;
    }
    files.finish();
  } catch (error) {
    files.discard();
    throw error;
  }
  terminal.say(`${counted(verdicts.rows, 'row')} = ${verdictSum(verdicts)}`);
  return verdicts.failed > 0 ? EXIT.someFailed : EXIT.ok;
};

/**
 * Writes the lines and counts the verdicts. Resolves to undefined if the reader of stdout has closed the
 * pipe.
 */
async function convert(
  { terminal }: CommandContext,
  batches: ReturnType<Awaited<ReturnType<typeof prepare>>['convert']>,
  files: VerdictFiles,
): Promise<VerdictCounts | undefined> {
  const verdicts = new VerdictCounts();
  for await (const batch of batches) {
    let text = '';
    for (const row of batch) {
      if (row.line !== undefined) text += `${row.line}\n`;
      verdicts.add(row);
      files.add(row);
    }
    if (text !== '' && !(await terminal.result(terminal.isResultShown ? printableJson(text) : text)))
      return undefined;
  }
  return verdicts;
}
