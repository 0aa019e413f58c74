import { defineAlgorithm } from '../algorithm.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { CRYPT64, TEXT } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { sunMd5 } from '../kdf/sun-md5.ts';
import { CRYPT_LIMITS, type CryptLimit, checkOldRounds } from './crypt-limits.ts';
import { C_STRING } from './crypt-password.ts';

interface SunMd5Hash {
  /** Number of rounds that the hash states, in addition to BASIC_ROUNDS. */
  rounds: number;
  /** Text of the hash before its digest, which Sun MD5 crypt digests: the rounds and the salt. */
  setting: HashPart;
  digest: HashPart;
}

const BASIC_ROUNDS = 4096;
const ROUND_MS = 0.003;
const MEMORY_BYTES = 16 * 1024;

/** If two `$` follow the salt, Solaris treats the first as part of the salt. Other programs write one `$`. */
const PATTERN = new HashPattern(
  /\$md5(?:[$,]rounds=(?<rounds>[^$]*))?\$(?<salt>[./0-9A-Za-z]*)\$?\$(?<digest>[./0-9A-Za-z]{22})/,
  {
    parts: { salt: TEXT, digest: CRYPT64 },
    looksLike: '$md5[,rounds=<rounds>]$<salt>$[$]<digest, 22>',
  },
);

export const sunMd5Verifier = defineAlgorithm<SunMd5Hash, CryptLimit>({
  name: 'sun-md5',
  displayName: 'Sun MD5',
  looksLike: '`$md5[,rounds=<rounds>]$<salt>$[$]<digest>`, Solaris',
  strength: 'legacy',
  reference: {
    formula: '3 µs × (4096 + rounds)',
    examples: '904 rounds: 15 ms; 200,000: 612 ms',
    measured: '5000 rounds: 25 ms, whatever the password',
  },
  limits: CRYPT_LIMITS,
  // Excludes hashes of Kratos: `$md5$` followed by one base64 part, and `$md5$pf=`.
  shape: /^\$md5(?:[$,]rounds=|\$[./0-9A-Za-z]*\$)/,
  parser:
    ({ settings }) =>
    (encoded) => {
      const groups = PATTERN.read(encoded);
      const digest = PATTERN.part(groups, 'digest');
      const text = encoded.slice(0, -digest.text.length - 1);
      const setting = { text, length: text.length, encoding: TEXT };
      if (groups.rounds === undefined) return { rounds: 0, setting, digest };
      const max = settings.crypt_max_rounds;
      const rounds = parseCost(groups.rounds, { name: 'rounds', min: 1, max, setting: 'crypt_max_rounds' });
      return { rounds: checkOldRounds(rounds), setting, digest };
    },
  cost: ({ rounds }) => ({
    memoryBytes: MEMORY_BYTES,
    ms: (BASIC_ROUNDS + rounds) * ROUND_MS,
    runsOn: 'worker',
  }),
  decoy: (_parsed, encoded) => PATTERN.zeroed(encoded).replace('$md5$rounds=', '$md5,rounds='),
  password: () => C_STRING,
  compute: {
    digest: ({ digest }) => bytesOf(digest),
    of: ({ rounds, setting }, password) => sunMd5(password, setting.text, BASIC_ROUNDS + rounds),
  },
});
