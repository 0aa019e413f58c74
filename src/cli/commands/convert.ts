import { newTally } from '../../sources/pipeline/judge.ts';
import { foreseeRealms } from '../../sources/pipeline/realms.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { checkOutcomePaths, type OutcomeFiles, openOutcomeFiles } from '../files/outcome-files.ts';
import { type Prepared, prepare, stopWhereAdvised } from '../plan/prepare.ts';
import { outcomeSum } from '../rows/outcome-text.ts';
import { Outcomes } from '../rows/outcomes.ts';
import { counted, printableJson } from '../terminal/text.ts';

/** Writes the import lines to stdout without calling a service. */
export const run: RunCommand = async (context) => {
  const { flags, terminal } = context;
  if (terminal.isResultShown && !flags.has('show'))
    throw new CliError(
      'The lines hold addresses and hashes: send them to a file (… > users.ndjson), or add --show to see them here.',
    );
  checkOutcomePaths(context, true);
  const prepared = await prepare(context);
  stopWhereAdvised(prepared.plan);
  if (foreseeRealms(prepared.plan) === 'open') await prepared.stopAtUnchosenRealms();
  await prepared.stopAtUnknownStates();
  const files = openOutcomeFiles(context, prepared.plan.source.name, true);
  let outcomes: Outcomes | undefined;
  try {
    outcomes = await convert(context, prepared, files);
    if (outcomes === undefined) {
      files.discard();
      return EXIT.ok;
    }
    files.finish();
  } catch (error) {
    files.discard();
    throw error;
  }
  terminal.say(`${counted(outcomes.rows, 'row')} = ${outcomeSum(outcomes)}`);
  return outcomes.failed > 0 ? EXIT.someFailed : EXIT.ok;
};

/**
 * Writes the lines and counts the outcomes. Resolves to undefined if the reader of stdout has closed the
 * pipe.
 * @throws {CliError} at the first user of a second realm. Lines of the first realm may have been written
 */
async function convert(
  { terminal }: CommandContext,
  prepared: Prepared,
  files: OutcomeFiles,
): Promise<Outcomes | undefined> {
  const outcomes = new Outcomes();
  const tally = newTally();
  const { settings } = prepared.plan;
  for await (const batch of prepared.convert(Date.now(), tally)) {
    // Counting the realms beforehand would read all files twice, although most exports have one realm.
    if (settings.realm === undefined && tally.realms.size > 1) await prepared.stopAtUnchosenRealms();
    let text = '';
    for (const row of batch) {
      if (row.line !== undefined) text += `${row.line}\n`;
      outcomes.add(row);
      files.add(row);
    }
    if (text !== '' && !(await terminal.result(terminal.isResultShown ? printableJson(text) : text)))
      return undefined;
  }
  return outcomes;
}
