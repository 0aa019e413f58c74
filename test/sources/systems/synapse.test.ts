import { describe, expect, it } from 'vitest';
import { synapse } from '../../../src/sources/systems/messengers.ts';
import { NOW_MS, readUsers, tableOf } from './read-users.ts';

const USER = {
  ...{
    name: '@ada:x.example',
    password_hash: '$2b$04$x',
    creation_ts: '1700000000',
    admin: '0',
    is_guest: '0',
  },
  ...{ appservice_id: null, user_type: null, deactivated: '0', shadow_banned: null, approved: null },
};
const expiry = (expiration_ts_ms: string) =>
  tableOf('sql', [{ user_id: USER.name, expiration_ts_ms, email_sent: 'f' }], {
    name: 'public.account_validity',
  });

describe('who may sign in to Synapse', () => {
  it.each([
    ['is_guest', '1', 'ANONYMOUS'],
    ['user_type', 'bot', 'SERVICE_ACCOUNT'],
    ['user_type', 'support', 'SERVICE_ACCOUNT'],
    ['user_type', 'vip', { column: 'user_type', word: 'vip' }],
    ['deactivated', '1', 'DELETED'],
    ['shadow_banned', 't', 'DISABLED'],
    ['locked', 't', 'DISABLED'],
    ['suspended', 't', 'DISABLED'],
    ['approved', 'f', 'DISABLED'],
    ['approved', 't', undefined],
    // Users of older versions need no approval.
    ['approved', null, undefined],
    ['appservice_id', 'irc', 'SERVICE_ACCOUNT'],
  ])('reads %s %j', (column, value, state) => {
    const users = tableOf('sql', [{ ...USER, [column]: value }], { name: 'public.users' });
    expect(readUsers(synapse, [users]).users[0]?.state).toEqual(state);
  });

  it.each([
    [`${NOW_MS + 1000}`, undefined],
    [`${NOW_MS - 1000}`, 'DISABLED'],
    ['x', 'DISABLED'],
  ])('reads an account that is valid until %s', (end, state) => {
    const users = tableOf('sql', [USER], { name: 'public.users' });
    expect(readUsers(synapse, [users, expiry(end)]).users[0]?.state).toEqual(state);
  });
});
