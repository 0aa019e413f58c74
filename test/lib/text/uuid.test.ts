import { expect, it } from 'vitest';
import { isUuid, UUID_PATTERN } from '../../../src/lib/text/characters.ts';

const ID = '0190a5b2-7c3d-7e4f-8a9b-0123456789ab';

it('matches the form that Postgres prints, and none of the other forms that Postgres accepts', () => {
  expect(isUuid(ID)).toBe(true);
  for (const other of [ID.toUpperCase(), `{${ID}}`, ID.replaceAll('-', ''), `${ID}0`, `${ID}\n`, '']) {
    expect([other, isUuid(other)]).toEqual([other, false]);
  }
});

it('the pattern can be part of a longer pattern', () => {
  expect(new RegExp(`^(${UUID_PATTERN})/(${UUID_PATTERN})$`).exec(`${ID}/${ID}`)?.slice(1)).toEqual([ID, ID]);
});
