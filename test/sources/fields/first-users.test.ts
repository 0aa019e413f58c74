import { expect, it } from 'vitest';
import { firstUsers } from '../../../src/sources/fields/first-users.ts';
import { textOf } from '../../../src/sources/fields/values.ts';
import type { Form } from '../../../src/sources/source.ts';
import { headOf } from '../systems/read-users.ts';

const form: Pick<Form, 'isUsers' | 'read'> = {
  isUsers: ({ name }) => name === 'users',
  read: ({ id, hash, provider }) => {
    if (id === undefined) return undefined;
    const encoded = textOf(hash);
    return {
      password:
        encoded === undefined
          ? undefined
          : encoded === 'x'
            ? { problem: 'HASH_REDACTED', message: 'redacted' }
            : { encoded },
      identities: provider === undefined ? undefined : [{ provider: String(provider), userId: '1' }],
    };
  },
};

it('reads the first records of tables of users', () => {
  const users = [{ id: 1, hash: 'a' }, { id: 2, hash: 'x', provider: 'github' }, { id: 3 }, {}];
  const tables = [headOf(users, { name: 'users' }), headOf([{ id: 4, hash: 'b' }], { name: 'others' })];
  const found = firstUsers(form, { tables, settings: {} });
  expect(found.users).toHaveLength(3);
  expect(found.withHash).toBe(1);
  expect(found.hasProblem('HASH_REDACTED')).toBe(true);
  expect(found.hasProblem('EMULATOR_EXPORT')).toBe(false);
});
