import { createHash, scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { MISTAKES } from '../../src/hashing/mistakes.ts';
import { verifyPasswordHash } from '../../src/passwords/verify-password-hash.ts';
import {
  accepted,
  DEFAULT_LIMITS,
  formOf,
  secretOf,
  vector,
  vectorsOf,
  verifierOf,
} from '../support/vectors.ts';
import { passwordsOf } from './made-up-families.ts';
import { MISTAKEN, mistakenHash } from './mistaken-hashes.ts';

/** Texts of a part, as other writers encode its bytes. Only those that the family refuses are tested. */
const OTHER_TEXTS: readonly ((bytes: Buffer) => string)[] = [
  (bytes) => bytes.toString('hex'),
  (bytes) => bytes.toString('base64url'),
  (bytes) => bytes.toString('base64'),
];

describe.each(FAMILIES.map(({ name }) => name))('%s', (name) => {
  it('has repairs for parts in base64 that another writer encoded', () => {
    for (const sample of vectorsOf(name)) {
      if (sample.expect !== true) continue;
      const verifier = verifierOf(name, DEFAULT_LIMITS, secretOf(sample));
      const right = accepted(verifier, sample.hash);
      if (right === undefined) continue;
      for (const { hole, text, start, end } of formOf(right).holesOf(sample.hash)) {
        if (hole.name === 'packed' || hole.encoding?.isBase64 !== true || text.length < 8) continue;
        for (const write of OTHER_TEXTS) {
          const other = write(hole.encoding.decode(text));
          const mistaken = sample.hash.slice(0, start) + other + sample.hash.slice(end);
          if (accepted(verifier, mistaken) !== undefined) continue;
          const identities = verifier
            .repairs(mistaken)
            .map(({ encoded }) => accepted(verifier, encoded)?.identity);
          expect(identities, `${hole.name} of ${sample.id} as ${other}`).toContain(right.identity);
        }
      }
    }
  });
});

describe('a signer key that differs in length', () => {
  const sample = vector('external_scrypt', 'own-umlaut');
  const signerKey = secretOf(sample);
  const [, , digest = ''] = sample.hash.split('$');
  const cutTo = (length: number) =>
    sample.hash.replace(digest, Buffer.from(digest, 'base64').subarray(0, length).toString('base64'));
  const mistakesOf = (hash: string, key = signerKey) =>
    verifierOf('external_scrypt', DEFAULT_LIMITS, key)
      .repairs(hash)
      .map(({ mistake }) => mistake);

  it('is not tried on a few bytes, because that would reveal the key byte by byte', () => {
    for (const length of [1, 2, 8, 15]) expect(mistakesOf(cutTo(length))).not.toContain('SIGNER_KEY_LENGTH');
    expect(mistakesOf(cutTo(16))).toContain('SIGNER_KEY_LENGTH');
    expect(mistakesOf(sample.hash, signerKey?.subarray(0, 15))).not.toContain('SIGNER_KEY_LENGTH');
  });

  it('is not a mistake if the lengths agree, or if no key is configured', () => {
    expect(mistakesOf(sample.hash)).not.toContain('SIGNER_KEY_LENGTH');
    const repairs = verifierOf('external_scrypt').repairs(cutTo(32));
    expect(repairs.map(({ mistake }) => mistake)).not.toContain('SIGNER_KEY_LENGTH');
  });
});

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

const CANONICAL: [string, string][] = [
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
  it.each(CANONICAL)('has the repair %s: %s', async (code, passwordHash) => {
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

it('does not hide junk after a hash', () => {
  const { hash, algorithm, signerKey = '' } = mistakenHash('the hash is cut off');
  const own = verifierOf(algorithm, DEFAULT_LIMITS, Buffer.from(signerKey, 'base64'));
  expect(own.repairs(hash)).not.toEqual([]);
  for (const { encoded, verifier = own } of own.repairs(`${hash}$junk`))
    expect(accepted(verifier, encoded)).toBeUndefined();
});

/** Mistakes with examples above and in identify-hash.test.ts. */
const ELSEWHERE = [
  ...['ANOTHER_SECRET', 'ALGORITHM_MISNAMED', 'BASE64_INSTEAD_OF_HEX', 'HASH_IN_PIECES', 'HEX_IN_BASE64'],
  ...['PASSWORD_IN_UTF16', 'PEPPER_MISSING', 'ROUNDS_OF_TEXT', 'SALT_ORDER', 'SALTED_DIGEST'],
  'SCRYPT_BLOCK_SIZE',
];

it('every mistake has an example, and a row in the documentation', () => {
  const codes = Object.keys(MISTAKES);
  expect([...new Set([...MISTAKEN.map(({ mistake }) => mistake), ...ELSEWHERE])].sort()).toEqual(codes);
  const docs = readFileSync(new URL('../../docs/hash-reference.md', import.meta.url), 'utf8');
  const [, section = ''] = docs.split('## Likely mistakes');
  expect([...section.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, code]) => code)).toEqual(codes);
});
