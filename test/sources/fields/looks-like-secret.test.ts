import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksLikeSecret } from '../../../src/sources/fields/looks-like-secret.ts';

const bytes = (min: number, max = min) => fc.uint8Array({ minLength: min, maxLength: max }).map(Buffer.from);

describe('secrets', () => {
  it.each([
    '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '$argon2id$v=19$m=7168,t=5,p=1$QTmEzPJoBi8Ot7SCanjtlg$zPBVpHB4BXgrGbbHbfq6eGNQsSfpu',
    '$P$BVbptZxEcZV2yeLyYeN.O4ZeG8225d.',
    'U$S$5abcdefghijklmnopqrstuv',
    '!$6$salt$abcdefghijklmnop',
    '{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=',
    '{SHA512-CRYPT}$6$salt$abcdefghijklmnop',
    'pbkdf2_sha256$600000$salt$abcdefghijklmnop',
    'pbkdf2:sha256:600000$salt$abcdefghijklmnop',
    'pbkdf2-sha256-v1:5f4dcc3b5aa765d61d8327deb882cf99',
    'scrypt:32768:8:1$salt$abcdefghijklmnop',
    'md5d8578edf8458ce06fbc5bb76a58c5ca4',
    '5f4dcc3b5aa765d61d8327deb882cf99',
    '5F4DCC3B5AA765D61D8327DEB882CF99:salt',
    'salt:5f4dcc3b5aa765d61d8327deb882cf99',
    '\\x24326124313024616161616161616161616161',
    '0x5f4dcc3b5aa765d61d8327deb882cf99',
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N',
    'otpauth://totp/Example:ada@example.org?secret=JBSWY3DPEHPK3PXP&issuer=Example',
    'JBSWY3DPEHPK3PXP',
    'jbsw y3dp ehpk 3pxp',
    '-----BEGIN PRIVATE KEY-----',
    'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    ['sk', 'live', '4eC39HqLyjWDarjtT1zdp7dc'].join('_'),
    'ya29.a0AfH6SMBx-abcdefghijk',
    '1//0gabcdefghijklmnopqrs',
    'Bearer AbCdEf0123456789xyz',
    'postgres://app:hunter2@db.example.org/app',
    'V1StGXR8_Z5jdHi6B-myTa9c',
    '203.0.113.7',
    '2001:db8::1',
    'his old hash was $2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy, keep it',
  ])('include %s', (text) => {
    expect(looksLikeSecret(text)).toBe(true);
  });

  it('include digests of any password, in hexadecimal digits and base64', () => {
    const digests = fc.constantFrom('md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512');
    fc.assert(
      fc.property(digests, fc.string(), (name, password) => {
        const digest = createHash(name).update(password).digest();
        expect(looksLikeSecret(digest.toString('hex'))).toBe(true);
        expect(looksLikeSecret(digest.toString('hex').toUpperCase())).toBe(true);
      }),
    );
  });

  it('include nearly all random tokens of 32 bytes', () => {
    const tokens = Array.from({ length: 2000 }, () => randomBytes(32));
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      const seen = tokens.filter((token) => looksLikeSecret(token.toString(encoding)));
      expect(seen.length).toBeGreaterThan(1960);
    }
  });

  it('include marked values, even if the name says that they are ids', () => {
    fc.assert(
      fc.property(bytes(24, 48), (token) => {
        expect(looksLikeSecret(`$2b$10$${token.toString('base64url')}`, true)).toBe(true);
        expect(looksLikeSecret(`{SSHA}${token.toString('base64')}`, true)).toBe(true);
      }),
    );
  });
});

describe('values that are not secret', () => {
  it.each([
    '',
    'Ada Lovelace',
    'Wolfeschlegelsteinhausenbergerdorff',
    'JEAN-BAPTISTE EMANUEL',
    'CHRISTOPHERALEXANDER',
    'Мария Иванова-Петровская',
    'ada.lovelace+news@mail.example.org',
    'https://lh3.googleusercontent.com/a/ACg8ocK4xQ2vZ7tGhJ1pL9mN0bV3cX5zA6sD8fG7hJ2kL4=s96-c',
    'https://firebasestorage.example.com/v0/b/a.png?alt=media&token=0c1b2f4e-7b0d-4b0e-9b0e-3b0c1b2f4e7b',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB',
    '/uploads/2024/01/Avatar-1A2b3C4d5E.png',
    '550e8400-e29b-41d4-a716-446655440000',
    '507f1f77bcf86cd799439011',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'cjld2cjxh0000qzrmn831i7rn',
    'user_2NNEqL2nrIRdJ194ndJqAHwEfxC',
    'cus_NffrFeUfNV2HibAbCdEfGh',
    '2024-01-15T10:30:00.123Z',
    '20240115T103000Z',
    '12345678901234567890123456789012',
    '+49 30 901820 12345678',
    'DE89370400440532013000',
    'America/Argentina/Buenos_Aires',
    'hello-world-2024-part-2-of-the-series',
    'Head of R&D (since 2019); likes $5 coffee {black}',
    'My password is none of your business',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
    '#1A2B3C',
    '10:30:00',
    '1.2.3',
  ])('include %s', (text) => {
    expect(looksLikeSecret(text)).toBe(false);
  });

  it('include UUIDs, numbers and times', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.bigInt({ min: 0n, max: 10n ** 40n }),
        fc.date({ noInvalidDate: true }),
        (uuid, number, date) => {
          for (const text of [uuid, uuid.toUpperCase(), String(number), date.toISOString()])
            expect(looksLikeSecret(text)).toBe(false);
        },
      ),
    );
  });

  it('include words in any spelling', () => {
    const words = fc.array(
      fc.constantFrom('ada', 'Lovelace', 'engine', 'Babbage', 'London', 'analytical', '1843'),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(words, fc.constantFrom(' ', '-', '_', '.', '/', ', '), (list, separator) => {
        expect(looksLikeSecret(list.join(separator))).toBe(false);
      }),
    );
  });

  it('include an id as random as a token, if its name says that it is an id', () => {
    for (let index = 0; index < 500; index += 1) {
      expect(looksLikeSecret(randomUUID().replaceAll('-', ''), true)).toBe(false);
      expect(looksLikeSecret(randomBytes(21).toString('base64url'), true)).toBe(false);
    }
  });
});
