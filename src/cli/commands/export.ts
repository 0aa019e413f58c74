import { hasErrno } from '../../lib/errors.ts';
import { CliError, EXIT, writeError } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { WholeFile } from '../files/whole-file.ts';
import { readServiceAddress } from '../options/service-options.ts';
import { callService } from '../service-client/call-service.ts';
import { readExport } from '../service-client/read-export.ts';
import { ServiceProblem } from '../service-client/service-problem.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { bytesText, counted } from '../terminal/text.ts';

/**
 * Default of --timeout. It is long because the database sorts users with several logins before the service sends them.
 */
const TIMEOUT = '10m';

/** Saves all users of the service in a file, which appears only if it is complete. */
export const run: RunCommand = async (context) => {
  const { words, flags, terminal, io } = context;
  const [path = ''] = words;
  const isStdout = path === '-';
  const timeoutMs = flags.ms('timeout', TIMEOUT);
  const service = readServiceAddress(context);
  if (isStdout) checkStdout(context);
  const file = isStdout ? undefined : new WholeFile(path, flags.has('force'));
  const beganAtMs = performance.now();
  const line = new ProgressLine(terminal, 'exporting', (number) => counted(number, 'user'));
  // The API key may lack the right to count users. Then no share is shown.
  const counting = terminal.hasScreen ? callService(service, '/users/count') : undefined;
  const total = Number((await counting?.catch(() => undefined))?.count) || undefined;
  let bytes = 0;
  const write = async (block: Buffer, amount: number) => {
    bytes += block.length;
    if (file === undefined)
      await new Promise<void>((resolve, reject) => {
        io.stdout.write(block, (error) => (error ? reject(error) : resolve()));
      });
    else file.writeBytes(block);
    const share = total && Math.min(1, amount / total);
    line.update(() => ({ amount, share, others: [bytesText(bytes)] }));
  };
  try {
    const withoutFactors = flags.has('without-factors');
    const { users, sha256 } = await readExport(service, { withoutFactors, timeoutMs, write });
    file?.finish();
    terminal.say(
      `${isStdout ? 'Complete' : path}: ${counted(users, 'user')}, ${bytesText(bytes)}, SHA-256 ${sha256}`,
    );
    const ms = Math.round(performance.now() - beganAtMs);
    if (terminal.isJson)
      await terminal.result(`${JSON.stringify({ file: path, users, sha256, bytes, ms })}\n`);
    if (!isStdout) terminal.next(['user-import', 'convert', '--to', 'TARGET', '--out', 'DIRECTORY', path]);
    return EXIT.ok;
  } catch (error) {
    file?.discard();
    // The program that reads stdout has closed the pipe.
    if (isStdout && hasErrno(error, 'EPIPE')) return EXIT.ok;
    if (!(error instanceof ServiceProblem)) throw isStdout ? writeError('stdout', error) : error;
    if (error.retry === 'never') throw error;
    const state = isStdout ? 'The output is incomplete' : `${path} was not written`;
    throw new CliError(`${error.message} ${state}: run the command again.`);
  }
};

function checkStdout({ flags, terminal }: CommandContext): void {
  if (terminal.isJson)
    throw new CliError('--json: the users go to stdout, so the result cannot go there, too. Name a file.');
  if (terminal.isResultShown && !flags.has('show'))
    throw new CliError(
      'The lines hold addresses and hashes: send them to a file, or add --show to see them here.',
    );
}
