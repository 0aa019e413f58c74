import type { SourcePassword } from '../source-user.ts';
import { selfDescribingHash } from './hashes.ts';
import { textOf } from './values.ts';

const MD5 = /^[0-9a-f]{32}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const MAGENTO_1 = /^([0-9a-f]{32}|[0-9a-f]{64}):([^:]+)$/;
/** Beginning of a Magento 2 hash, followed by version numbers. The digest may have any length. */
const MAGENTO_2 = /^[0-9a-f]{32,256}:[^:]*:/;

/** Whether the value is a Magento hash, and not another attribute of a customer. */
export const looksLikeMagentoHash = (value: unknown): boolean =>
  typeof value === 'string' && (MAGENTO_1.test(value) || MAGENTO_2.test(value));

/**
 * Converts `hash:salt:version…` of Magento 2, `hash:salt` of Magento 1 (SHA-256 in the Enterprise Edition),
 * or a digest without a salt.
 */
export function magentoPassword(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  if (encoded === undefined) return undefined;
  if (MAGENTO_2.test(encoded)) return { encoded, algorithm: 'magento2' };
  const [, digits, salt] = MAGENTO_1.exec(encoded) ?? [];
  if (digits !== undefined && salt !== undefined)
    return digits.length === 32 ? { encoded, algorithm: 'magento1' } : saltedSha256(digits, salt);
  if (MD5.test(encoded)) return { encoded, algorithm: 'hex-md5' };
  if (SHA256.test(encoded)) return { encoded, algorithm: 'hex-sha256' };
  return selfDescribingHash(encoded);
}

const saltedSha256 = (digits: string, salt: string): SourcePassword => ({
  encoded: `$salted-sha256$o=sp$${Buffer.from(salt).toString('base64')}$${Buffer.from(digits, 'hex').toString('base64')}`,
  algorithm: 'salted-sha256',
});
