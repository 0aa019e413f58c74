import { createHash, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { verifyPasswordHash } from '../../src/passwords/verify-password-hash.ts';
import { verifierOf } from '../support/vectors.ts';
import { passwordsOf } from './made-up-families.ts';

const SALT = Buffer.from('00ff10ee20dd30cc', 'hex');
const HEX_SALT = SALT.toString('hex');
const BASE64_SALT = SALT.toString('base64');
const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64');
const sha256 = (...parts: (string | Buffer)[]) =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();

const salted = (params: string, salt: string, hash: string | Buffer, name = 'salted-sha256') =>
  `$${name}$${params}$${salt}$${base64(hash)}`;
const scrypted = (r: number, written: number) =>
  `$scrypt$ln=4,r=${written},p=1$${base64(SALT)}$${base64(scryptSync('secret', SALT, 32, { N: 16, r }))}`;
const good = sha256(SALT, 'secret');

const MISTAKEN: [string, string][] = [
  ['SALT_ORDER', salted('o=sp', base64(SALT), sha256('secret', SALT))],
  ['SALT_ORDER', salted('o=ps', base64(SALT), sha256(SALT, 'secret', SALT))],
  ['SALT_DECODED', salted('o=sp', base64(SALT), sha256(HEX_SALT, 'secret'))],
  ['SALT_DECODED', salted('o=sp', base64(SALT), sha256(BASE64_SALT, 'secret'))],
  ['SALT_DECODED', salted('o=sp', base64('abcd'), sha256(base64('abcd'), 'secret'))],
  ['SALT_AS_TEXT', salted('o=sp', base64(HEX_SALT), good)],
  ['SALT_AS_TEXT', salted('o=sp', base64(BASE64_SALT), good)],
  ['PASSWORD_IN_UTF16', salted('o=sp', base64(SALT), sha256(SALT, Buffer.from('secret', 'utf16le')))],
  ['PASSWORD_IN_UTF16', salted('e=utf16le,o=sp', base64(SALT), good)],
  ['WRONG_DIGEST', salted('o=sp', base64(SALT), good, 'salted-sha1')],
  ['HEX_INSTEAD_OF_BASE64', `$salted-sha256$o=sp$${HEX_SALT}$${good.toString('hex')}`],
  ['HEX_INSTEAD_OF_BASE64', `$salted-sha256$o=sp$${HEX_SALT}$${sha256(HEX_SALT, 'secret').toString('hex')}`],
  ['HEX_INSTEAD_OF_BASE64', `$salted-sha256$o=sp$${base64(SALT)}$${good.toString('hex')}`],
  ['HEX_INSTEAD_OF_BASE64', salted('o=sp', HEX_SALT, sha256(HEX_SALT, 'secret'))],
  ['HEX_IN_BASE64', salted('o=sp', base64(SALT), good.toString('hex'))],
  ['ROUNDS_OF_TEXT', salted('o=sp,i=2', base64(SALT), sha256(good.toString('hex')))],
  ['ROUNDS_OF_TEXT', salted('o=sp,i=3', base64(SALT), sha256(base64(sha256(base64(good)))))],
  ['ROUNDS_OF_TEXT', salted('o=sp,i=2,x=hex', base64(SALT), sha256(base64(good)))],
  ['SCRYPT_BLOCK_SIZE', scrypted(16, 8)],
  ['SCRYPT_BLOCK_SIZE', scrypted(8, 16)],
];

const passwords = passwordsOf(FAMILIES.filter(({ name }) => /^(?:salted-|scrypt$)/.test(name)));

describe('a hash in the canonical form', () => {
  it.each(MISTAKEN)('has the repair %s: %s', async (code, passwordHash) => {
    const answer = await verifyPasswordHash({ passwords }, { passwordHash, password: 'secret' });
    expect(answer).toMatchObject({ match: false, mistake: { code } });
    const wrong = await verifyPasswordHash({ passwords }, { passwordHash, password: 'wrong' }).catch(
      () => ({}),
    );
    expect(wrong).not.toHaveProperty('mistake');
  });

  it('has no repairs if it is of another form, and few in any case', () => {
    for (const text of ['', '$', '$x$$$', '$x$$a$b$c', 'x$a$b$c', '$x$\n$a$'])
      for (const name of ['salted-sha256', 'pbkdf2', 'scrypt', 'hmac-sha256'])
        expect(verifierOf(name).repairs(text)).toEqual([]);
    const worst = verifierOf('salted-sha256').repairs(
      `$salted-sha256$o=sp,i=25000$${'ab'.repeat(8)}$${'ab'.repeat(8)}`,
    );
    expect(worst.length).toBeLessThanOrEqual(15);
  });

  it('has repairs with the iterations of earlier and later versions', () => {
    const offered = (i: string) =>
      verifierOf('pbkdf2')
        .repairs(`$pbkdf2-sha256$${i}$$${base64(good)}`)
        .filter(({ mistake }) => mistake === 'ITERATIONS_OF_A_VERSION')
        .map(({ encoded }) => encoded.split('$')[2]);
    expect(offered('i=25000,l=32')).toEqual(['i=24000,l=32', 'i=27500,l=32']);
    expect(offered('i=1')).toEqual(['i=1000']);
    expect(offered('i=99999999')).toEqual(['i=1300000']);
    expect(offered('')).toEqual([]);
  });
});

describe('a hash in hexadecimal digits', () => {
  const digits = good.toString('hex');
  const repairsOf = (text: string) =>
    verifierOf('authme')
      .repairs(`$SHA$salt$${text}`)
      .filter(({ mistake }) => mistake === 'BASE64_INSTEAD_OF_HEX')
      .map(({ encoded }) => encoded);

  it('is repaired to lower-case digits', () => {
    expect(repairsOf(base64(good))).toEqual([`$SHA$salt$${digits}`]);
    expect(repairsOf(digits.toUpperCase())).toEqual([`$SHA$salt$${digits}`]);
    for (const text of [digits, '', 'ä']) expect(repairsOf(text)).toEqual([]);
  });
});
