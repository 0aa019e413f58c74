import { defineAlgorithm } from '../algorithm.ts';
import { CRYPT64, cryptDigit, TEXT } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { roundHasher } from '../kdf/round-hasher.ts';
import { HashRefused } from '../verifier.ts';

interface PhpassHash {
  log2Rounds: number;
  salt: HashPart;
  digest: HashPart;
}

/** The bounds that phpass itself has for log2 of the rounds. */
const MIN_LOG2 = 7;
const MAX_LOG2 = 30;
/** The phpass of WordPress hashes no longer passwords, so none can match. */
const MAX_PASSWORD_BYTES = 4096;

/** A round takes 0.6 µs for a usual password. The reference is the longest: whoever signs in chooses how long it is. */
const ROUND_MS = 0.0075;

const PATTERN = new HashPattern(
  /\$[PH]\$(?<cost>[./0-9A-Za-z])(?<salt>[./0-9A-Za-z]{8})(?<digest>[./0-9A-Za-z]{22})/,
  {
    parts: { salt: TEXT, digest: CRYPT64 },
    looksLike: '$P$ or $H$ and 31 of ./0-9A-Za-z: cost, salt (8), digest (22)',
  },
);

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
  shape: /^\$[PH]\$/,
  parser:
    ({ settings }) =>
    (encoded) =>
      parse(encoded, settings.phpass_max_log2),
  cost: ({ log2Rounds }) => ({
    memoryBytes: 2 * MAX_PASSWORD_BYTES,
    ms: 2 ** log2Rounds * ROUND_MS,
    runsOn: 'worker',
  }),
  decoy: (_parsed, encoded) => PATTERN.zeroed(encoded).replace('$H$', '$P$'),
  compute: { digest: ({ digest }) => bytesOf(digest), of: compute },
});

function parse(encoded: string, maxLog2: number): PhpassHash {
  const groups = PATTERN.read(encoded);
  const salt = PATTERN.part(groups, 'salt');
  const digest = PATTERN.part(groups, 'digest');
  const log2Rounds = cryptDigit(groups.cost ?? '');
  if (log2Rounds < MIN_LOG2) throw new HashRefused('format', `cost must be at least 2^${MIN_LOG2} rounds`);
  if (log2Rounds > maxLog2) {
    throw new HashRefused(
      'cost',
      `2^${log2Rounds} rounds are above the limit of 2^${maxLog2} (phpass_max_log2)`,
    );
  }
  return { log2Rounds, salt, digest };
}

async function compute({ log2Rounds, salt }: PhpassHash, password: Buffer): Promise<Buffer | undefined> {
  if (password.length > MAX_PASSWORD_BYTES) return undefined;
  const md5 = await roundHasher('md5');
  let state = md5(bytesOf(salt), password);
  for (let round = 2 ** log2Rounds; round > 0; round -= 1) state = md5(state, password);
  return Buffer.from(state);
}
