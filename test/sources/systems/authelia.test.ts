import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { authelia } from '../../../src/sources/systems/authelia.ts';
import { jsonTablesOf, NOW_MS, readUsers, tableOf } from './read-users.ts';

const USER = {
  username: 'ada',
  displayname: 'Ada',
  password: '$6$x$y',
  email: 'a@x.example',
  groups: ['dev'],
};
const at = (ms: number) => new Date(ms).toISOString().replace('T', ' ').slice(0, 19);

const read = (user: SourceRecord, ...bans: SourceRecord[]) => {
  const ban = {
    id: '1',
    time: at(0),
    expired: null,
    revoked: '0',
    username: 'ada',
    source: 'cli',
    reason: null,
  };
  const records = bans.map((one) => ({ ...ban, expires: null, ...one }));
  return readUsers(authelia, [
    tableOf('json', [{ ...USER, ...user }]),
    tableOf('sql', records, { name: 'banned_user', columns: [...Object.keys(ban), 'expires'] }),
  ]).users[0];
};

describe('Authelia', () => {
  it.each([
    [{}, undefined],
    [{ disabled: false }, undefined],
    [{ disabled: true }, 'DISABLED'],
    [{ disabled: 'maybe' }, { column: 'disabled', word: 'maybe' }],
  ])('reads the state of %j', (user, state) => {
    expect(read(user)?.state).toEqual(state);
  });

  it.each([
    ['without an end', {}, 'DISABLED'],
    ['with an end in the future', { expires: at(NOW_MS + 60_000) }, 'DISABLED'],
    ['that cannot be read', { expires: 'soon' }, { column: 'banned_user.expires', word: 'soon' }],
    ['with an end in the past', { expires: at(NOW_MS - 60_000) }, undefined],
    ['that was lifted', { revoked: '1' }, undefined],
    ['that is over', { expired: at(NOW_MS - 60_000) }, undefined],
    ['of somebody else', { username: 'bob' }, undefined],
    ['after wrong passwords', { source: 'regulation', expires: at(NOW_MS + 60_000) }, undefined],
  ])('reads a ban %s', (_, ban, state) => {
    expect(read({}, ban)?.state).toEqual(state);
  });

  it('never says that an address is confirmed', () => {
    expect(read({})).toMatchObject({ externalUserId: 'ada', email: 'a@x.example', isVerified: undefined });
  });

  it('says how to make a list of a file in which users are members', async () => {
    const { username: _, ...ada } = USER;
    const { users, advice } = readUsers(authelia, await jsonTablesOf({ users: { ada } }));
    expect(users).toEqual([]);
    expect(advice).toEqual([expect.stringMatching(/^stop: The users must be a list: yq /)]);
  });
});
