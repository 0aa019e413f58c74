import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { odoo } from '../../../src/sources/systems/team-tools.ts';
import { readUsers, tableOf } from './read-users.ts';

const HASH = '$pbkdf2-sha512$1000$wfi/t1Zqzbn3vvd.b42x9g$x';
const USER = { id: '7', login: 'a@x.example', password: HASH, active: 't', partner_id: '9', company_id: '1' };
const partner = tableOf(
  'sql',
  [{ id: '9', name: 'Ada', email: 'ada@x.example', commercial_partner_id: '9', lang: 'de_DE', tz: null }],
  { name: 'public.res_partner' },
);
const provider = (auth_endpoint: string) =>
  tableOf('sql', [{ id: '3', name: 'Our IdP', auth_endpoint, validation_endpoint: '' }], {
    name: 'public.auth_oauth_provider',
  });

const read = (record: SourceRecord, ...tables: ReturnType<typeof tableOf>[]) => {
  const users = tableOf('sql', [{ ...USER, ...record }], { name: 'public.res_users' });
  return readUsers(odoo, [users, partner, ...tables]);
};

describe('Odoo', () => {
  it.each([
    ['t', undefined],
    ['f', 'DISABLED'],
    [null, 'DISABLED'],
    ['maybe', { column: 'active', word: 'maybe' }],
  ])('reads the state of a user whose active is %j', (active, state) => {
    expect(read({ active }).users[0]?.state).toEqual(state);
  });

  it.each(['__system__', 'public', 'default', 'portaltemplate'])('leaves out %s, who is nobody', (login) => {
    expect(read({ login }).users[0]?.state).toBe('SERVICE_ACCOUNT');
  });

  it('takes the login as the address, and that of the partner where the login is none', () => {
    expect(read({}).users[0]).toMatchObject({ email: 'a@x.example', isVerified: undefined });
    expect(read({ login: 'ada' }).users[0]).toMatchObject({
      email: 'ada@x.example',
      isVerified: undefined,
      metadata: { login: 'ada', name: 'Ada', lang: 'de_DE' },
    });
    expect(read({ login: 'ada', partner_id: '10' }).users[0]?.email).toBeUndefined();
  });

  it('reads the hash of auth_crypt, which Odoo up to 11 keeps in a column of its own', () => {
    expect(read({ password: '', password_crypt: HASH }).users[0]?.password).toEqual({ encoded: HASH });
  });

  it.each([
    ['https://accounts.google.com/o/oauth2/auth', 'google'],
    ['https://idp.example/auth', 'Our IdP'],
    ['', 'Our IdP'],
  ])('names the provider at %j', (endpoint, name) => {
    const { users } = read({ oauth_provider_id: '3', oauth_uid: '77' }, provider(endpoint));
    expect(users[0]?.identities).toEqual([{ provider: name, userId: '77' }]);
  });

  it('leaves the number of a provider that is not in the export', () => {
    expect(read({ oauth_provider_id: '3', oauth_uid: '77' }).users[0]?.identities).toEqual([
      { provider: '3', userId: '77' },
    ]);
  });

  it('counts second factors, but not the text "false" of a secret that was removed', () => {
    expect(read({ totp_secret: 'JBSWY3DPEHPK3PXP' }).dropped).toEqual({ mfa: 1 });
    expect(read({ totp_secret: 'false' }).dropped).toEqual({});
    expect(read({ totp_secret: null }).dropped).toEqual({});
  });
});
