import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CliError } from '../cli-error.ts';
import type { Terminal } from './terminal.ts';

/** Exit code that shells use for Ctrl-C. */
const INTERRUPTED = 130;

/** @throws {CliError} on Ctrl-C or if the input ends */
export function ask(terminal: Terminal, question: string): Promise<string> {
  return readLine(terminal, question, (text) => terminal.draw(text));
}

/**
 * Asks for a secret and does not show what is typed. Input that is no terminal is read without asking.
 * @throws {CliError} on Ctrl-C or if the input ends
 */
export async function askSecret(terminal: Terminal, question: string): Promise<string> {
  if (!terminal.isInteractive) return readLine(terminal, '', () => {});
  const typed = await readLine(terminal, question, () => {});
  // The typed line break was hidden, too.
  terminal.draw('\n');
  return typed;
}

export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const answer = await ask(terminal, `${question} [y/N] `);
  return /^y(?:es)?$/i.test(answer.trim());
}

function readLine(terminal: Terminal, question: string, echo: (text: string) => void): Promise<string> {
  // readline writes what is typed to its output.
  const output = new Writable({
    write(chunk, _encoding, done) {
      echo(String(chunk));
      done();
    },
  });
  const isTerminal = terminal.isInteractive;
  const lines = createInterface({
    input: terminal.stdin,
    output,
    terminal: isTerminal,
    historySize: 0,
    prompt: '',
  });
  if (question !== '') terminal.draw(question);
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => {
      terminal.draw('\n');
      reject(new CliError('', { exitCode: INTERRUPTED }));
      lines.close();
    });
    // After a line was typed, the promise is settled, and this rejection has no effect.
    lines.once('close', () =>
      reject(
        new CliError(
          'The input ended before an answer was given. Run it again, and answer the question or pipe the answer in. With --yes, commands that have this flag ask nothing.',
        ),
      ),
    );
  });
}
