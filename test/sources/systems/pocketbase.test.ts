import { describe, expect, it } from 'vitest';
import { pocketbase } from '../../../src/sources/systems/backends.ts';
import { findForm, readUsers, tableOf } from './read-users.ts';

const ROW = {
  id: 'r1',
  email: 'ada@example.com',
  verified: '1',
  tokenKey: 'secret-token',
  created: '2022-06-25 11:03:50.052Z',
};

describe('pocketbase', () => {
  it('reads versions before 0.23', () => {
    const users = tableOf('sql', [{ ...ROW, passwordHash: '$2a$12$x', username: 'ada' }], {
      name: 'customers',
    });
    const accounts = tableOf('sql', [
      { id: 'e1', collectionId: 'c', recordId: 'r1', provider: 'github', providerId: '5' },
      { id: 'e2', collectionId: 'd', recordId: 'r1', provider: 'google', providerId: '6' },
    ]);
    const collections = tableOf('sql', [{ id: 'c', system: '0', type: 'auth', name: 'customers' }], {
      name: '_collections',
    });
    const read = readUsers(pocketbase, [collections, accounts, users]);
    // Users of another collection may have chosen the same id.
    expect(read.dropped).toEqual({ 'other tenants': 1 });
    expect(read.users).toEqual([
      expect.objectContaining({
        externalUserId: 'r1',
        isVerified: true,
        timeJoinedMs: Date.UTC(2022, 5, 25, 11, 3, 50, 52),
        password: { encoded: '$2a$12$x', algorithm: 'bcrypt' },
        identities: [{ provider: 'github', userId: '5' }],
        metadata: { username: 'ada' },
      }),
    ]);
    expect(JSON.stringify(read.users)).not.toContain('secret-token');
  });

  it('rejects staff', () => {
    for (const name of ['_superusers', '_admins']) {
      const table = tableOf('sql', [{ ...ROW, password: 'x' }], { name });
      expect(findForm(pocketbase, [table])).toBeUndefined();
    }
  });

  it('gives advice how to get hashes, which its API never shows', () => {
    const record = {
      id: 'r1',
      collectionId: 'c',
      collectionName: 'users',
      email: 'ada@example.com',
      emailVisibility: false,
      verified: true,
    };
    const { form, advice } = readUsers(pocketbase, [tableOf('json', [record], { name: 'items' })]);
    expect(form.name).toBe('pocketbase-api');
    expect(advice[0]).toContain('sqlite3');
  });
});
