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
  'verificationtoken',
  '_verificationtoken',
  'user_newpassword',
  'newpassword',
  'accesstoken',
  'refreshToken2',
  'clientsecret',
  'secretKey',
  'private_key',
  'userapikey',
  'recovery_codes',
  'backupCodes',
  'scratchcodes',
  'two_factor_recovery_codes',
  'user_activation_key',
  'SecurityStamp',
  'secretanswer',
  'preHash',
  'passwordHistory',
  'OTPSecret',
  'otpsecret',
  '2fa',
  'lastloginip',
  'userIP',
  'ipaddress',
  'sha256',
  'email_md5',
  'senha',
  'contraseña',
  '密码',
  '5f4dcc3b5aa765d61d8327deb882cf99:salt$2b$10$abcdefghijklmnopqrstuv',
  '$2b$10$abcdefghijklmnopqrstuv',
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
  'secretary',
  'passenger',
  'passport',
  'obsession',
  'shipping',
  'email_digest',
  'invite_code',
  'phone_code',
  'postcode',
  'public_key',
  'hotel',
  'description',
  'obscured',
  'md',
  '__proto__',
])('%s holds no secret', (name) => {
  expect(namesSecret(name)).toBe(false);
});

it('gives the same answer for any number of names', () => {
  for (let index = 0; index < 5000; index += 1) {
    expect(namesSecret(`column ${index}`)).toBe(false);
    expect(namesSecret(`token ${index}`)).toBe(true);
  }
});
