import { shownName } from '../fields/shown-name.ts';
import type { Advice, Question } from '../source.ts';

/** Maximum numbers of lines in the list of a question, and of names in a sentence. */
const MAX_LINES = 30;
const MAX_NAMES = 8;

/** Returns a question to the operator. Nobody is imported until the flag answers it. */
export const ask = (
  code: string,
  flag: string,
  lines: string | readonly string[],
  more: Pick<Question, 'columns' | 'tables'> = {},
): Advice => ({
  level: 'stop',
  text: [lines].flat().join('\n'),
  question: { code, flag, ...more },
});

/** Returns the first lines of a list, indented, and a line with the number of lines that were left out. */
export const firstLines = (lines: readonly string[]): string[] => [
  ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`),
  ...(lines.length > MAX_LINES ? [`  and ${lines.length - MAX_LINES} more`] : []),
];

/** Returns the first names of tables or columns as a part of a sentence. */
export function namesText(names: Iterable<string>, max = MAX_NAMES): string {
  const all = [...names];
  return all.slice(0, max).map(shownName).join(', ') + (all.length > max ? ', …' : '');
}

/** Lists what `--ignore-rest` has left out. Warns of salts, which the hashes may need. */
export function leftOutAs(what: 'columns' | 'members' | 'tables', names: readonly string[]): Advice {
  const more = names.length > MAX_LINES ? `, and ${names.length - MAX_LINES} more` : '';
  const salt = what === 'columns' ? names.find((name) => /salt/i.test(name)) : undefined;
  const ofSalt =
    salt === undefined
      ? ''
      : ` If the hashes were made with ${salt}, nobody can sign in without it: try the password of one person with user-import prove.`;
  return {
    level: salt === undefined ? 'note' : 'warn',
    text: `Left out by --ignore-rest, of the ${what}: ${names.slice(0, MAX_LINES).join(', ')}${more}.${ofSalt}`,
  };
}
