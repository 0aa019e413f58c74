import { expect, it, vi } from 'vitest';
import { rememberLast } from '../../../src/hashing/formats/remember-last.ts';

it('calls the function again only for another text', () => {
  const answer = vi.fn((text: string) => text.toUpperCase());
  const remembered = rememberLast(answer);
  expect(['a', 'a', 'b', 'b', 'a'].map(remembered)).toEqual(['A', 'A', 'B', 'B', 'A']);
  expect(answer.mock.calls.flat()).toEqual(['a', 'b', 'a']);
});

it('remembers neither a failure nor the result before it', () => {
  const remembered = rememberLast((text) => {
    if (text === 'bad') throw new Error('no');
    return text;
  });
  expect(remembered('good')).toBe('good');
  expect(() => remembered('bad')).toThrow('no');
  expect(() => remembered('bad')).toThrow('no');
  expect(remembered('good')).toBe('good');
});
