import { createHash, createHmac } from 'node:crypto';
import { defineAlgorithm } from '../algorithm.ts';
import { canonicalReader } from '../formats/canonical.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { BASE64, PADDED_BASE64 } from '../formats/encodings.ts';
import { bytesOf, checkLength, encodedPart, type HashPart, partOf } from '../formats/hash-part.ts';
import { type Groups, HashPattern } from '../formats/hash-pattern.ts';
import { requiredField } from '../formats/named-fields.ts';
import { hex, md5 } from '../kdf/digests.ts';
import { BYTES, hmacKey, type PasswordReading } from '../kdf/password-reading.ts';
import { PBKDF2_DIGESTS, pbkdf2Key } from '../kdf/pbkdf2.ts';
import { SASLPREP } from '../kdf/saslprep.ts';
import { HashRefused } from '../verifier.ts';
import { PBKDF2_ITERATION_MS, PBKDF2_LIMITS, type Pbkdf2Limit } from './define-pbkdf2.ts';
import { scramPasslib } from './scram-passlib.ts';

const DIGESTS = ['sha1', 'sha256', 'sha512'] as const;
type ScramDigest = (typeof DIGESTS)[number];

interface ScramText {
  digest: ScramDigest;
  iterations: string;
  salt: HashPart;
  /** Values that RFC 5802 calls StoredKey and ServerKey, one after the other. */
  keys: HashPart;
  reading: PasswordReading;
  /** Part of the hash's identity: MongoDB's user name, or a constant for the way the password is prepared. */
  prepared: HashPart | 'as SASLprep does' | 'not at all';
}

type ScramHash = Omit<ScramText, 'iterations'> & { iterations: number };

const PREPARED = { reading: SASLPREP, prepared: 'as SASLprep does' } as const;
const MEMORY_BYTES = 8 * 1024;

const PARTS = { salt: PADDED_BASE64, stored: PADDED_BASE64, server: PADDED_BASE64 };
const POSTGRES = new HashPattern(
  /SCRAM-SHA-256\$(?<iterations>[0-9]+):(?<salt>[^$:]+)\$(?<stored>[^:]+):(?<server>[^:]+)/,
  { parts: PARTS, looksLike: 'SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>' },
);
const DOVECOT = new HashPattern(
  /\{SCRAM-SHA-(?<size>1|256)\}(?<iterations>[0-9]+),(?<salt>[^,]+),(?<stored>[^,]+),(?<server>[^,]+)/,
  { parts: PARTS, looksLike: '{SCRAM-SHA-256}<iterations>,<salt>,<StoredKey>,<ServerKey>' },
);

