import { defineAlgorithm } from '../algorithm.ts';
import { CRYPT64_BIG, TEXT } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { bsdiCrypt } from '../kdf/des-crypt.ts';
import { inTurn } from '../kdf/password-reading.ts';
import { HashRefused } from '../verifier.ts';
import { CRYPT_LIMITS, type CryptLimit, checkOldRounds } from './crypt-limits.ts';
import { C_STRING } from './crypt-password.ts';
import { DES_MEMORY_BYTES, SEVEN_BITS, saltNumber } from './des-crypt.ts';

interface BsdiHash {
  rounds: number;
  salt: HashPart;
  digest: HashPart;
}

const READING = inTurn(C_STRING, SEVEN_BITS);
const ROUND_MS = 0.0003;
/** Milliseconds to fold the longest permitted password into one DES key. */
const FOLDING_MS = 8;

const PATTERN = new HashPattern(
  /_(?<rounds>[./0-9A-Za-z]{4})(?<salt>[./0-9A-Za-z]{4})(?<digest>[./0-9A-Za-z]{11})/,
  { parts: { salt: TEXT, digest: CRYPT64_BIG }, looksLike: '_<rounds, 4><salt, 4><digest, 11>' },
);

/** Extended DES-based crypt(3) of BSD/OS. It reads the whole password, seven bits of each byte. */
export const bsdiCryptVerifier = defineAlgorithm<BsdiHash, CryptLimit>({
  name: 'bsdi-crypt',
  displayName: 'BSDi crypt',
  looksLike: '`_<rounds, 4><salt, 4><digest, 11>`, all of `./0-9A-Za-z`',
  strength: 'broken',
  reference: {
    formula: '0.3 µs × rounds + 8 ms for the longest password, 0.1 for usual ones',
    examples: '725 rounds: 8 ms; 200,000: 68 ms',
    measured: '725: 6 ms for 511 bytes, 0.2 ms for 8; 200,000: 42 and 36 ms',
  },
  limits: CRYPT_LIMITS,
  shape: /^_[./0-9A-Za-z]{19}$/,
  parser:
    ({ settings }) =>
    (encoded) => {
      const groups = PATTERN.read(encoded);
      const salt = PATTERN.part(groups, 'salt');
      const digest = PATTERN.part(groups, 'digest');
      const rounds = saltNumber(groups.rounds ?? '');
      if (rounds === 0) throw new HashRefused('format', 'rounds must be at least 1');
      const max = settings.crypt_max_rounds;
      if (rounds > max) {
        throw new HashRefused('cost', `rounds ${rounds} are above the limit of ${max} (crypt_max_rounds)`);
      }
      return { rounds: checkOldRounds(rounds), salt, digest };
    },
  cost: ({ rounds }) => ({
    memoryBytes: DES_MEMORY_BYTES,
    ms: rounds * ROUND_MS + FOLDING_MS,
    runsOn: 'worker',
  }),
  decoy: (_parsed, encoded) => PATTERN.zeroed(encoded),
  password: () => READING,
  compute: {
    digest: ({ digest }) => bytesOf(digest),
    of: ({ rounds, salt }, password) => bsdiCrypt(password, saltNumber(salt.text), rounds),
  },
});
