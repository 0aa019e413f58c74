import { createCipheriv } from 'node:crypto';
import { decodeBase64 } from '../../lib/text/base64.ts';
import { type Family, family } from '../family.ts';
import { bytes, number, part, refuseUnless } from '../form.ts';
import { isOnlyHmacKey } from '../kdf/password-reading.ts';
import { maxLog2N, scryptCost, scryptKey } from '../kdf/scrypt.ts';
import type { PossibleRepair } from '../mistakes.ts';
import { HashRefused } from '../refused.ts';
import type { Parts } from '../template.ts';

const costsOf = (parts: Parts) => ({ log2N: number(parts, 'memCost'), r: number(parts, 'rounds'), p: 1 });
const saltOf = (parts: Parts) => Buffer.concat([bytes(parts, 'salt'), bytes(parts, 'separator')]);

/**
 * Firebase's scrypt. The digest is the signer key, encrypted with a key that scrypt derives from the
 * password.
 */
export const externalScrypt: Family = family('external_scrypt', {
  title: 'External SCrypt',
  aliases: ['firebase_scrypt'],
  superTokensName: 'firebase_scrypt',
  as: '$f_scrypt$<digest:b64>$<salt:b64>$<m=memCost:int$r=rounds:int$s=separator:b64*>',
  looksLike:
    "`$f_scrypt$<hash>$<salt>$m=<mem_cost>$r=<rounds>$s=<salt separator>`; needs the exporter's signer key",
  mark: /^\$f_scrypt\$/,
  secret: 'required',
  check(parts) {
    const { log2N, r } = costsOf(parts);
    refuseUnless(log2N <= maxLog2N(r), 'm must be less than 16 times r');
  },
  checkSecret: checkKey,
  formula: {
    digestPart: 'digest',
    async of({ password, secret, parts }) {
      const derived = await scryptKey(password, { ...costsOf(parts), salt: saltOf(parts), length: 64 });
      return createCipheriv('aes-256-ctr', derived.subarray(0, 32), Buffer.alloc(16)).update(secret);
    },
    cost: (parts) =>
      scryptCost(costsOf(parts), part(parts, 'salt').length + part(parts, 'separator').length, 64),
    strength: 'strong',
    time: '0.3 µs × 2^`m` × `r`',
    isOnlyKey: (key) => isOnlyHmacKey('sha256', key),
    // The separator follows the salt in scrypt's salt, so only their concatenation matters.
    identity: ({ memCost, rounds, digest, ...parts }) => ({ memCost, rounds, salt: saltOf(parts), digest }),
    portable: (parts) => ({
      ...{ kind: 'firebase-scrypt', memCost: number(parts, 'memCost'), rounds: number(parts, 'rounds') },
      ...{ salt: bytes(parts, 'salt'), separator: bytes(parts, 'separator'), hash: bytes(parts, 'digest') },
    }),
    describe: ({ memCost, rounds, salt, separator, digest }) => ({
      ...{ memCost, rounds, salt, saltSeparator: separator, digest },
    }),
  },
  repairs,
});

/** @throws {HashRefused} if the hash cannot be of the configured signer key */
function checkKey(parts: Parts, signerKey: Uint8Array | undefined): void {
  if (signerKey === undefined)
    throw new HashRefused('signer-key-missing', 'external_password_hashing_signer_key is not configured');
  const { length } = part(parts, 'digest');
  refuseUnless(
    length === signerKey.length,
    `digest is ${length} bytes but the signer key is ${signerKey.length} bytes: wrong key?`,
  );
}

/**
 * The digest is the encrypted signer key. If fewer bytes were compared when one is cut off, a caller could
 * send made-up hashes and find out the key byte by byte.
 */
const MIN_SHARED_BYTES = 16;

function repairs(encoded: string, signerKey: Uint8Array | undefined): PossibleRepair[] {
  const [digestText = '', salt = '', ...parameters] = encoded.split('$', 8).slice(2);
  if (!encoded.startsWith('$f_scrypt$') || parameters.length !== 3) return [];
  const separator = parameters.find((item) => item.startsWith('s='))?.slice(2) ?? '';
  const joined = (...sections: string[]) => ['$f_scrypt', ...sections].join('$');
  const swapped = parameters.map((item) => (item.startsWith('s=') ? `s=${salt}` : item));
  const shared = sharedPart(digestText, signerKey);
  return [
    { mistake: 'SALT_AND_SEPARATOR_SWAPPED', encoded: joined(digestText, separator, ...swapped) },
    ...(shared
      ? [
          {
            mistake: 'SIGNER_KEY_LENGTH' as const,
            encoded: joined(shared.digest, salt, ...parameters),
            secret: shared.key,
          },
        ]
      : []),
  ];
}

/** A stream cipher encrypts each byte separately, so a shortened digest still matches the shortened key. */
function sharedPart(text: string, signerKey: Uint8Array | undefined) {
  const digest = decodeBase64(text, 'lenient');
  if (signerKey === undefined || 'problem' in digest || digest.length === signerKey.length) return undefined;
  const length = Math.min(digest.length, signerKey.length);
  if (length < MIN_SHARED_BYTES) return undefined;
  return { digest: digest.subarray(0, length).toString('base64'), key: signerKey.subarray(0, length) };
}