/** Credentials that a server stores to verify SCRAM logins (RFC 5802, RFC 7677), as a password hash. */
const scram = defineAlgorithm<ScramHash, Pbkdf2Limit>({
  name: 'scram',
  displayName: 'SCRAM',
  looksLike:
    '`SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`, `{SCRAM-SHA-<1|256>}<iterations>,<salt>,<StoredKey>,<ServerKey>`, `$scram$d=<sha1|sha256|sha512>,i=<iterations>[,u=<user>]$<salt>$<StoredKey and ServerKey>`',
  shape: /^(?:SCRAM-SHA-256\$|\{SCRAM-SHA-(?:1|256)\}|\$scram\$[diu]=)/,
  strength: 'legacy',
  reference: {
    formula: 'as pbkdf2 of one block',
    examples: 'SHA-256, 4096: 1 ms',
    measured: 'SHA-256, 4096: 1 to 2 ms',
  },
  limits: PBKDF2_LIMITS,
  parser({ settings }) {
    const readCanonical = canonicalScram();
    return (encoded) => {
      const { iterations, digest, salt, keys, reading, prepared } = readSpelling(encoded, readCanonical);
      const bytes = 2 * PBKDF2_DIGESTS[digest];
      checkLength('StoredKey and ServerKey together', keys, { min: bytes, max: bytes });
      const max = settings.pbkdf2_max_iterations;
      const bound = { name: 'iterations', min: 1, max, setting: 'pbkdf2_max_iterations' };
      return { digest, salt, keys, reading, prepared, iterations: parseCost(iterations, bound) };
    };
  },
  cost: ({ digest, iterations }) => ({
    memoryBytes: MEMORY_BYTES,
    ms: iterations * PBKDF2_ITERATION_MS[digest],
  }),
  describe: ({ digest, iterations, salt }) => ({ digest, iterations, saltBytes: salt.length }),
  decoy: ({ digest, iterations, salt, keys }) =>
    `$scram$d=${digest},i=${iterations}$${zeros(salt)}$${zeros(keys)}`,
  password: ({ digest, reading }) => hmacKey(digest, reading),
  compute: {
    digest: ({ keys }) => bytesOf(keys),
    async of({ digest, iterations, salt }, password) {
      const bytes = PBKDF2_DIGESTS[digest];
      const salted = await pbkdf2Key({ password, salt: bytesOf(salt), iterations, digest }, bytes);
      const keyOf = (text: string) => createHmac(digest, salted).update(text).digest();
      const storedKey = createHash(digest).update(keyOf('Client Key')).digest();
      return Buffer.concat([storedKey, keyOf('Server Key')]);
    },
  },
});

const zeros = ({ length }: HashPart) => Buffer.alloc(length).toString('base64');

function readSpelling(encoded: string, readCanonical: (encoded: string) => ScramText): ScramText {
  if (encoded.startsWith('$')) return readCanonical(encoded);
  if (!encoded.startsWith('{')) return readParts(POSTGRES, encoded, PREPARED);
  // Dovecot hashes the password as it is, without SASLprep.
  return readParts(DOVECOT, encoded, { reading: BYTES, prepared: 'not at all' });
}

function readParts(
  pattern: HashPattern<keyof typeof PARTS>,
  encoded: string,
  prepared: Pick<ScramText, 'reading' | 'prepared'>,
): ScramText {
  const groups: Groups = pattern.read(encoded);
  const [stored, server] = [pattern.part(groups, 'stored'), pattern.part(groups, 'server')];
  if (stored.length !== server.length) {
    throw new HashRefused('format', 'StoredKey and ServerKey differ in length');
  }
  return {
    digest: groups.size === '1' ? 'sha1' : 'sha256',
    iterations: groups.iterations ?? '',
    salt: pattern.part(groups, 'salt'),
    keys: partOf(Buffer.concat([bytesOf(stored), bytesOf(server)])),
    ...prepared,
  };
}

/** With `u`, a canonical SCRAM hash is MongoDB's, which hashes a digest of user name and password. */
function canonicalScram(): (encoded: string) => ScramText {
  const read = canonicalReader('scram', ['d', 'i', 'u']);
  return (encoded) => {
    const { fields, salt, hash } = read(encoded);
    const digest = DIGESTS.find((one) => one === requiredField(fields, 'd'));
    if (digest === undefined)
      throw new HashRefused('format', `parameter d must be one of ${DIGESTS.join(', ')}`);
    const user = fields.get('u');
    if (user !== undefined && digest !== 'sha1') {
      throw new HashRefused('format', 'parameter u is for sha1 only');
    }
    const prepared = user === undefined ? PREPARED : ofMongoUser(encodedPart('u', user, BASE64));
    return { digest, iterations: requiredField(fields, 'i'), salt, keys: hash, ...prepared };
  };
}

const ofMongoUser = (user: HashPart): Pick<ScramText, 'reading' | 'prepared'> => ({
  reading: {
    of: (password) => Buffer.from(hex(md5(bytesOf(user), ':mongo:', password))),
    isOnly: () => true,
  },
  prepared: user,
});

export const SCRAM = [scram, scramPasslib];
