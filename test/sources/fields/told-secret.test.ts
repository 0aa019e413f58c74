import { describe, expect, it } from 'vitest';
import { tellsSecret } from '../../../src/sources/fields/told-secret.ts';
import { withoutSecrets } from '../../../src/sources/fields/without-secrets.ts';

describe('a text that names a secret and gives it away', () => {
  it.each([
    ...['password=hunter2', 'pwd: 1234', 'his password is: sunshine', 'PASSWORD:\nhunter2', 'pass: 1234'],
    ...['Old system: user ada, pw: Sommer2019!', 'password (wifi): sommer', 'password => abc', 'pwd1:2345'],
    ...['login=ada;password=abc;x=1', 'mysql --password=abc', 'db_password=abc', 'user:password=abc'],
    ...['token=3f9ac1d2', 'try the token: 3f9ac1d2', 'api key: AB12CD34', 'secret key = abc123'],
    ...['reset code: 12345a', 'https://example.com/reset?token=abc123def'],
    ...['https://example.com/?password=abcd'],
    ...[
      'mot de passe : azerty',
      'contraseña: gato',
      'clave: 1234',
      'Passwort: Katze',
      'senha=gato',
      'heslo: kočka',
    ],
    ...['пароль: qwerty', 'كلمة المرور: abc123', '密码：abc123', 'パスワード＝abc'],
    ...['{bad "password": "x1y2"', "cfg 'pwd': 'abc'"],
  ])('%s', (text) => {
    expect(tellsSecret(text)).toBe(true);
  });
});

describe('a text that does not', () => {
  it.each([
    ...['password reset on 2021-03-01', 'password reset: 2021-03-01', 'Password: changed on Monday'],
    ...['password: ********', 'password: n/a', 'Password:\nEmail: ada@example.com', 'password=&user=ada'],
    ...[
      'pwd_last_set=13284792',
      'passwordChangedAt: 12345',
      'password policy: strong1',
      'password=2021-03-01',
    ],
    ...[
      'Forgot password? Called at 10:30',
      'My password is none of your business',
      'Forgot the password: yes',
    ],
    ...['Tokens: 500', 'sessions=3', '2FA: on', 'mfa: totp', 'ip: unknown', 'Credentials: MD, PhD'],
    ...['secret: loves cats', 'Secret Santa: Bob', 'token: gold', 'user code: ab12cd', 'hashtag: #abc123'],
    ...['2024-01-01T10:30:00Z', '10:30', 'note: please call', 'Name: Ada; City: Ulm', 'http://a/b?x=1'],
    ...['compass: north', 'passport: C01X00T47', 'Passenger: Ada123', 'bypass: road1', 'секретарь: Иванова1'],
    ...['https://firebasestorage.example.com/v0/b/a.png?alt=media&token=0c1b2f4e-7b0d-4b0e'],
    ...['https://pictures.example.com/profilepic/?asid=1&hash=AeQ12345678'],
    ...['data:image/png;base64,iVBORw0KGgoAAAA=', '', '=', ':', 'password', 'password:'],
  ])('%s', (text) => {
    expect(tellsSecret(text)).toBe(false);
  });
});

it('is left out of metadata by itself, and is named', () => {
  const paths: string[] = [];
  const metadata = {
    note: 'pw: 12',
    notes: ['called in 2021', 'pwd: 1234'],
    ref: 'password=abc',
    user_id: 'token=3f9ac1',
  };
  expect(withoutSecrets(metadata, (path) => paths.push(path.join('.')))).toEqual({
    note: 'pw: 12',
    notes: ['called in 2021'],
  });
  expect(paths).toEqual(['notes', 'ref', 'user_id']);
});

it('takes time in proportion to the length of a text', () => {
  const started = performance.now();
  for (const piece of ['a:', 'password ', '= = ', 'p_'.repeat(40), 'x (('])
    tellsSecret(`${piece.repeat(50_000)}:`);
  expect(performance.now() - started).toBeLessThan(2000);
});
