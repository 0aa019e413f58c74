import stringWidth from 'string-width';
import { shellWord } from '../../lib/text/shell-word.ts';

/**
 * Continued lines begin below the last column of their line, unless that column begins beyond this share of the width.
 */
const MAX_HANG = 0.6;
/** Arguments in quotes within a text, with their flags. Lines do not break at their spaces. */
const QUOTED = /(?:--[\w-]+ )?(?<=[ (]|^)'(?:[^']|'\\'')*'|--[\w-]+ "[^"]*"/g;

/** Text, or a command that people paste. */
export type OutputLine = string | ShellCommand;

export interface ShellCommand {
  /** Text before the command: `Next: `. */
  lead: string;
  /** Parts of the command, as shell text. Lines break only between parts. */
  parts: readonly string[];
}

/** Returns the command with these arguments. A flag and its value are one part, so that no line breaks between them. */
export function shellCommand(lead: string, args: readonly string[]): ShellCommand {
  const parts: string[] = [];
  for (const [index, arg] of args.entries()) {
    const isValue = args[index - 1]?.startsWith('--') && !arg.startsWith('-');
    const word = isValue ? `${parts.pop()} ${shellWord(arg)}` : shellWord(arg);
    parts.push(word);
  }
  return { lead, parts };
}

/** Returns the command with these arguments as one line of shell text. */
export const commandText = (args: readonly string[]): string => args.map(shellWord).join(' ');

/**
 * Returns the flag with its value as arguments. A value that begins with a dash needs `=`; otherwise it would be the
 * next flag.
 */
export const flagArguments = (name: string, value: string): string[] =>
  value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value];

/**
 * Returns the name of a file as an argument. A name that begins with a dash needs `./`; otherwise it would be a flag.
 */
export const fileArgument = (path: string): string =>
  path.startsWith('-') && path !== '-' ? `./${path}` : path;

/**
 * Wraps a line at the width of the terminal. No word is broken. If the line has columns, which are divided by two
 * spaces, its continuation begins below the last one. Commands are continued with a backslash, so that they can be
 * pasted.
 */
export function wrap(line: OutputLine, width: number): string {
  if (typeof line !== 'string') {
    const next = `${/^ */.exec(line.lead)?.[0]}    `;
    return fill(line.parts, { first: line.lead, next, end: ' \\', width: width - 2 });
  }
  return line
    .split('\n')
    .map((one) => (stringWidth(one) <= width ? one : wrapLine(one, width)))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const head = /^(?:.*\S {2,}| *(?:\d+\.|-) | +)/.exec(line)?.[0] ?? '';
  const hang = stringWidth(head);
  const [first, next] = hang > width * MAX_HANG ? [indent, `${indent}  `] : [head, ' '.repeat(hang)];
  // A space within quotes must not become a line break.
  const words = line
    .slice(first.length)
    .replace(QUOTED, (value) => value.replaceAll(' ', '\0'))
    .split(' ')
    .map((word) => word.replaceAll('\0', ' '));
  return fill(words, { first, next, end: '', width }).replace(/ +$/gm, '');
}

/** Joins words with spaces, and with line breaks where a line would become too wide. A word may contain line breaks. */
function fill(
  words: readonly string[],
  { first, next, end, width }: { first: string; next: string; end: string; width: number },
): string {
  let text = first;
  let column = stringWidth(first);
  for (const [index, word] of words.entries()) {
    const lines = word.split('\n');
    const isFull = index > 0 && column + 1 + stringWidth(lines[0] ?? '') > width;
    const between = index === 0 ? '' : isFull ? `${end}\n${next}` : ' ';
    text += between + word;
    const start = lines.length > 1 ? 0 : isFull ? next.length : column + between.length;
    column = start + stringWidth(lines.at(-1) ?? '');
  }
  return text;
}
