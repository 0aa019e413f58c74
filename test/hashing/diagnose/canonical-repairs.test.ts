import { createHash, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalRepairs } from '../../../src/hashing/diagnose/canonical-repairs.ts';
import { dialectRepairs } from '../../../src/hashing/diagnose/dialect-repairs.ts';
import { VERSION_ITERATIONS } from '../../../src/hashing/diagnose/version-iterations.ts';
import { verifyPasswordHash } from '../../../src/passwords/verify-password-hash.ts';
import { CANONICAL, passwordsOf } from '../made-up-algorithms.ts';

const SALT = Buffer.from('00ff10ee20dd30cc', 'hex');
const HEX_SALT = SALT.toString('hex');
const BASE64_SALT = SALT.toString('base64');
const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64');
const sha256 = (...parts: (string | Buffer)[]) =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();

const salted = (params: string, salt: string, hash: Buffer, name = 'made-sha256') =>
  `$${name}$${params}$${salt}$${base64(hash)}`;
const scrypted = (r: number, written: number) =>
  `$made-scrypt$r=${written}$${base64(SALT)}$${base64(scryptSync('secret', SALT, 32, { N: 16, r }))}`;

const MISTAKEN: [string, string][] = [
  ['SALT_ORDER', salted('o=sp', base64(SALT), sha256('secret', SALT))],
  ['SALT_ORDER', salted('o=ps', base64(SALT), sha256(SALT, 'secret', SALT))],
  ['SALT_DECODED', salted('o=sp', base64(SALT), sha256(HEX_SALT, 'secret'))],
  ['SALT_DECODED', salted('o=sp', base64(SALT), sha256(BASE64_SALT, 'secret'))],
  ['SALT_DECODED', salted('o=sp', base64('abcd'), sha256(base64('abcd'), 'secret'))],
  ['SALT_AS_TEXT', salted('o=sp', base64(HEX_SALT), sha256(SALT, 'secret'))],
  ['SALT_AS_TEXT', salted('o=sp', base64(BASE64_SALT), sha256(SALT, 'secret'))],
  ['PASSWORD_IN_UTF16', salted('o=sp', base64(SALT), sha256(SALT, Buffer.from('secret', 'utf16le')))],
  ['PASSWORD_IN_UTF16', salted('e=utf16le,o=sp', base64(SALT), sha256(SALT, 'secret'))],
  ['WRONG_DIGEST', salted('o=sp', base64(SALT), sha256(SALT, 'secret'), 'made-sha1')],
  ['HEX_INSTEAD_OF_BASE64', `$made-sha256$o=sp$${HEX_SALT}$${sha256(SALT, 'secret').toString('hex')}`],
  ['HEX_INSTEAD_OF_BASE64', `$made-sha256$o=sp$${HEX_SALT}$${sha256(HEX_SALT, 'secret').toString('hex')}`],
  ['HEX_INSTEAD_OF_BASE64', `$made-sha256$o=sp$${base64(SALT)}$${sha256(SALT, 'secret').toString('hex')}`],
  ['HEX_INSTEAD_OF_BASE64', salted('o=sp', HEX_SALT, sha256(HEX_SALT, 'secret'))],
  ['SCRYPT_BLOCK_SIZE', scrypted(16, 8)],
  ['SCRYPT_BLOCK_SIZE', scrypted(8, 16)],
];

describe('a hash in the canonical form', () => {
  it.each(MISTAKEN)('has the repair %s: %s', async (code, passwordHash) => {
    const passwords = passwordsOf(CANONICAL);
    const answer = await verifyPasswordHash({ passwords }, { passwordHash, password: 'secret' });
    expect(answer).toMatchObject({ match: false, mistake: { code } });
    const wrong = await verifyPasswordHash({ passwords }, { passwordHash, password: 'wrong' }).catch(
      () => ({}),
    );
    expect(wrong).not.toHaveProperty('mistake');
  });

  it('has no repairs if it is of another form, and few in any case', () => {
    const all = canonicalRepairs({
      order: true,
      salt: true,
      encoding: true,
      blockSize: true,
      digests: { x: 1, y: 2, z: 3 },
      freeLength: true,
      iterations: VERSION_ITERATIONS.columns,
    });
    for (const text of ['', '$', '$x$$$', '$x$$a$b$c', 'x$a$b$c', '$x$\n$a$']) expect(all(text)).toEqual([]);
    const worst = `$x$o=sp,k=salt,r=8,i=25000$${'ab'.repeat(8)}$${'ab'.repeat(8)}`;
    expect(all(worst).length).toBeLessThanOrEqual(15);
  });

  it('has repairs with the iterations of earlier and later versions', () => {
    const repairs = canonicalRepairs({ iterations: VERSION_ITERATIONS.columns });
    const offered = (i: string) => repairs(`$x$${i}$$AAAA`).map(({ encoded }) => encoded.split('$')[2]);
    expect(offered('i=25000,l=3')).toEqual(['i=24000,l=3', 'i=27500,l=3']);
    expect(offered('i=1')).toEqual(['i=1000']);
    expect(offered('i=99999999')).toEqual(['i=1300000']);
    expect(offered('i=x')).toEqual([]);
    expect(offered('')).toEqual([]);
  });
});

describe('a dialect', () => {
  const hex = dialectRepairs({ pattern: /^x\$(?<hash>[^$]*)$/, hexHash: true, versions: [] });

  it('has its hash repaired to lower-case hexadecimal digits', () => {
    expect(hex('x$3q2+7w==')).toEqual([{ mistake: 'BASE64_INSTEAD_OF_HEX', encoded: 'x$deadbeef' }]);
    expect(hex('x$DEADBEEF')).toEqual([{ mistake: 'BASE64_INSTEAD_OF_HEX', encoded: 'x$deadbeef' }]);
    for (const text of ['x$deadbeef', 'x$', 'y$DEADBEEF', 'x$ä']) expect(hex(text)).toEqual([]);
  });
});
