import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { zitadel } from '../../../src/sources/systems/zitadel.ts';
import { jsonTablesOf, readUsers, type TestTable, tableOf } from './read-users.ts';

const T = '2023-05-06 07:08:09+00';
const USER = {
  ...{ id: 'u1', creation_date: T, change_date: T, sequence: '1', state: '1', resource_owner: 'o1' },
  ...{ instance_id: 'i1', username: 'ada', type: '1' },
};
const HUMAN = {
  user_id: 'u1',
  first_name: 'A',
  last_name: 'B',
  email: 'a@x.example',
  is_email_verified: 't',
};
const ofInstance = (records: SourceRecord[]) => records.map((one) => ({ instance_id: 'i1', ...one }));
const table = (name: string, ...records: SourceRecord[]) =>
  tableOf('sql', ofInstance(records), { name: `projections.${name}` });
const org = (org_state: string, id = 'o1') => table('orgs1', { id, org_state, primary_domain: 'x' });
const event = (sequence: string, event_type: string, payload: object, aggregate_id = 'u1') => ({
  ...{ aggregate_type: 'user', aggregate_id, event_type, sequence, payload: JSON.stringify(payload) },
});
const events = (...records: SourceRecord[]) =>
  tableOf('sql', ofInstance(records), { name: 'eventstore.events2' });

const read = (user: SourceRecord, ...more: TestTable[]) =>
  readUsers(zitadel, [
    table('users14', { ...USER, ...user }),
    table('users14_humans', { ...HUMAN, is_email_verified: user.is_email_verified ?? 't' }),
    ...more,
  ]);

describe('the database of Zitadel', () => {
  it.each([
    [{}, undefined],
    [{ state: '2' }, 'DISABLED'],
    [{ state: '3' }, 'DELETED'],
    [{ state: '4' }, 'DISABLED'],
    [{ state: '5' }, 'DISABLED'],
    [{ state: '6' }, 'DISABLED'],
    [{ state: '0' }, { column: 'state', word: '0' }],
    [{ state: '7' }, { column: 'state', word: '7' }],
    [{ type: '2' }, 'SERVICE_ACCOUNT'],
    [{ owner_removed: 't' }, 'DELETED'],
  ])('reads the state of %j', (user, state) => {
    expect(read(user, org('1')).users[0]?.state).toEqual(state);
  });

  it.each([
    ['active', org('1'), undefined],
    ['not active', org('2'), 'DISABLED'],
    ['removed', org('3'), 'DELETED'],
    ['in an unknown state', org('9'), { column: 'orgs.org_state', word: '9' }],
    ['not in the export', org('1', 'o2'), 'DISABLED'],
  ])('reads the state of a user whose organisation is %s', (_, orgs, state) => {
    expect(read({}, orgs).users[0]?.state).toEqual(state);
  });

  it('takes the hash of the last event of a password', () => {
    const { users } = read(
      {},
      events(
        event('2', 'user.human.password.changed', { encodedHash: '$2a$04$new' }),
        event('1', 'user.human.added', { encodedHash: '$2a$04$old' }),
        event('3', 'user.machine.secret.set', { encodedHash: '$2a$04$machine' }),
        event('4', 'user.human.password.changed', { encodedHash: '$2a$04$other' }, 'u2'),
      ),
    );
    expect(users[0]?.password).toEqual({ encoded: '$2a$04$new', algorithm: 'bcrypt' });
  });

  it('reads nothing of a user of another instance who has the same id', () => {
    const instance_id = 'i2';
    const changed = event('9', 'user.human.password.changed', { encodedHash: '$2a$04$theirs' });
    const link = { instance_id, user_id: 'u1', idp_id: 'google', external_user_id: '7' };
    const { users } = read(
      {},
      table('orgs1', { instance_id, id: 'o1', org_state: '1', primary_domain: 'x' }),
      table('idp_user_links3', link),
      events({ ...changed, instance_id }),
    );
    expect(users).toMatchObject([{ identities: [], password: undefined, state: 'DISABLED' }]);
  });

  it("reads bcrypt's text in base64 of older events, and nothing that is encrypted", () => {
    const secret = { Algorithm: 'bcrypt', Crypted: Buffer.from('$2a$04$old').toString('base64') };
    const passwordOf = (one: object) =>
      read({}, events(event('1', 'user.human.added', { secret: one }))).users[0]?.password;
    expect(passwordOf(secret)).toEqual({ encoded: '$2a$04$old', algorithm: 'bcrypt' });
    expect(passwordOf({ ...secret, Algorithm: 'aes' })).toBeUndefined();
  });

  it.each([
    ['1', '2', { mfa: 1 }],
    ['7', '2', { mfa: 1 }],
    ['99', '2', { mfa: 1 }],
    ['1', '1', {}],
    ['1', '3', {}],
    ['5', '2', {}],
  ])('counts a method of type %s in the state %s', (method_type, state, dropped) => {
    const methods = table('user_auth_methods5', { user_id: 'u1', method_type, token_id: '', state });
    expect(read({}, methods).dropped).toEqual(dropped);
  });

  it('keeps an address that is not confirmed unconfirmed', () => {
    expect(read({ is_email_verified: 'f' }).users[0]).toMatchObject({
      email: 'a@x.example',
      isVerified: false,
    });
  });
});

describe('an export by the API of Zitadel', () => {
  const user = { userName: 'ada', profile: { firstName: 'Ada' }, email: { email: 'a@x.example' } };
  const listed = (state: string) =>
    jsonTablesOf([{ userId: 'u1', state, preferredLoginName: 'ada', details: { creationDate: T } }]);

  it.each([
    ['USER_STATE_ACTIVE', undefined],
    ['USER_STATE_INACTIVE', 'DISABLED'],
    ['USER_STATE_LOCKED', 'DISABLED'],
    ['USER_STATE_INITIAL', 'DISABLED'],
    ['USER_STATE_DELETED', 'DELETED'],
    ['USER_STATE_UNSPECIFIED', { column: 'users.state', word: 'USER_STATE_UNSPECIFIED' }],
  ])('reads the state %s in the list of users', async (word, state) => {
    const exported = await jsonTablesOf([{ userId: 'u1', orgId: 'o1', userLinks: [], user }]);
    const [read] = readUsers(zitadel, [...exported, ...(await listed(word))]).users;
    expect(read).toMatchObject({ email: 'a@x.example', isVerified: false });
    expect(read?.state).toEqual(state);
  });

  it('says how to make a list of users that are within organisations', async () => {
    const { users, advice } = readUsers(
      zitadel,
      await jsonTablesOf({ orgs: [{ orgId: 'o1', humanUsers: [{ userId: 'u1', user }] }] }),
    );
    expect(users).toEqual([]);
    expect(advice).toEqual([expect.stringMatching(/^stop: The users must be a list: jq /)]);
  });
});
