import { createHash, pbkdf2Sync } from 'node:crypto';
import { Form, family } from '../../src/hashing/family.ts';
import { digest } from '../../src/hashing/formulas.ts';
import { firstBytes } from '../../src/hashing/kdf/password-reading.ts';

/** Returns a hash of class legacy, which is computed on libuv's threads. */
export function weakHash(password: string, salt = 'salt'): string {
  const digest = pbkdf2Sync(password, salt, 1, 32, 'sha256').toString('base64');
  return `$pbkdf2-sha256$i=1$${Buffer.from(salt).toString('base64')}$${digest}`;
}

const md5 = (...parts: Uint8Array[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest();

const SALT_AND_HASH = '<salt:hex*>$<hash:hex/16>';
const reading = firstBytes(8);

/**
 * A family of class broken that exists only in tests. It reads the first 8 bytes of a password. Some of its
 * hashes need a secret.
 */
export const testMd5 = family('test-md5', {
  title: 'Test MD5',
  forms: [
    new Form(
      `$test-md5$$${SALT_AND_HASH}`,
      digest(({ salt, password }) => md5(salt, password)),
      { reading },
    ),
    new Form(
      `$test-md5$s$${SALT_AND_HASH}`,
      digest(({ salt, password, secret }) => md5(salt, password, secret)),
      { reading, secret: 'required' },
    ),
  ],
});

export function brokenHash(password: string, salt = 'ab', secret = ''): string {
  const digest = md5(Buffer.from(salt, 'hex'), Buffer.from(password).subarray(0, 8), Buffer.from(secret));
  return `$test-md5$${secret && 's'}$${salt}$${digest.toString('hex')}`;
}
