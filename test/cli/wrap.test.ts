import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { rollbackText } from '../../src/cli/commands/rollback.ts';
import { COMMANDS, commandHelp, generalHelp } from '../../src/cli/commands.ts';
import { columns } from '../../src/cli/terminal/text.ts';
import { type OutputLine, shellCommand, wrap } from '../../src/cli/terminal/wrap.ts';

const isText = (line: OutputLine): line is string => typeof line === 'string';

const TEXTS: Readonly<Record<string, string>> = {
  'general help': generalHelp(),
  ...Object.fromEntries(
    Object.entries(COMMANDS).map(([name, one]) => [name, commandHelp(name, one).filter(isText).join('\n')]),
  ),
  'a message':
    'Standard input is not a terminal, so the import cannot be confirmed. Add --yes to import, or --dry-run.',
  'a rollback': rollbackText('toy-1', {
    usersRemoved: 284,
    usersKept: 2,
    hashesRestored: 4,
    hashesKept: 1,
  }).join('\n'),
  'a numbered question':
    '  1. Nothing shows who may sign in with this table, so nobody is imported. Say it with --active RULE.',
};

const WIDTHS = [60, 80, 140];

describe.each(WIDTHS)('at %i columns', (width) => {
  it.each(Object.entries(TEXTS))('%s fits, and no word is broken', (_, text) => {
    const wrapped = wrap(text, width);
    expect(wrapped.split(/\s+/)).toEqual(text.split(/\s+/));
    const wide = wrapped.split('\n').filter((line) => stringWidth(line) > width);
    expect(wide.filter((line) => line.trim().includes(' ') && !/ {4}\S+$/.test(line))).toEqual([]);
  });

  it('a command arrives as it was, whatever its arguments', () => {
    const char = fc.constantFrom(...'ab-"\'\\#$`!*~= \n\t\r\u001b\u202e…é利😀&;|(');
    const arg = fc.oneof(fc.string({ unit: char, maxLength: 90 }), fc.string({ unit: 'binary' }));
    const args = fc.array(arg.filter((one) => !one.includes('\0') && one.isWellFormed()));
    fc.assert(
      fc.property(fc.array(args, { minLength: 20, maxLength: 20 }), (commands) => {
        const script = commands.map((one) => wrap(shellCommand('printf ', ['[%s]\\0', 'x', ...one]), width));
        const read = execFileSync('bash', ['-c', script.join('\n')], { encoding: 'utf8' });
        expect(read).toBe(commands.map((one) => ['x', ...one].map((arg) => `[${arg}]\0`).join('')).join(''));
      }),
      { numRuns: 20 },
    );
  });
});

it('continues a line below its last column', () => {
  const [line = ''] = columns([['NO_EMAIL', 'people sign in here by address: give them one']]);
  expect(wrap(line, 40)).toBe('  NO_EMAIL  people sign in here by\n            address: give them one');
});

it('continues a command so that it can be pasted, and never within an argument', () => {
  const query = "select 'a' || ' ' -- the name\nfrom users";
  const args = ['user-import', 'import', 'kunden.csv', '--map', 'id=Kundennr,email=E-Mail,hash=Passwort'];
  expect(wrap(shellCommand('Next: ', [...args, '--query', query, '--keep', 'plan']), 60)).toBe(
    [
      'Next: user-import import kunden.csv \\',
      '    --map id=Kundennr,email=E-Mail,hash=Passwort \\',
      "    --query 'select '\\''a'\\'' || '\\'' '\\'' -- the name",
      "from users' --keep plan",
    ].join('\n'),
  );
});

it('does not break an argument in quotes within a text', () => {
  expect(wrap("Say who may sign in: --active 'Gesperrt seit is null'.", 40)).toBe(
    "Say who may sign in:\n--active 'Gesperrt seit is null'.",
  );
  expect(wrap('Join the other table: --query "select 1 from a".', 40)).toBe(
    'Join the other table:\n--query "select 1 from a".',
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
  expect(rollbackText('toy-1', { usersRemoved: 284, usersKept: 2 })).toEqual([
    'Rolled back toy-1: 284 removed, 2 kept (they signed in or were changed since).',
  ]);
});
