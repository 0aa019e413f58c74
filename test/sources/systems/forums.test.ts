import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { moodle } from '../../../src/sources/systems/content.ts';
import { mybb, phpbb } from '../../../src/sources/systems/forums.ts';
import { xenforo } from '../../../src/sources/systems/xenforo.ts';
import { NOW_MS, readUsers, type TestTable, tableOf } from './read-users.ts';

const [PAST, FUTURE] = [NOW_MS - 1000, NOW_MS + 86_400_000].map((ms) => String(Math.floor(ms / 1000)));
const sql = (name: string, ...records: SourceRecord[]) => tableOf('sql', records, { name });

describe('phpBB', () => {
  const USER = {
    user_id: '5',
    user_type: '0',
    username_clean: 'a',
    user_password: '$2y$x',
    user_email: 'a@x.org',
  };
  const stateOf = (user: SourceRecord, ...bans: SourceRecord[]) =>
    readUsers(phpbb, [sql('forum_users', { ...USER, ...user }), sql('forum_bans', ...bans)]).users[0]?.state;

  it.each([
    [{}, undefined],
    [{ user_type: '1' }, 'DISABLED'],
    [{ user_type: '2' }, 'SERVICE_ACCOUNT'],
    [{ user_type: '3' }, undefined],
    [{ user_type: '9' }, { column: 'user_type', word: '9' }],
  ])('%j: %j', (user, state) => {
    expect(stateOf(user)).toEqual(state);
  });

  it.each([
    [{ ban_end: '0', ban_exclude: '0' }, 'DISABLED'],
    [{ ban_end: FUTURE, ban_exclude: '0' }, 'DISABLED'],
    [{ ban_end: PAST, ban_exclude: '0' }, undefined],
    [{ ban_end: '0', ban_exclude: '1' }, undefined],
    [{ ban_end: '0', ban_mode: 'user' }, 'DISABLED'],
    [
      { ban_end: 'soon', ban_mode: 'user' },
      { column: 'bans.ban_end', word: 'soon' },
    ],
    [{ ban_end: '0', ban_mode: 'email', ban_userid: '0' }, undefined],
  ])('is out by a ban of either version: %j', (ban, state) => {
    expect(stateOf({}, { ban_userid: '5', ...ban })).toEqual(state);
  });

  it.each([
    [{ ban_mode: 'email' }, 1],
    [{ ban_email: 'a@x.org' }, 1],
    [{ ban_email: '' }, 0],
  ])('says that bans of addresses are not read: %j', (ban, count) => {
    const bans = sql('forum_bans', { ban_userid: '0', ban_end: '0', ban_exclude: '0', ...ban });
    expect(readUsers(phpbb, [sql('forum_users', USER), bans]).advice).toHaveLength(count);
  });
});

describe('XenForo', () => {
  const USER = {
    ...{ user_id: '5', username: 'a', email: 'a@x.org', register_date: '1500000000' },
    ...{
      user_group_id: '2',
      secondary_group_ids: '',
      user_state: 'valid',
      is_banned: '0',
      security_lock: '',
    },
  };
  const read = (user: SourceRecord, ...more: TestTable[]) =>
    readUsers(xenforo, [sql('xf_user', { ...USER, ...user }), ...more]).users[0];
  const ban = (end_date: string) => sql('xf_user_ban', { user_id: '5', ban_user_id: '1', end_date });
  const auth = (scheme_class: string, data: string) =>
    sql('xf_user_authenticate', { user_id: '5', scheme_class, data });

  it.each([
    [{}, [], undefined],
    [{ user_state: 'email_confirm' }, [], 'DISABLED'],
    [{ user_state: 'email_bounce' }, [], undefined],
    [{ user_state: 'moderated' }, [], 'DISABLED'],
    [{ user_state: 'later' }, [], { column: 'user_state', word: 'later' }],
    [{ security_lock: 'later' }, [], { column: 'security_lock', word: 'later' }],
    [{ is_banned: '1' }, [], 'DISABLED'],
    [{ is_banned: '1' }, [ban('0')], 'DISABLED'],
    [{}, [ban('0')], 'DISABLED'],
    [{ is_banned: '1' }, [ban(FUTURE ?? '')], 'DISABLED'],
    [{ is_banned: '1' }, [ban(PAST ?? '')], undefined],
    [{ is_banned: '1' }, [ban('soon')], { column: 'xf_user_ban.end_date', word: 'soon' }],
  ])('%j with %j', (user, bans, state) => {
    expect(read(user, ...bans)?.state).toEqual(state);
  });

  it.each([
    ['XF:Core12', 'a:1:{s:4:"hash";s:4:"$2yx";}', { encoded: '$2yx' }],
    ['XenForo_Authentication_Core12', '{"hash":"$2yx"}', { encoded: '$2yx' }],
    ['XF:Core', 'a:2:{s:4:"hash";s:2:"aa";s:4:"salt";s:2:"ß";}', { algorithm: 'xenforo-sha256' }],
    ['XF:vBulletin5', 'a:1:{s:5:"token";s:3:"$2y";}', { encoded: '$2y', algorithm: 'bcrypt-md5' }],
    ['XF:NoPassword', 'a:0:{}', undefined],
    ['XF:MyBb', 'a:2:{s:4:"hash";s:2:"zz";s:4:"salt";s:0:"";}', { problem: 'PASSWORD_HASH_INVALID' }],
    ['Acme\\Auth:Own', 'a:0:{}', { problem: 'HASH_ALGORITHM_UNKNOWN' }],
  ])('hash of %s with %s', (scheme, data, password) => {
    if (password === undefined) expect(read({}, auth(scheme, data))?.password).toBeUndefined();
    else expect(read({}, auth(scheme, data))?.password).toMatchObject(password);
    expect(read({ security_lock: 'reset' }, auth(scheme, data))?.password).toBeUndefined();
  });

  it('reads accounts of version 1', () => {
    const accounts = sql('xf_user_external_auth', { user_id: '5', provider: 'facebook', provider_key: '7' });
    expect(read({}, accounts)?.identities).toEqual([{ provider: 'facebook', userId: '7' }]);
  });
});

