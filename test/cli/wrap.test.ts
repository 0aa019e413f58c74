import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { rollbackText } from '../../src/cli/commands/rollback.ts';
import { COMMANDS, commandHelp, generalHelp } from '../../src/cli/commands.ts';
import { columns } from '../../src/cli/terminal/text.ts';
import { wrap } from '../../src/cli/terminal/wrap.ts';

const NEXT =
  "Next: user-import import kunden.csv --map id=Kundennr,email=E-Mail,hash=Passwort --active 'Gesperrt seit is null' --keep plan";

const TEXTS: Readonly<Record<string, string>> = {
  'general help': generalHelp(),
  ...Object.fromEntries(Object.entries(COMMANDS).map(([name, one]) => [name, commandHelp(name, one)])),
  'a message':
    'Standard input is not a terminal, so the import cannot be confirmed. Add --yes to import, or --dry-run.',
  'a rollback': rollbackText('toy-1', { usersRemoved: 284, usersKept: 2, hashesRestored: 4, hashesKept: 1 }),
  'a command': NEXT,
  'a numbered question':
    '  1. Nothing shows who may sign in with this table, so nobody is imported. Say it with --active RULE.',
};

describe.each([60, 80, 140])('at %i columns', (width) => {
  it.each(Object.entries(TEXTS))('%s fits, and no word is broken', (_, text) => {
    const wrapped = wrap(text, width);
    const wordsOf = (one: string) => one.replaceAll(' \\\n', '\n').split(/\s+/);
    expect(wordsOf(wrapped)).toEqual(wordsOf(text));
    const wide = wrapped.split('\n').filter((line) => stringWidth(line) > width);
    expect(wide.filter((line) => line.trim().includes(' ') && !/ {4}\S+$/.test(line))).toEqual([]);
  });
});

it('continues a line below its last column', () => {
  const [line = ''] = columns([['NO_EMAIL', 'people sign in here by address: give them one']]);
  expect(wrap(line, 40)).toBe('  NO_EMAIL  people sign in here by\n            address: give them one');
});

it('continues a command so that it can be pasted, and never within quotes', () => {
  expect(wrap(NEXT, 80)).toBe(
    [
      'Next: user-import import kunden.csv \\',
      '    --map id=Kundennr,email=E-Mail,hash=Passwort \\',
      "    --active 'Gesperrt seit is null' --keep plan",
    ].join('\n'),
  );
});

it('aligns columns by what a terminal shows', () => {
  expect(
    columns([
      ['利用者.csv', '1'],
      ['users.csv', '20'],
    ]),
  ).toEqual(['  利用者.csv   1', '  users.csv   20']);
});

it('says what a rollback did in words', () => {
  expect(rollbackText('toy-1', { usersRemoved: 284, usersKept: 2 })).toBe(
    'Rolled back toy-1: 284 removed, 2 kept (they signed in or were changed since).\n',
  );
});
