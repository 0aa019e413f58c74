import { expect, it } from 'vitest';
import { namesSecret } from '../../../src/sources/fields/secret-names.ts';

it.each([
  'password',
  'passwordHash',
  'PASSWORD_DIGEST',
  'user.pass',
  'pw-salt',
  'resetToken',
  'totp_secret',
  'apiKey',
  'api_key',
  'APIKey',
  'last_sign_in_ip',
  'ip',
  'sessionId',
  'passwordhash',
  'PWSALT',
  'pw',
])('%s holds a secret', (name) => {
  expect(namesSecret(name)).toBe(true);
});

it.each([
  '',
  'hashtag',
  'zip',
  'compass',
  'passport_country',
  'api_version',
  'keyboard',
  'tokenised',
  '密码',
  '__proto__',
])('%s holds none', (name) => {
  expect(namesSecret(name)).toBe(false);
});

it('says the same of any number of names', () => {
  for (let index = 0; index < 5000; index += 1) {
    expect(namesSecret(`column ${index}`)).toBe(false);
    expect(namesSecret(`token ${index}`)).toBe(true);
  }
});
