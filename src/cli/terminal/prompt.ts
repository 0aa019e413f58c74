import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Stopped } from '../stopped.ts';
import type { Terminal } from './terminal.ts';

/** What a shell says of a process that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Asks, and returns the line that is typed. @throws {Stopped} where Ctrl-C or the end of the input comes instead */
export function ask(terminal: Terminal, question: string): Promise<string> {
  return readLine(terminal, question, (text) => terminal.draw(text));
}

/**
 * As `ask`, without showing what is typed. Where the input is no terminal, its first line is taken, and nothing is asked.
 * @throws {Stopped} as `ask`
 */
export async function askSecret(terminal: Terminal, question: string): Promise<string> {
  if (!terminal.isInteractive) return readLine(terminal, '', () => {});
  const typed = await readLine(terminal, question, () => {});
  // The line break that was typed was not shown either.
  terminal.draw('\n');
  return typed;
}

export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const answer = await ask(terminal, `${question} [y/N] `);
  return /^y(?:es)?$/i.test(answer.trim());
}

function readLine(terminal: Terminal, question: string, echo: (text: string) => void): Promise<string> {
  // readline draws the prompt and what is typed on its output: that decides what is shown.
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
      reject(new Stopped('', { exitCode: INTERRUPTED }));
      lines.close();
    });
    // After a line it changes nothing.
    lines.once('close', () => reject(new Stopped('The input ended before an answer came.')));
  });
}
