import { hash, timingSafeEqual } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { defineAlgorithm } from '../algorithm.ts';
import type { PlacedPart } from '../formats/hash-part.ts';
import { HashRefused } from '../verifier.ts';

interface PhpassHash {
  log2Rounds: number;
  salt: PlacedPart;
  digest: PlacedPart;
}

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 34;
/** The bounds that phpass itself has for log2 of the rounds. */
const MIN_LOG2 = 7;
const MAX_LOG2 = 30;
/** The phpass of WordPress hashes no longer passwords, so none can match. */
const MAX_PASSWORD_BYTES = 4096;

/** A round takes 1 µs for a usual password. The reference is the longest: whoever signs in chooses how long it is. */
const ROUND_MS = 0.0075;
/** Half a millisecond to four: so soon the hashing process hears of other work, and that its parent is gone. */
const SLICE_ROUNDS = 512;

/** The portable hashes of phpass, which WordPress (up to 6.7), phpBB 3 and others write: MD5, many times over. */
export const phpass = defineAlgorithm({
  name: 'phpass',
  aliases: ['phpbb3'],
  displayName: 'phpass',
  looksLike: '`$P$<cost><salt><digest>` or `$H$…` (phpBB 3), 34 characters',
  strength: 'legacy',
  reference: {
    formula: '7.5 µs × 2^cost, for the longest password; 1 µs for usual ones',
    examples: 'cost `B` (13): 61 ms; `G` (18): 1966 ms',
    measured: 'cost `G`: 1986 ms for 4096 bytes, 270 to 366 ms for 5',
  },
  limits: {
    phpass_max_log2: {
      min: MIN_LOG2,
      max: MAX_LOG2,
      default: 18,
      description: 'Highest cost (log2 of the rounds) of an imported phpass hash.',
    },
  },
  prefix: /^\$[PH]\$/,
  loopsInJavaScript: true,
  parser:
    ({ settings }) =>
    (encoded) =>
      parse(encoded, settings.phpass_max_log2),
  cost: ({ log2Rounds }) => ({ memoryBytes: 2 * MAX_PASSWORD_BYTES, ms: 2 ** log2Rounds * ROUND_MS }),
  verify,
});

function parse(encoded: string, maxLog2: number): PhpassHash {
  if (!/^\$[PH]\$/.test(encoded)) throw new HashRefused('format', 'does not begin with $P$ or $H$');
  if (encoded.length !== LENGTH) {
    throw new HashRefused('format', `expected ${LENGTH} characters, got ${encoded.length}`);
  }
  const stray = encoded.slice(3).search(/[^./0-9A-Za-z]/);
  if (stray !== -1) {
    throw new HashRefused('format', `character ${4 + stray} is not of the alphabet ./0-9A-Za-z`);
  }
  // 16 bytes leave two bits for the last character.
  if (ALPHABET.indexOf(encoded.charAt(LENGTH - 1)) > 3) {
    throw new HashRefused('format', 'the unused bits of the last character are set');
  }
  const log2Rounds = ALPHABET.indexOf(encoded.charAt(3));
  if (log2Rounds < MIN_LOG2) throw new HashRefused('format', `cost must be at least 2^${MIN_LOG2} rounds`);
  if (log2Rounds > maxLog2) {
    throw new HashRefused(
      'cost',
      `2^${log2Rounds} rounds are above the limit of 2^${maxLog2} (phpass_max_log2)`,
    );
  }
  return {
    log2Rounds,
    salt: { text: encoded.slice(4, 12), length: 8, at: 4, zero: '.' },
    digest: { text: encoded.slice(12), length: 16, at: 12, zero: '.' },
  };
}

/**
 * Runs in JavaScript: libuv's threads would not help, as node:crypto has no function for the whole loop, and a call for each round
 * would cost more than the round.
 */
async function verify({ log2Rounds, salt, digest }: PhpassHash, password: Buffer): Promise<boolean> {
  if (password.length > MAX_PASSWORD_BYTES) return false;
  let state = hash('md5', Buffer.concat([Buffer.from(salt.text), password]), 'buffer');
  // Each round hashes the digest so far and the password behind it.
  const input = Buffer.concat([state, password]);
  for (let left = 2 ** log2Rounds; left > 0; left -= SLICE_ROUNDS) {
    for (let round = Math.min(left, SLICE_ROUNDS); round > 0; round -= 1) {
      state = hash('md5', input, 'buffer');
      state.copy(input);
    }
    await nextTurn();
  }
  return timingSafeEqual(Buffer.from(encode(state)), Buffer.from(digest.text));
}

/** Writes base64 as crypt does: of three bytes, the lowest six bits come first. */
function encode(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.subarray(at, at + 3);
    const value = group.readUIntLE(0, group.length);
    for (let digit = 0; digit <= group.length; digit += 1)
      text += ALPHABET.charAt((value >> (6 * digit)) & 63);
  }
  return text;
}
