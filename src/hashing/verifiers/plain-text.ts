import { defineAlgorithm } from '../algorithm.ts';
import { TEXT } from '../formats/encodings.ts';
import { bytesOf } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { sha256 } from '../kdf/digests.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { DIGEST_COST, DIGEST_REFERENCE } from './define-salted-digest.ts';

/** Text after a scheme in braces is a hash. Control characters mean that the file was misread. */
const PATTERN = new HashPattern(/(?<text>(?!\{[^{}]*\})[^\p{Cc}\p{Cs}]*)/u, {
  parts: { text: TEXT },
  looksLike: 'the password, without control characters and no {scheme} in front',
});

/**
 * A plain-text password, which some systems store for tests. It is hashed on import. Any text has its shape,
 * so it is recognised only after a mark such as Spring's `{noop}`.
 */
export const plainText = defineAlgorithm({
  name: 'plain-text',
  displayName: 'Plain text',
  looksLike: 'the password',
  strength: 'broken',
  reference: DIGEST_REFERENCE,
  shape: /^/,
  byNameOnly: true,
  parser: () => (encoded) => ({ text: PATTERN.part(PATTERN.read(encoded), 'text') }),
  cost: () => DIGEST_COST,
  password: () => BYTES,
  // A decoy must not show the length of a user's password.
  decoy: () => '0'.repeat(32),
  withoutDigest: () => '0'.repeat(32),
  describe: () => ({}),
  clearText: ({ text }) => bytesOf(text).toString('utf8'),
  // Digests of equal length take the same time to compare for every password.
  compute: { digest: ({ text }) => sha256(bytesOf(text)), of: (_parsed, password) => sha256(password) },
});
