import stringWidth from 'string-width';
import { shellWord } from '../../lib/text/shell-word.ts';

/** Continuations start at the last column of a line if it begins within this share of the width. */
const MAX_HANG = 0.6;
/** An argument within prose that is in quotes, with its flag. */
const QUOTED = /(?:--[\w-]+ )?(?<=[ (]|^)'(?:[^']|'\\'')*'|--[\w-]+ "[^"]*"/g;

/** Text, or a command that people paste. */
export type OutputLine = string | ShellCommand;

export interface ShellCommand {
  /** Text before the command: `Next: `. */
  lead: string;
  /** Shell text, between whose parts a line may break. */
  parts: readonly string[];
}

/** Returns the command with these arguments, of which a flag stays with its value. */
export function shellCommand(lead: string, args: readonly string[]): ShellCommand {
  const parts: string[] = [];
  for (const [index, arg] of args.entries()) {
    const isValue = args[index - 1]?.startsWith('--') && !arg.startsWith('-');
    const word = isValue ? `${parts.pop()} ${shellWord(arg)}` : shellWord(arg);
    parts.push(word);
  }
  return { lead, parts };
}

/** Returns the command with these arguments in one piece. */
export const commandText = (args: readonly string[]): string => args.map(shellWord).join(' ');

/** Returns the flag with its value as arguments. A value that begins with a dash would be the next flag. */
export const flagArguments = (name: string, value: string): string[] =>
  value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value];

/** Returns the name of a file as an argument. One that begins with a dash would be a flag. */
export const fileArgument = (path: string): string =>
  path.startsWith('-') && path !== '-' ? `./${path}` : path;

/**
 * Wraps at the width of the terminal. No word is broken. A continuation of text starts below the last column of its line;
 * two spaces divide columns. Commands are continued with a backslash, so that they can be pasted.
 */
export function wrap(line: OutputLine, width: number): string {
  if (typeof line !== 'string') return fillCommand(line, width - 2);
  return line
    .split('\n')
    .map((one) => (stringWidth(one) <= width ? one : wrapLine(one, width)))
    .join('\n');
}

function fillCommand({ lead, parts }: ShellCommand, width: number): string {
  const next = `${/^ */.exec(lead)?.[0]}    `;
  let text = lead;
  for (const [index, part] of parts.entries()) {
    const [last = '', first = ''] = [text.slice(text.lastIndexOf('\n') + 1), part.split('\n', 1)[0]];
    const isFull = stringWidth(last) + 1 + stringWidth(first) > width;
    text += index === 0 ? part : isFull ? ` \\\n${next}${part}` : ` ${part}`;
  }
  return text;
}

function wrapLine(line: string, width: number): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const head = /^(?:.*\S {2,}| *(?:\d+\.|-) | +)/.exec(line)?.[0] ?? '';
  const hang = stringWidth(head);
  const [first, next] = hang > width * MAX_HANG ? [indent, `${indent}  `] : [head, ' '.repeat(hang)];
  return fill(wordsOf(line.slice(first.length)), { first, next, width }).join('\n');
}

/** A space within quotes must not become a line break. */
const wordsOf = (text: string): string[] =>
  text
    .replace(QUOTED, (value) => value.replaceAll(' ', '\0'))
    .split(' ')
    .map((word) => word.replaceAll('\0', ' '));

function fill(
  words: readonly string[],
  { first, next, width }: { first: string; next: string; width: number },
): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of words) {
    if (!isEmpty && stringWidth(line) + 1 + stringWidth(word) > width) {
      lines.push(line.trimEnd());
      line = next;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line.trimEnd()];
}
