import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { joomla } from '../../../src/sources/systems/content.ts';
import { readUsers, tableOf } from './read-users.ts';

const USER = {
  ...{ id: '42', name: 'Ada', username: 'ada', email: 'a@x.example', password: '$2y$04$x', block: '0' },
  ...{ sendEmail: '0', registerDate: '2023-05-06 07:08:09', lastvisitDate: null, activation: '' },
};
const RULES = { 'core.login.site': { 6: 1, 2: 1, 12: 0 }, 'core.admin': { 8: 1 } };
/** Groups by the group above them: Registered and Author, Super Users, Guest, Banned. */
const PARENTS = { 1: '0', 2: '1', 3: '2', 8: '1', 9: '1', 12: '1' };
const tables = (groups: readonly string[], rules: unknown = RULES) => [
  tableOf(
    'sql',
    groups.map((group_id) => ({ user_id: '42', group_id })),
    {
      name: 'jos_user_usergroup_map',
      columns: ['user_id', 'group_id'],
    },
  ),
  tableOf(
    'sql',
    Object.entries(PARENTS).map(([id, parent_id]) => ({
      id,
      parent_id,
      lft: '0',
      rgt: '0',
      title: `g${id}`,
    })),
    { name: 'jos_usergroups' },
  ),
  tableOf(
    'sql',
    ['root.1', 'com_users'].map((name) => ({
      ...{ id: '1', parent_id: '0', level: '0', name, title: name },
      rules: name === 'root.1' ? JSON.stringify(rules) : '{"core.login.site":{"9":1}}',
    })),
    { name: 'jos_assets' },
  ),
];
const factor = (method: string) =>
  tableOf('sql', [{ user_id: '42', method, options: '###' }], { name: 'jos_user_mfa' });

const read = (user: SourceRecord, ...more: ReturnType<typeof tableOf>[]) =>
  readUsers(joomla, [tableOf('sql', [{ ...USER, ...user }], { name: 'jos_users' }), ...more]);

describe('Joomla', () => {
  it.each([
    ['0', undefined],
    ['1', 'DISABLED'],
    ['maybe', { column: 'block', word: 'maybe' }],
  ])('reads the state of a user whose block is %j', (block, state) => {
    expect(read({ block }, ...tables(['2'])).users[0]?.state).toEqual(state);
  });

  it('lets the token of a password reset decide nothing', () => {
    expect(read({ activation: 'f3a9' }, ...tables(['2'])).users[0]?.state).toBeUndefined();
  });

  it.each([
    ['of registered users', ['2'], undefined],
    ['below a group that may', ['3'], undefined],
    ['of super users', ['8'], undefined],
    ['of guests', ['9'], 'DISABLED'],
    ['of nobody', [], 'DISABLED'],
    ['to which it is denied', ['2', '12'], 'DISABLED'],
    ['to which it is denied, of super users', ['8', '12'], undefined],
    ['that is not in the export', ['77'], 'DISABLED'],
  ])('asks for the permission to sign in of the groups %s', (_, groups, state) => {
    expect(read({}, ...tables(groups)).users[0]?.state).toBe(state);
  });

  it('lets nobody in if the permissions cannot be read', () => {
    expect(read({}, ...tables(['2'], 'x')).users[0]?.state).toBe('DISABLED');
  });

  it('reads groups that are above each other', () => {
    const loop = tableOf('sql', [{ id: '5', parent_id: '5', lft: '0', rgt: '0', title: 'x' }], {
      name: 'jos_usergroups',
    });
    const [map, , assets] = tables(['5']);
    expect(read({}, ...[map, loop, assets].filter((one) => one !== undefined)).users[0]?.state).toBe(
      'DISABLED',
    );
  });

  it('counts second factors of all versions, but not backup codes alone', () => {
    expect(read({}, factor('totp')).dropped).toEqual({ mfa: 1 });
    expect(read({}, factor('backupcodes')).dropped).toEqual({});
    expect(read({ otpKey: 'totp:x' }).dropped).toEqual({ mfa: 1 });
  });

  it('never says that an address is confirmed, and counts passwords that must be changed', () => {
    const { users, dropped } = read({ requireReset: '1' }, ...tables(['2']));
    expect(users[0]?.isVerified).toBeUndefined();
    expect(dropped).toEqual({ 'forced password changes': 1 });
  });
});
