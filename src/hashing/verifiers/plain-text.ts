import { defineAlgorithm } from '../algorithm.ts';
import { TEXT } from '../formats/encodings.ts';
import { bytesOf } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { sha256 } from '../kdf/digests.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { DIGEST_COST, DIGEST_REFERENCE } from './define-salted-digest.ts';

/** A scheme in front is no password: it is that of a hash inside another. Control characters come from how the text was read. */
const PATTERN = new HashPattern(/(?<text>(?!\{[^{}]*\})[^\p{Cc}\p{Cs}]*)/u, {
  parts: { text: TEXT },
  looksLike: 'the password, without control characters and no {scheme} in front',
});

/** The password itself, as some systems keep it of tests. It is hashed when it is imported. It is for envelopes that say so: any text looks like it. */
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
  // Of one length for all, as the length is a part of the secret.
  decoy: () => '0'.repeat(32),
  withoutDigest: () => '0'.repeat(32),
  describe: () => ({}),
  clearText: ({ text }) => bytesOf(text).toString('utf8'),
  // Digests are as long as each other, so that the comparison takes the same time for all passwords.
  compute: { digest: ({ text }) => sha256(bytesOf(text)), of: (_parsed, password) => sha256(password) },
});
