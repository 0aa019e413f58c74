import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from '../../../src/lib/text/shell-word.ts';

it.each([
  'users',
  'a b',
  '$(touch x)',
  "it's",
  "''",
  '`id`;id',
  '"$HOME"',
  '*',
  '~',
  '',
  'ä\nb',
  '!x',
  '-n',
  '\u001b[31m',
  "\\t'\r\n\t",
  '\u202e',
])('a shell reads %j as one word', (text) => {
  const read = execFileSync('bash', ['-c', `printf '%s|' ${shellWord(text)}`], { encoding: 'utf8' });
  expect(read).toBe(`${text}|`);
});

it('usual words stay as they are', () => {
  expect(shellWord('public.users')).toBe('public.users');
  expect(shellWord('state.gold=active')).toBe('state.gold=active');
});

it('leaves no control characters to the terminal', () => {
  expect(shellWord('a\u001b]0;x\u0007')).toBe("$'a\\x1b]0;x\\x07'");
});
