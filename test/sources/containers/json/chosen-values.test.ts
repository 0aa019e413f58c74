import { describe, expect, it } from 'vitest';
import { readSurveyed as read } from '../read-whole.ts';

const HASH = '$2y$10$abcdefghijklmnopqrstuuJ9kz7U0k1v2w3x4y5z6A7B8C9D0E1F2';

describe('a user of JSON lines who chooses the value of a column', () => {
  const users = [{ id: 5, email: 'boss@example.org', password_hash: HASH }];

  it.each([
    ['data.users', { id: 1, email: 'mal@x.org', data: { users } }],
    ['data', { nr: 1, contact: 'mal@x.org', data: users }],
    ['results', { nr: 1, contact: 'mal@x.org', results: users }],
  ])('cannot place users at %s', async (_, first) => {
    const rows = [first, { ...first, data: null, results: null }];
    const { records } = await read(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expect(records).toEqual(rows);
  });

  it.each(['data', 'users', 'results', 'identities'])(
    'cannot hide the others with a list named %s, without an address of their own',
    async (name) => {
      const first = { nr: 1, nick: 'mal', contact: null, [name]: users };
      const second = { nr: 2, nick: 'mal2', contact: null, [name]: users };
      for (const others of [
        [{ nr: 3, contact: 'bob@x.org', [name]: null }],
        [{ nr: 3, contact: 'bob@x.org', [name]: [] }],
        [second, { nr: 3, contact: 'bob@x.org', [name]: [] }],
        [second, { nr: 3, profile: { email: 'bob@x.org' } }],
      ]) {
        const text = [first, ...others].map((row) => `${JSON.stringify(row)}\n`).join('');
        expect((await read(text)).records).toEqual([first, ...others]);
      }
    },
  );
});
