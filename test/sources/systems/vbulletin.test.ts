import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { vbulletin } from '../../../src/sources/systems/forums.ts';
import { NOW_MS, readUsers, type TestTable, tableOf } from './read-users.ts';

const USER = { userid: '7', username: 'ada', email: 'a@x.example', joindate: '1500000000', usergroupid: '2' };
const BCRYPT = '$2y$04$XYvK/81SS7qvT9uwyxYRn.q3TkPLmxjeBVM1PrTEqYnhtNeHvdoce';
const seconds = (ms: number) => `${Math.floor(ms / 1000)}`;
const ban = (liftdate: string, usergroupid = '2') =>
  tableOf('sql', [{ userid: '7', usergroupid, liftdate, bandate: '1' }], { name: 'userban' });
const groups = (genericoptions: string) =>
  tableOf('sql', [{ usergroupid: '2', genericoptions }], { name: 'usergroup' });

const read = (user: SourceRecord, ...more: TestTable[]) =>
  readUsers(vbulletin, [
    tableOf('sql', [{ ...USER, token: BCRYPT, scheme: 'blowfish:10', ...user }], { name: 'user' }),
    ...more,
  ]);

describe('vBulletin', () => {
  it.each([
    ['1', 'DISABLED'],
    ['2', undefined],
    ['3', 'DISABLED'],
    ['4', 'DISABLED'],
    ['6', undefined],
    ['8', 'DISABLED'],
  ])('reads the state of a user of group %s', (usergroupid, state) => {
    expect(read({ usergroupid }).users[0]?.state).toBe(state);
  });

  it.each([
    ['of other users', groups('62'), undefined],
    ['of banned users', groups('30'), 'DISABLED'],
    ['that cannot be read', groups('x'), 'DISABLED'],
    [
      'that is not in the export',
      tableOf('sql', [{ usergroupid: '9', genericoptions: '62' }], { name: 'usergroup' }),
      'DISABLED',
    ],
  ])('reads the state of a user of a group %s', (_, usergroup, state) => {
    expect(read({}, usergroup).users[0]?.state).toBe(state);
  });

  it.each([
    ['without an end', ban('0'), 'DISABLED'],
    ['with an end in the future', ban(seconds(NOW_MS + 60_000)), 'DISABLED'],
    ['with an end in the past', ban(seconds(NOW_MS - 60_000)), undefined],
    [
      'with an end in the past, of a user who awaited confirmation',
      ban(seconds(NOW_MS - 60_000), '3'),
      'DISABLED',
    ],
    ['that cannot be read', ban('soon'), { column: 'userban.liftdate', word: 'soon' }],
  ])('reads a ban %s', (_, userban, state) => {
    expect(read({ usergroupid: '8' }, userban).users[0]?.state).toEqual(state);
  });

  it.each([
    [{}, { encoded: BCRYPT, algorithm: 'bcrypt-md5' }],
    [
      { scheme: 'argon2id:::', token: '$argon2id$x' },
      { encoded: '$argon2id$x', algorithm: 'argon2-md5' },
    ],
    [
      { scheme: 'legacy', token: 'a4fd61d307bf06d990cd4a2df1210ae7 a1B' },
      { encoded: '$vbulletin$$YTFC$pP1h0we/BtmQzUot8SEK5w==', algorithm: 'vbulletin' },
    ],
    [
      { token: undefined, scheme: undefined, password: 'a4fd61d307bf06d990cd4a2df1210ae7', salt: 'a1B' },
      { encoded: '$vbulletin$$YTFC$pP1h0we/BtmQzUot8SEK5w==', algorithm: 'vbulletin' },
    ],
    [{ scheme: 'later', token: 'x' }, { problem: 'HASH_ALGORITHM_UNKNOWN' }],
    [{ scheme: 'legacy', token: 'x' }, { problem: 'PASSWORD_HASH_INVALID' }],
  ])('reads the hash of %j', (user, password) => {
    expect(read(user).users[0]?.password).toMatchObject(password);
  });

  it('never says that an address is confirmed', () => {
    expect(read({}).users[0]?.isVerified).toBeUndefined();
  });
});
