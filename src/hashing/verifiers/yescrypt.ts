import { defineAlgorithm, type HashAlgorithm } from '../algorithm.ts';
import { CRYPT64 } from '../formats/encodings.ts';
import { bytesOf, checkLength, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { rememberLast } from '../formats/remember-last.ts';
import { type YescryptParameters, yescryptParameters } from '../formats/yescrypt-parameters.ts';
import { libxcrypt } from '../kdf/find-libxcrypt.ts';
import { cryptByLibrary } from '../kdf/libxcrypt.ts';
import { hmacKey } from '../kdf/password-reading.ts';
import type { HashCost } from '../verifier.ts';
import { C_STRING } from './crypt-password.ts';

interface YescryptHash extends YescryptParameters {
  /** Text of the hash before its digest: prefix, parameters and salt. */
  setting: string;
  salt: HashPart;
  digest: HashPart;
}

const MIB = 1024 * 1024;
const MAX_SALT_BYTES = 64;
/** Milliseconds in which yescrypt writes or reads one MiB of its memory. */
const PASS_MS = 1.1;
/** Milliseconds per MiB for PBKDF2, which creates yescrypt's first blocks and digests the last ones. */
const BLOCK_MS_PER_MIB = 35;
/** Memory for yescrypt's tables, stack and the arguments of the library call. */
const FIXED_BYTES = 256 * 1024;
/** Memory of the S-boxes of each lane. */
const LANE_BYTES = 16 * 1024;

/** In the mode `rw` the lanes share the memory; in the others, each lane fills all of it in turn. */
function passesOf({ flavor, p, t }: YescryptParameters): number {
  if (flavor === 'rw') return 1 + (t < 2 ? (t + 1) / 3 : t - 1);
  return p * (1 + (t < 2 ? 1 + t / 2 : t));
}

function costOf(hash: YescryptParameters): HashCost {
  const memory = 128 * hash.r * 2 ** hash.log2N;
  const blocks = 128 * hash.r * hash.p;
  return {
    memoryBytes: memory + blocks + 256 * hash.r + LANE_BYTES * hash.p + FIXED_BYTES,
    ms: 0.2 + (memory / MIB) * passesOf(hash) * PASS_MS + (blocks / MIB) * BLOCK_MS_PER_MIB,
    runsOn: 'sandbox',
  };
}

function defineYescrypt(name: string, prefix: '$y$' | '$gy$'): HashAlgorithm<never, never> {
  const escaped = prefix.replaceAll('$', '\\$');
  const pattern = new HashPattern(
    new RegExp(`${escaped}(?<parameters>[^$]*)\\$(?<salt>[./0-9A-Za-z]*)\\$(?<digest>[./0-9A-Za-z]{43})`),
    {
      parts: { salt: CRYPT64, digest: CRYPT64 },
      looksLike: `${prefix}<parameters>$<salt>$<digest, 43>`,
    },
  );
  return defineAlgorithm<YescryptHash>({
    name,
    displayName: name,
    looksLike: `\`${prefix}<parameters>$<salt>$<digest>\`; where libxcrypt is installed`,
    strength: 'strong',
    reference: {
      formula: '1.1 ms × MiB × passes (4/3 without `t`), and 35 ms for each MiB of r × p × 128 bytes',
      examples: '`j9T` (16 MiB): 24 ms; `jDT` (256 MiB): 376 ms; `jFT` (1 GiB): 1502 ms',
      measured: '`j9T`: 15.5 ms; `jDT`: 281 ms; `jFT`: 1103 ms; scrypt of 16 MiB (`.B5`): 33 ms by 35',
    },
    shape: new RegExp(`^${escaped}`),
    parser() {
      const readParameters = rememberLast(yescryptParameters);
      return (encoded) => {
        const groups = pattern.read(encoded);
        const salt = pattern.part(groups, 'salt');
        checkLength('salt', salt, { min: 0, max: MAX_SALT_BYTES });
        const digest = pattern.part(groups, 'digest');
        const setting = encoded.slice(0, -digest.text.length);
        const { flavor, log2N, r, p, t } = readParameters(groups.parameters ?? '');
        return { flavor, log2N, r, p, t, setting, salt, digest };
      };
    },
    unavailable: () => {
      const found = libxcrypt();
      return 'missing' in found ? found.missing : undefined;
    },
    cost: costOf,
    decoy: (_parsed, encoded) => pattern.zeroed(encoded),
    describe: ({ flavor, log2N, r, p, t, salt, digest }) => ({
      flavor,
      log2N,
      r,
      p,
      t,
      saltBytes: salt.length,
      digestBytes: digest.length,
    }),
    // Only plain scrypt uses the password as the HMAC key. The other modes of yescrypt digest the password
    // first.
    password: ({ flavor }) => (flavor === 'scrypt' ? hmacKey('sha256', C_STRING) : C_STRING),
    compute: {
      digest: ({ digest }) => bytesOf(digest),
      async of({ setting }, password) {
        const hash = await cryptByLibrary(password, setting);
        return CRYPT64.decode(hash.slice(setting.length));
      },
    },
  });
}

/** Hashes that Linux distributions use since 2020 (yescrypt), and their variant with Russian digests. */
export const YESCRYPT = [defineYescrypt('yescrypt', '$y$'), defineYescrypt('gost-yescrypt', '$gy$')];
