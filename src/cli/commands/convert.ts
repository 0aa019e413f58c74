import { createHash } from 'node:crypto';
import { adviceOnRows } from '../../sources/pipeline/user-advice.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { openVerdictFiles, type VerdictFiles } from '../files/verdict-files.ts';
import { TARGET_FLAGS } from '../options/flags.ts';
import { type Prepared, prepare, sayAdvice } from '../plan/prepare.ts';
import { reasonLines, VerdictCounts, verdictSum } from '../rows/verdict-counts.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { counted, printableJson } from '../terminal/text.ts';

/** Converts an export to import lines and writes them to stdout, without calling a service. */
export const run: RunCommand = async (context) => {
  const { flags, terminal } = context;
  if (flags.has('to')) return (await import('./convert-to.ts')).run(context);
  const stray = [...TARGET_FLAGS, 'json' as const].find((flag) => flags.has(flag));
  if (stray !== undefined) throw new CliError(`--${stray} needs --to.`);
  if (terminal.isResultShown && !flags.has('show'))
    throw new CliError(
      'The lines hold addresses and hashes: send them to a file (… > users.ndjson), or add --show to see them here.',
    );
  const prepared = await prepare(context);
  await prepared.stopAtQuestions('users');
  const { plan, source } = prepared;
  const { tally, rows } = await prepared.load();
  // The lines may be imported without any run of `inspect`, so warnings are shown here.
  sayAdvice(terminal, [...plan.advice, ...adviceOnRows(tally, source, { plan, rows })], false);
  const files = openVerdictFiles(context, plan.source.name);
  const verdicts = await convert(context, prepared, files);
  if (verdicts === undefined) return EXIT.ok;
  files.finish();
  terminal.say(`${counted(verdicts.rows, 'row')} = ${verdictSum(verdicts)}`);
  for (const line of reasonLines(verdicts)) terminal.say(line);
  terminal.next(['user-import', 'import', 'FILE'], 'with the file of these lines');
  return verdicts.failed > 0 ? EXIT.someFailed : EXIT.ok;
};

/**
 * Writes the import lines, and then the last line that `export` writes, too. It states the number of users, so that a
 * reader notices missing lines. Resolves to undefined if the program that reads stdout has closed the pipe.
 */
async function convert(
  { terminal }: CommandContext,
  prepared: Prepared,
  files: VerdictFiles,
): Promise<VerdictCounts | undefined> {
  const verdicts = new VerdictCounts();
  const digest = createHash('sha256');
  const write = (text: string) => terminal.result(terminal.isResultShown ? printableJson(text) : text);
  const loaded = await prepared.load();
  const line = new ProgressLine(terminal, 'converting', (rows) => counted(rows, 'row'));
  for await (const batch of loaded.verdicts()) {
    line.update(() => ({ amount: verdicts.rows, share: verdicts.rows / Math.max(1, loaded.rows) }));
    let text = '';
    for (const row of batch) {
      if (row.line !== undefined) text += `${row.line}\n`;
      verdicts.add(row);
      files.add(row);
    }
    digest.update(text);
    if (text !== '' && !(await write(text))) return undefined;
  }
  const end = { export: { users: verdicts.of('import'), sha256: digest.digest('hex') } };
  return (await write(`${JSON.stringify(end)}\n`)) ? verdicts : undefined;
}
