import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { hasErrno } from '../../lib/errors.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import { CliError, EXIT, writeError } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { STDOUT, WholeFile } from '../files/whole-file.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { callService } from '../service-client/call-service.ts';
import { type ExportEnd, readExport } from '../service-client/read-export.ts';
import { ServiceProblem } from '../service-client/service-problem.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { bytesText, counted } from '../terminal/text.ts';

/** Default of --timeout. Before the service sends users with several logins, its database sorts them. */
const TIMEOUT = '10m';

/** Saves all users of the service in a file, which appears only if it is complete. */
export const run: RunCommand = async (context) => {
  const { words, flags, terminal } = context;
  const [path, ...more] = words;
  if (path === undefined || more.length > 0)
    throw new CliError('Name one file for the users, or - for standard output.');
  const timeoutMs = flags.ms('timeout', TIMEOUT);
  const service = readServiceAddress(context, 'all hashes');
  const output = path === STDOUT ? toStdout(context) : toFile(context, path);
  const beganAtMs = performance.now();
  const line = new ProgressLine(terminal, 'exporting', (users) => counted(users, 'user'));
  let bytes = 0;
  const total = terminal.hasScreen ? await userCount(service) : undefined;
  let end: ExportEnd | undefined;
  const lines = readExport(service, {
    withoutFactors: flags.has('without-factors'),
    timeoutMs,
    onUsers: (users) =>
      line.update(() => ({
        amount: users,
        share: total && Math.min(1, users / total),
        others: [bytesText(bytes)],
      })),
  });
  async function* blocks(): AsyncGenerator<Buffer> {
    for (;;) {
      const next = await lines.next();
      if (next.done === true) {
        end = next.value;
        return;
      }
      bytes += next.value.length;
      yield next.value;
    }
  }
  try {
    const packed = flags.has('gzip') ? [createGzip()] : [];
    await pipeline([Readable.from(blocks()), ...packed, output.stream]);
    output.finish();
  } catch (error) {
    output.discard();
    // The program that reads stdout has closed the pipe.
    if (path === STDOUT && hasErrno(error, 'EPIPE')) return EXIT.ok;
    throw withAdvice(error, path);
  } finally {
    line.clear();
    await lines.return({ users: 0, sha256: '' });
  }
  const ms = Math.round(performance.now() - beganAtMs);
  if (end === undefined) throw new Error('an export has no end');
  const { users, sha256 } = end;
  terminal.say(
    `${path === STDOUT ? 'Complete' : path}: ${counted(users, 'user')}, ${bytesText(bytes)}, SHA-256 ${sha256}`,
  );
  if (terminal.isJson && path !== STDOUT)
    await terminal.result(`${JSON.stringify({ file: path, users, sha256, bytes, ms })}\n`);
  if (path !== STDOUT) terminal.next(`user-import convert --to TARGET --out DIRECTORY ${shellWord(path)}`);
  return EXIT.ok;
};

/** Returns undefined if the key may not count users. */
async function userCount(service: ServiceAddress): Promise<number | undefined> {
  const answer = await callService(service, '/users/count').catch(() => undefined);
  return Number(answer?.count) || undefined;
}

interface Output {
  stream: Writable;
  finish(): void;
  discard(): void;
}

function toStdout({ flags, terminal, io: { stdout } }: CommandContext): Output {
  if (terminal.isJson)
    throw new CliError('--json: the users go to stdout, so the result cannot go there, too. Name a file.');
  if (terminal.isResultShown && !flags.has('show'))
    throw new CliError(
      'The lines hold addresses and hashes: send them to a file, or add --show to see them here.',
    );
  const stream = new Writable({ write: (bytes, _encoding, done) => void stdout.write(bytes, done) });
  return { stream, finish() {}, discard() {} };
}

function toFile({ flags }: CommandContext, path: string): Output {
  const file = new WholeFile(path, { replaces: flags.has('force') });
  const stream = new Writable({
    write(bytes, _encoding, done) {
      try {
        file.writeBytes(bytes);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  return { stream, finish: () => file.finish(), discard: () => file.discard() };
}

function withAdvice(error: unknown, path: string): unknown {
  if (!(error instanceof ServiceProblem)) return path === STDOUT ? writeError('stdout', error) : error;
  if (error.code === 'NOT_FOUND')
    return new CliError(
      'The service has no exports: it is older than this tool, or something else answers. (--url)',
    );
  if (error.retry === 'never') return error;
  const state = path === STDOUT ? 'The output is incomplete' : `${path} was not written`;
  return new CliError(`${error.message} ${state}: run the command again.`, { cause: error });
}
