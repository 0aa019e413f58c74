import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from '../../../src/lib/text/shell-word.ts';

it.each(['users', 'a b', '$(touch x)', "it's", "''", '`id`;id', '"$HOME"', '*', '~', '', 'ä\nb', '!x', '-n'])(
  'a shell reads %j as one word',
  (text) => {
    const read = execFileSync('sh', ['-c', `printf '%s|' ${shellWord(text)}`], { encoding: 'utf8' });
    expect(read).toBe(`${text}|`);
  },
);

it('usual words stay as they are', () => {
  expect(shellWord('public.users')).toBe('public.users');
  expect(shellWord('state.gold=active')).toBe('state.gold=active');
});
