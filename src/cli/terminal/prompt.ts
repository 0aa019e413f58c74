import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import type { Terminal } from './terminal.ts';

/** Exit code that shells use for Ctrl-C. */
const INTERRUPTED = 130;

/**
 * Asks for a secret and does not show what is typed. Input that is no terminal is read without asking.
 * @throws {CliError} on Ctrl-C or if the input ends
 */
export async function askSecret(terminal: Terminal, question: string): Promise<string> {
  const typed = await ask(terminal, terminal.isInteractive ? question : '', false);
  // The typed line break was hidden, too, so one is drawn.
  if (terminal.isInteractive) terminal.draw('\n');
  return typed;
}

/**
 * Asks for a yes, or for the text `typed`. With --yes, it does not ask.
 * @throws {CliError} if the operator gives another answer, or stdin is not a terminal
 */
export async function confirmOrStop(
  { flags, terminal }: Pick<CommandContext, 'flags' | 'terminal'>,
  question: string,
  { typed, otherwise = 'Nothing was changed.' }: { typed?: string; otherwise?: string } = {},
): Promise<void> {
  if (flags.has('yes')) return;
  requireTerminal({ flags, terminal });
  const answer = (await ask(terminal, typed === undefined ? `${question} [y/N] ` : question, true)).trim();
  if (typed === undefined ? /^y(?:es)?$/i.test(answer) : answer === typed) return;
  throw new CliError(typed === undefined ? otherwise : `That is not ${typed}. ${otherwise}`);
}

/** @throws {CliError} if a question cannot be asked because stdin is not a terminal, unless --yes answers it */
export function requireTerminal(
  { flags, terminal }: Pick<CommandContext, 'flags' | 'terminal'>,
  orElse = '',
): void {
  if (flags.has('yes') || terminal.isInteractive) return;
  throw new CliError(
    `Standard input is not a terminal, so this cannot be confirmed. Add --yes to continue${orElse}.`,
  );
}

/** @throws {CliError} on Ctrl-C or if the input ends */
async function ask(terminal: Terminal, question: string, isEchoed: boolean): Promise<string> {
  // readline writes what is typed to its output, which shows it only if `isEchoed`.
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isEchoed) terminal.draw(String(chunk));
      done();
    },
  });
  const lines = createInterface({
    ...{ input: terminal.stdin, output, terminal: terminal.isInteractive },
    ...{ historySize: 0, prompt: '' },
  });
  if (question !== '') terminal.draw(question);
  const first = async (event: string) => ({ event, line: String((await once(lines, event))[0]) });
  try {
    const { event, line } = await Promise.race(['line', 'SIGINT', 'close'].map(first));
    if (event === 'line') return line;
    if (event === 'SIGINT') terminal.draw('\n');
    throw event === 'SIGINT' ? new CliError('', INTERRUPTED) : new CliError(ENDED);
  } finally {
    lines.close();
  }
}

const ENDED =
  'The input ended before an answer was given. Run it again, and answer the question or pipe the answer in. With --yes, commands that have this flag ask nothing.';