describe('MyBB', () => {
  const USER = {
    uid: '5',
    username: 'a',
    password: '0'.repeat(32),
    salt: 's',
    loginkey: 'k',
    email: 'a@x.org',
    usergroup: '2',
  };
  const GROUPS = sql('mybb_usergroups', ...['2', '3'].map((gid) => ({ gid, isbannedgroup: '0' })), {
    gid: '9',
    isbannedgroup: '1',
  });
  const stateIn = (user: SourceRecord, ...bans: SourceRecord[]) =>
    readUsers(mybb, [sql('mybb_users', { ...USER, ...user }), sql('mybb_banned', ...bans), GROUPS]).users[0]
      ?.state;

  it.each([
    ['2', [], undefined],
    ['1', [], 'DISABLED'],
    ['5', [], 'DISABLED'],
    ['7', [], 'DISABLED'],
    ['9', [], 'DISABLED'],
    ['2', ['0'], 'DISABLED'],
    ['2', [FUTURE ?? ''], 'DISABLED'],
    ['7', [PAST ?? ''], undefined],
    ['7', [PAST ?? '', '0'], 'DISABLED'],
  ])('in the group %s with bans until %j: %s', (group, lifted, state) => {
    const bans = lifted.map((end) => ({ uid: '5', gid: '7', oldgroup: '2', lifted: end }));
    expect(stateIn({ usergroup: group }, ...bans)).toBe(state);
  });

  it('every group counts, and after a ban those from before it', () => {
    expect(stateIn({ additionalgroups: '2,3' })).toBeUndefined();
    expect(stateIn({ additionalgroups: '2, 9' })).toBe('DISABLED');
    expect(stateIn({ additionalgroups: '2,4' })).toBe('DISABLED');
    expect(stateIn({ usergroup: '' })).toBe('DISABLED');
    expect(stateIn({ additionalgroups: '7' })).toBe('DISABLED');
    const over = { uid: '5', gid: '7', oldgroup: '2', lifted: PAST ?? '' };
    expect(stateIn({ usergroup: '7' }, { ...over, oldgroup: '5' })).toBe('DISABLED');
    expect(stateIn({ usergroup: '7' }, { ...over, oldadditionalgroups: '3,9' })).toBe('DISABLED');
    expect(stateIn({ usergroup: '7', additionalgroups: '9' }, over)).toBe('DISABLED');
  });

  it('refuses what is no MD5, as plug-ins store it', () => {
    const { users } = readUsers(mybb, [sql('mybb_users', { ...USER, password: '$2y$10$x' })]);
    expect(users[0]?.password).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
  });
});

describe('Moodle', () => {
  const USER = {
    id: '5',
    auth: 'manual',
    confirmed: '1',
    deleted: '0',
    suspended: '0',
    username: 'a',
    password: '$2y$10$x',
    email: 'a@x.org',
  };
  const read = (changes: SourceRecord) =>
    readUsers(moodle, [sql('mdl_user', { ...USER, ...changes })]).users[0];

  it.each([
    [{}, undefined],
    [{ deleted: '1' }, 'DELETED'],
    [{ suspended: '1' }, 'DISABLED'],
    [{ confirmed: '0' }, 'DISABLED'],
    [{ auth: 'nologin' }, 'DISABLED'],
    [{ auth: 'webservice' }, 'SERVICE_ACCOUNT'],
    [{ username: 'guest' }, 'ANONYMOUS'],
    [{ auth: 'saml2' }, { column: 'auth', word: 'saml2' }],
    [{ suspended: 'maybe' }, { column: 'suspended', word: 'maybe' }],
  ])('%j: %j', (changes, state) => {
    expect(read(changes)?.state).toEqual(state);
  });

  it.each([
    [{}, true],
    [{ auth: 'email' }, true],
    [{ auth: 'ldap' }, false],
    [{ password: 'not cached' }, false],
  ])('%j has a password: %s', (changes, hasPassword) => {
    expect(read(changes)?.password !== undefined).toBe(hasPassword);
  });

  it('knows of confirmed addresses only where people signed up by mail', () => {
    expect(read({})?.isVerified).toBeUndefined();
    expect(read({ auth: 'email' })?.isVerified).toBe(true);
  });
});
