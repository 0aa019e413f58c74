import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { FLAG_NAMES, flagOf } from '../../src/cli/options/flags.ts';

const manual = readFileSync(new URL('../../docs/user-import.md', import.meta.url), 'utf8');
/** The first cells of rows of tables, in the order of the manual. */
const cells = [...manual.matchAll(/^\| `([^`]+)`(?:, `-(\w)`)? \|/gm)].map(([, text = '', short]) => ({
  words: text.replaceAll('\\|', '|').split(' '),
  short,
}));

it('the manual has every flag as it is, and no other', () => {
  const told = cells.filter(({ words }) => words[0]?.startsWith('--'));
  const flags = told.map(({ words: [name, ...value], short }) => [name, value.join(' '), short]);
  expect(flags.sort()).toEqual(
    FLAG_NAMES.map((name) => {
      const { value = '', short } = flagOf(name);
      return [`--${name}`, value, short];
    }).sort(),
  );
});

it('the manual has every command, and no other', () => {
  const commands = cells.map(({ words }) => words[0] ?? '').filter((word) => !word.startsWith('--'));
  expect(commands).toEqual(Object.keys(COMMANDS));
});
