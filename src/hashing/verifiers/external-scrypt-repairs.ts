import { decodeBase64 } from '../../lib/text/base64.ts';
import { hexToBase64, swapNames } from '../diagnose/repair-text.ts';
import type { HashVerifier, Repair } from '../verifier.ts';

/**
 * Least bytes that a cut-off key must agree in. The digest is the signer key, encrypted: were fewer compared, a caller
 * who makes up hashes could ask for the key byte by byte.
 */
const MIN_SHARED_BYTES = 16;

/**
 * What an external scrypt hash may have been before a mistake was made with it.
 * @param verifierWith the verifier for another signer key, same bounds
 */
export function externalScryptRepairs(
  encoded: string,
  signerKey: Uint8Array | undefined,
  verifierWith: (signerKey: Uint8Array) => HashVerifier,
): Repair[] {
  const [digest = '', salt = '', ...parameters] = encoded.split('$', 8).slice(2);
  if (!encoded.startsWith('$f_scrypt$') || parameters.length !== 3) return [];
  const separator = parameters.find((item) => item.startsWith('s='))?.slice(2) ?? '';
  const withSeparator = (text: string) =>
    parameters.map((item) => (item.startsWith('s=') ? `s=${text}` : item));
  const joined = (...sections: string[]) => ['$f_scrypt', ...sections].join('$');
  return [
    { mistake: 'SALT_AND_SEPARATOR_SWAPPED', encoded: joined(digest, separator, ...withSeparator(salt)) },
    {
      mistake: 'MEM_COST_AND_ROUNDS_SWAPPED',
      encoded: joined(digest, salt, ...swapNames(parameters, 'm', 'r')),
    },
    { mistake: 'HASH_AND_SALT_SWAPPED', encoded: joined(salt, digest, ...parameters) },
    {
      mistake: 'HEX_INSTEAD_OF_BASE64',
      encoded: joined(hexToBase64(digest), hexToBase64(salt), ...withSeparator(hexToBase64(separator))),
    },
    ...sharedPart(digest, signerKey).map(
      ({ digestText, key }): Repair => ({
        mistake: 'SIGNER_KEY_LENGTH',
        encoded: joined(digestText, salt, ...parameters),
        verifier: verifierWith(key),
      }),
    ),
  ];
}

/** The cipher is a stream: as far as digest and signer key both go, they agree, however long the longer one is. */
function sharedPart(
  digestText: string,
  signerKey: Uint8Array | undefined,
): { digestText: string; key: Uint8Array }[] {
  const digest = decodeBase64(digestText, 'lenient');
  if (signerKey === undefined || 'problem' in digest || digest.length === signerKey.length) return [];
  const length = Math.min(digest.length, signerKey.length);
  if (length < MIN_SHARED_BYTES) return [];
  return [{ digestText: digest.subarray(0, length).toString('base64'), key: signerKey.subarray(0, length) }];
}
