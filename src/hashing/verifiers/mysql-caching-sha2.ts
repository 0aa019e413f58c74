import { defineAlgorithm } from '../algorithm.ts';
import { ANY_HEX, CRYPT64 } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { atMostBytes, inTurn } from '../kdf/password-reading.ts';
import { shaCrypt } from '../kdf/sha-crypt.ts';
import { HashRefused } from '../verifier.ts';
import { SHACRYPT_LIMITS, type ShaCryptLimit } from './crypt-limits.ts';
import { C_STRING } from './crypt-password.ts';
import { SHA_CRYPT_REFERENCE, shaCryptCost } from './sha-crypt.ts';

interface CachingSha2Hash {
  rounds: number;
  salt: Buffer;
  digest: HashPart;
}

const SALT_BYTES = 20;
/** MySQL refuses to set longer passwords. */
const MAX_PASSWORD_BYTES = 256;
const READING = inTurn(C_STRING, atMostBytes(MAX_PASSWORD_BYTES));
const ROUNDS_UNIT = 1000;

const looksLike =
  '$A$<rounds / 1000, 3 hex digits>$<salt, 20 bytes><digest, 43>, or 0x and that in hexadecimal';

const PATTERN = new HashPattern(
  /\$A\$(?<rounds>[0-9A-Fa-f]{3})\$(?<salt>[\0-\u00ff]{20})(?<digest>[./0-9A-Za-z]{43})/,
  { parts: { digest: CRYPT64 }, looksLike },
);
/** Hexadecimal form of the setting `print_identified_with_as_hex`, because salts may contain any bytes. */
const AS_HEX = new HashPattern(/0x(?<all>[0-9A-Fa-f]+)/, { parts: { all: ANY_HEX }, looksLike });

/** MySQL 8's logins (caching_sha2_password): SHA-256 crypt with a longer salt. */
export const mysqlCachingSha2 = defineAlgorithm<CachingSha2Hash, ShaCryptLimit>({
  name: 'mysql-caching-sha2',
  displayName: 'MySQL caching_sha2_password',
  looksLike: '`$A$<rounds / 1000 in hex>$<salt of 20 bytes><digest>`, or `0x` and all of that in hexadecimal',
  strength: 'legacy',
  reference: SHA_CRYPT_REFERENCE,
  limits: SHACRYPT_LIMITS,
  shape: /^(?:\$A\$[0-9A-Fa-f]{3}\$|0x244124)/,
  parser:
    ({ settings }) =>
    (encoded) =>
      parse(encoded, settings.shacrypt_max_rounds),
  cost: ({ rounds }) => shaCryptCost(rounds),
  decoy: ({ rounds }) => decoyOf(rounds),
  describe: ({ rounds, salt, digest }) => ({ rounds, saltBytes: salt.length, digestBytes: digest.length }),
  password: () => READING,
  compute: {
    digest: ({ digest }) => bytesOf(digest),
    of({ rounds, salt }, password) {
      return shaCrypt({ digest: 'sha256', password, salt, rounds });
    },
  },
});

function parse(encoded: string, maxRounds: number): CachingSha2Hash {
  const isHex = encoded.startsWith('0x');
  const text = isHex ? bytesOf(AS_HEX.part(AS_HEX.read(encoded), 'all')).toString('latin1') : encoded;
  const groups = PATTERN.read(text);
  const digest = PATTERN.part(groups, 'digest');
  const salt = Buffer.from(groups.salt ?? '', 'latin1');
  // Bytes above 127 are ambiguous as text: an export may be in Latin-1 or in UTF-8.
  if (!isHex && salt.some((byte) => byte === 0 || byte > 127)) {
    throw new HashRefused(
      'format',
      'salt has bytes beyond ASCII: send all in hexadecimal, with 0x before it',
    );
  }
  const rounds = Number.parseInt(groups.rounds ?? '', 16) * ROUNDS_UNIT;
  if (rounds === 0) throw new HashRefused('format', `rounds must be at least ${ROUNDS_UNIT}`);
  if (rounds > maxRounds) {
    throw new HashRefused(
      'cost',
      `rounds ${rounds} are above the limit of ${maxRounds} (shacrypt_max_rounds)`,
    );
  }
  return { rounds, salt, digest };
}

function decoyOf(rounds: number): string {
  const digits = (rounds / ROUNDS_UNIT).toString(16).toUpperCase().padStart(3, '0');
  return `$A$${digits}$${'0'.repeat(SALT_BYTES)}${'.'.repeat(43)}`;
}
