import { expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { auth0 } from '../../../src/sources/systems/auth0.ts';
import { contextOf, formNamed, formsOf, headOf } from './read-users.ts';

const users = formNamed(auth0, 'auth0-ndjson');
const passwords = formNamed(auth0, 'auth0-password-export');

const HASH = '$2b$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';
const hashLine = (changes: SourceRecord) => ({
  passwordHash: HASH,
  connection: 'Users',
  tenant: 't',
  ...changes,
});

it.each(['_id', '_ID'])('reads the id of a hash from %s, resolved or not', (name) => {
  const id = '5efefa82d16c1b9849c5b66c';
  for (const value of [id, { $oid: id }]) {
    const record = hashLine({ [name]: value, email: 'a@b.c' });
    expect(formsOf(auth0, headOf([record]))).toEqual(['auth0-password-export']);
    expect(passwords.read(record, contextOf())).toMatchObject({
      externalUserId: `auth0|${id}`,
      timeJoinedMs: 0x5efefa82 * 1000,
      password: { encoded: HASH, algorithm: 'bcrypt' },
    });
  }
});

it('takes the first identity from the id if an export has none', () => {
  const read = (id: string) => users.read({ user_id: id, email: 'a@b.c' }, contextOf())?.identities;
  expect(read('github|1955466')).toEqual([{ provider: 'github', userId: '1955466' }]);
  expect(read('samlp|corp|u-77')).toEqual([{ provider: 'corp', userId: 'corp|u-77', isSso: true }]);
  for (const id of ['auth0|1', 'email|1', 'sms|1', 'none', '|1', 'github|']) expect(read(id)).toEqual([]);
});
