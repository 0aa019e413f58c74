import { AIX64, CRYPT64, CRYPT64_BIG, cryptNumber, type Encoding, partOf, TEXT } from '../encodings.ts';
import { Form, families, type Row } from '../family.ts';
import {
  bytes,
  type FormOptions,
  type Formula,
  type HashCost,
  number,
  type PortableHash,
  part,
  refuseUnless,
} from '../form.ts';
import { pbkdf2AsFarAsNeeded, pbkdf2Cost } from '../formulas.ts';
import { md5Crypt, type ShaCryptDigest, sha1Crypt, shaCrypt, sunMd5 } from '../kdf/crypts.ts';
import { bigCrypt, bsdiCrypt, crypt16, desCrypt } from '../kdf/des-crypt.ts';
import { DIGEST_BYTES } from '../kdf/digests.ts';
import { cryptByLibrary, libxcrypt } from '../kdf/libxcrypt.ts';
import {
  atMostBytes,
  C_STRING,
  desReading,
  inTurn,
  isOnlyHmacKey,
  MAX_CRYPT_PASSWORD_BYTES,
  SEVEN_BITS,
  WHOLE_CRYPT_PASSWORD,
} from '../kdf/password-reading.ts';
import { type YescryptParameters, yescryptParameters } from '../kdf/yescrypt-parameters.ts';
import { type Parts, rememberLast } from '../template.ts';

type SlowFormula = Omit<Formula, 'cost' | 'strength'> & {
  memoryBytes: number;
  /** Milliseconds for the longest password, because the length at a sign-in is not known beforehand. */
  ms(parts: Parts): number;
};
const slow = ({ memoryBytes, ms, ...formula }: SlowFormula): Formula => ({
  digestPart: 'digest',
  cost: (parts) => ({ memoryBytes, ms: ms(parts), runsOn: 'process' }),
  strength: 'legacy',
  ...formula,
});

/** @param magic text that md5-crypt digests besides password and salt, usually the prefix of the hash */
const md5CryptFormula = (magic: string): Formula =>
  slow({
    of: ({ password, salt }) => md5Crypt(password, salt, magic),
    memoryBytes: 64 * 1024,
    ms: () => 2.5,
    time: '2.5 ms for the longest password, 0.6 ms for usual ones',
  });

/**
 * Returns the portable form of a hash. Other systems can verify it, because crypt(3) digests passwords that people type
 * without changing them.
 */
const asCrypt =
  (prefix: '$1$' | '$5$' | '$6$') =>
  (parts: Parts): PortableHash => {
    const isStated = parts.rounds !== undefined && parts.rounds !== 5000;
    const salted = `${part(parts, 'salt').text}$${part(parts, 'digest').text}`;
    return { kind: 'crypt', prefix, rest: `${isStated ? `rounds=${parts.rounds}$` : ''}${salted}` };
  };

const md5CryptRow = (prefix: string, magic: string, more: Row = {}): Row => ({
  as: `${prefix}<salt:text[./0-9A-Za-z]{0,8}>$<digest:crypt64/16>`,
  formula: { ...md5CryptFormula(magic), ...(magic === '$1$' && { portable: asCrypt('$1$') }) },
  reading: C_STRING,
  ...more,
});

/** Milliseconds of a round for the longest password. Usual passwords take half. */
const SHA_ROUND_MS = 0.003;

const shaCryptFormula = (digest: ShaCryptDigest): Formula =>
  slow({
    of: ({ password, salt, parts }) => shaCrypt({ digest, password, salt, rounds: number(parts, 'rounds') }),
    // sha-crypt repeats the password as many times as it has bytes.
    memoryBytes: 2 * MAX_CRYPT_PASSWORD_BYTES ** 2,
    ms: (parts) => number(parts, 'rounds') * SHA_ROUND_MS,
    time: '3 µs × rounds, for the longest password; 1.5 µs for usual ones',
  });

/**
 * Row for a SHA-crypt. No hash has fewer than 1000 rounds, because glibc raises lower numbers to 1000, and other
 * programs refuse them.
 */
const shaCryptRow = (prefix: string, name: ShaCryptDigest, row: Row): Row => ({
  as: `${prefix}[rounds=<rounds:int/1000>$]<salt:text[./0-9A-Za-z]{0,16}>$<digest:crypt64/${DIGEST_BYTES[name]}>`,
  defaults: { rounds: 5000 },
  formula: { ...shaCryptFormula(name), portable: asCrypt(name === 'sha256' ? '$5$' : '$6$') },
  reading: C_STRING,
  ...row,
});

const aixPbkdf2: Formula = {
  async of({ password, salt, parts }) {
    const name = parts.scheme as 'sha1' | 'sha256' | 'sha512';
    const input = { password, salt, iterations: 2 ** number(parts, 'cost'), digest: name };
    const digest = await pbkdf2AsFarAsNeeded(input, Buffer.alloc(DIGEST_BYTES[name]));
    return AIX64.decode(AIX64.encode(digest));
  },
  cost({ scheme, cost }) {
    refuseUnless(Number(cost) >= 4, 'cost must be at least 4');
    return pbkdf2Cost(scheme as 'sha1', 2 ** Number(cost), 1);
  },
  strength: 'legacy',
  time: '`{smd5}`: as MD5 crypt; others as PBKDF2 with 2^cost iterations',
  isOnlyKey: (key, { scheme }) => isOnlyHmacKey(scheme as 'sha1', key),
  describe: ({ scheme, ...parts }) => ({ scheme: `s${scheme}`, ...parts }),
};

const DES_MEMORY_BYTES = 64 * 1024;
const BLOCK_BYTES = 8;
const MAX_BLOCKS = 16;
const BLOCK_MS = 0.15;

/** Digests of DES-based hashes: blocks of eight bytes, each encoded separately. */
const BLOCKS: Encoding = {
  ...CRYPT64_BIG,
  check(text) {
    const lengths = blocksOf(text).map(CRYPT64_BIG.check);
    return lengths.find((length) => typeof length !== 'number') ?? lengths.length * BLOCK_BYTES;
  },
  decode: (text) => Buffer.concat(blocksOf(text).map(CRYPT64_BIG.decode)),
  encode: (raw) => '.'.repeat((raw.length / BLOCK_BYTES) * 11),
  sourceOf: (size) => `[./0-9A-Za-z]{${(size / BLOCK_BYTES) * 11}}`,
};
const blocksOf = (text: string) => text.match(/.{1,11}/gs) ?? [];

/** A tripcode's digest lacks the first digit of its DES block and therefore six bits. */
const TRIPCODE: Encoding = {
  ...CRYPT64_BIG,
  check: (text) => CRYPT64_BIG.check(`.${text}`),
  decode: (text) => CRYPT64_BIG.decode(`.${text}`),
  encode: () => '.'.repeat(10),
  sourceOf: () => '[./0-9A-Za-z]{10}',
};

const des = (of: Formula['of'], runsOn: NonNullable<HashCost['runsOn']> = 'event-loop'): Formula => ({
  digestPart: 'digest',
  of,
  cost: (parts) => ({
    memoryBytes: DES_MEMORY_BYTES,
    ms: (part(parts, 'digest').length / BLOCK_BYTES) * BLOCK_MS,
    runsOn,
  }),
  strength: 'broken',
  time: '0.15 ms × blocks of 11 characters',
});

/** Options of DES-based hashes, which must be named, because they look like words. */
const DES: FormOptions = { encodings: { des: BLOCKS, tripcode: TRIPCODE }, byName: true };
const saltNumber = (salt: Buffer) => cryptNumber(salt.toString('latin1'));

/**
 * Returns which bytes of a password bigcrypt reads. If the hash has fewer than MAX_BLOCKS blocks, no byte of a matching
 * password is ignored, because a longer password would make a longer hash.
 */
const readByBigcrypt = (parts: Parts) => {
  const blocks = part(parts, 'digest').length / BLOCK_BYTES;
  return desReading(blocks < MAX_BLOCKS ? Number.POSITIVE_INFINITY : MAX_BLOCKS * BLOCK_BYTES);
};

/**
 * Letters that replace punctuation in the salt of a tripcode. Other characters outside of `./0-9A-Za-z`
 * become dots.
 */
const SALT_LETTERS = new Map(
  [...':;<=>?@[\\]^_`'].map((mark, index) => [mark, 'ABCDEFGabcdef'.charAt(index)]),
);

/**
 * Computes a tripcode. Its salt is the second and third character of the password. An empty password has no tripcode.
 */
function tripcode(password: Buffer): Buffer | undefined {
  if (password.length === 0) return undefined;
  const characters = [...`${password.toString('latin1')}H.`].slice(1, 3);
  const salt = characters.map((one) => SALT_LETTERS.get(one) ?? (/[./0-9A-Za-z]/.test(one) ? one : '.'));
  const block = desCrypt(password, cryptNumber(salt.join('')));
  return Buffer.from(block.map((byte, index) => (index === 0 ? byte & 3 : byte)));
}

const MIB = 1024 * 1024;
/** Milliseconds in which yescrypt writes or reads one MiB of its memory. */
const PASS_MS = 1.1;
/** Milliseconds per MiB for PBKDF2, which creates yescrypt's first blocks and digests the last ones. */
const BLOCK_MS_PER_MIB = 35;
/** Memory for yescrypt's tables, stack and the arguments of the library call, and for the S-boxes of each lane. */
const FIXED_BYTES = 256 * 1024;
const LANE_BYTES = 16 * 1024;

/**
 * Returns how often yescrypt passes over its memory. In the mode `rw` the lanes share the memory; in the other modes,
 * each lane fills all of it in turn.
 */
function passesOf({ flavor, p, t }: YescryptParameters): number {
  if (flavor === 'rw') return 1 + (t < 2 ? (t + 1) / 3 : t - 1);
  return p * (1 + (t < 2 ? 1 + t / 2 : t));
}

function yescryptCost(parameters: YescryptParameters): HashCost {
  const memory = 128 * parameters.r * 2 ** parameters.log2N;
  const blocks = 128 * parameters.r * parameters.p;
  return {
    memoryBytes: memory + blocks + 256 * parameters.r + LANE_BYTES * parameters.p + FIXED_BYTES,
    ms: 0.2 + (memory / MIB) * passesOf(parameters) * PASS_MS + (blocks / MIB) * BLOCK_MS_PER_MIB,
    runsOn: 'process',
  };
}

const yescrypt = (prefix: '$y$' | '$gy$'): Row => {
  const readParameters = rememberLast(yescryptParameters);
  return {
    as: `${prefix}<parameters:word[./0-9A-Za-z]*>$<salt:crypt64*/0..64>$<digest:crypt64/32>`,
    looksLike: `\`${prefix}<parameters>$<salt>$<digest>\`; where libxcrypt is installed`,
    open: ({ parameters, ...parts }) => ({
      ...readParameters(String(parameters)),
      setting: `${prefix}${parameters}$${part(parts, 'salt').text}$`,
      ...parts,
    }),
    reading: C_STRING,
    formula: {
      digestPart: 'digest',
      async of({ password, parts }) {
        const setting = String(parts.setting);
        return CRYPT64.decode((await cryptByLibrary(password, setting)).slice(setting.length));
      },
      cost: (parts) => yescryptCost(parts as unknown as YescryptParameters),
      strength: 'strong',
      time: '1.1 ms × MiB × passes (4/3 without `t`), and 35 ms for each MiB of r × p × 128 bytes',
      // Only plain scrypt uses the password as the HMAC key. The other modes digest the password first.
      isOnlyKey: (key, { flavor }) => flavor !== 'scrypt' || isOnlyHmacKey('sha256', key),
      describe: ({ setting: _, ...parts }) => parts,
      unavailable() {
        const found = libxcrypt();
        return 'missing' in found ? found.missing : undefined;
      },
    },
  };
};

/** Rounds of Sun MD5 in addition to those that the hash states. */
const SUN_BASIC_ROUNDS = 4096;
const sunRounds = (parts: Parts) => SUN_BASIC_ROUNDS + number(parts, 'rounds');

/** Encoding of the salt in MySQL's hash, which may have any bytes. */
const LATIN1: Encoding = {
  ...TEXT,
  check: (text) => text.length,
  decode: (text) => Buffer.from(text, 'latin1'),
  encode: (raw) => '0'.repeat(raw.length),
};
/**
 * Encoding of a salt in which all bytes are ASCII. Bytes above 127 are ambiguous as text, because an export may be in
 * Latin-1 or in UTF-8.
 */
const ASCII: Encoding = {
  ...LATIN1,
  check: (text) =>
    !/[^\p{ASCII}]|\0/u.test(text)
      ? text.length
      : { problem: 'has bytes beyond ASCII: send all in hexadecimal, with 0x before it' },
};
const mysqlSha2 = (salt: Encoding) => {
  const as = '$A$<thousands:word[0-9A-Fa-f]{3}>$<salt:bytes[\\0-\\u00ff]{20}><digest:crypt64/32>';
  return new Form(as, shaCryptFormula('sha256'), {
    encodings: { bytes: salt },
    open({ thousands, ...parts }) {
      const rounds = 1000 * Number.parseInt(String(thousands), 16);
      refuseUnless(rounds > 0, 'rounds must be at least 1000');
      return { rounds, ...parts };
    },
    // MySQL refuses to set longer passwords.
    reading: inTurn(C_STRING, atMostBytes(256)),
  });
};

/** Hash families of crypt(3), and families that write the same hashes in another form. */
export const CRYPT_FAMILIES = families({
  'md5-crypt': md5CryptRow('$1$', '$1$'),
  apr1: md5CryptRow('$apr1$', '$apr1$'),
  'md5-crypt-kratos': md5CryptRow('$md5-crypt$', '$1$', { reading: WHOLE_CRYPT_PASSWORD }),
  'sha256-crypt': shaCryptRow('$5$', 'sha256', { title: 'SHA-256 crypt' }),
  'sha512-crypt': shaCryptRow('$6$', 'sha512', {
    aliases: ['moodle'],
    // Excludes Mosquitto's hashes, which begin in the same way and end with padded base64.
    mark: /^\$6\$(?!.*=$)/s,
  }),
  'sha256-crypt-kratos': shaCryptRow('$sha256-crypt$', 'sha256', { reading: WHOLE_CRYPT_PASSWORD }),
  'sha512-crypt-kratos': shaCryptRow('$sha512-crypt$', 'sha512', { reading: WHOLE_CRYPT_PASSWORD }),
  'mysql-caching-sha2': {
    looksLike:
      '`$A$<rounds / 1000 in hex>$<salt of 20 bytes><digest>`, or `0x` and all of that in hexadecimal',
    mark: /^(?:\$A\$[0-9A-Fa-f]{3}\$|0x244124)/,
    forms: [mysqlSha2(ASCII), mysqlSha2(LATIN1).encodedAs('0x', 'HEX', { charset: 'latin1' })],
  },
  'sha1-crypt': {
    as: '$sha1$<rounds:int>$<salt:text[./0-9A-Za-z]{1,64}>$<digest:crypt64/21>',
    // Excludes hashes of Kratos, which begin with `$sha1$pf=`.
    mark: /^\$sha1\$[0-9]*\$/,
    reading: C_STRING,
    check(parts) {
      // The last group of base64 digits has room for one more byte, which repeats the first byte of the digest.
      const digest = bytes(parts, 'digest');
      const isWhole = digest[18] === digest[2];
      refuseUnless(isWhole, 'digest is malformed: its last group does not repeat the first byte');
    },
    formula: slow({
      of: ({ password, salt, parts }) => sha1Crypt(password, salt, number(parts, 'rounds')),
      memoryBytes: 16 * 1024,
      ms: (parts) => number(parts, 'rounds') * 0.002,
      time: '2 µs × rounds',
      isOnlyKey: (key) => isOnlyHmacKey('sha1', key),
    }),
  },
  'sun-md5': {
    // If two `$` follow the salt, Solaris treats the first as part of the salt. Other programs write one `$`.
    as: '$md5[<comma:word[,$]{1}>rounds=<rounds:int>]$<salt:text[./0-9A-Za-z]*><dollar:word[$]{0,1}>$<digest:crypt64/16>',
    looksLike: '`$md5[,rounds=<rounds>]$<salt>$[$]<digest>`, Solaris',
    // Excludes hashes of Kratos: `$md5$` followed by one base64 part, and `$md5$pf=`.
    mark: /^\$md5(?:[$,]rounds=|\$[./0-9A-Za-z]*\$)/,
    decoy: { comma: ',' },
    // Sun MD5 digests the text of the hash before its last `$`, too.
    open({ comma, rounds = 0, salt, dollar, digest }) {
      const stated = comma === undefined ? '' : `${comma}rounds=${rounds}`;
      const text = `$md5${stated}$${part({ salt }, 'salt').text}${dollar}`;
      return { rounds, setting: partOf('setting', text, TEXT), digest };
    },
    reading: C_STRING,
    formula: slow({
      of: ({ password, parts }) => sunMd5(password, part(parts, 'setting').text, sunRounds(parts)),
      memoryBytes: 16 * 1024,
      ms: (parts) => sunRounds(parts) * 0.003,
      time: '3 µs × (4096 + rounds)',
    }),
  },
  aix: {
    // AIX's `{smd5}` is followed by a salt and `$`. LDAP's, followed by base64, must not match.
    mark: /^\{(?:smd5\}[./0-9A-Za-z]{0,8}\$|ssha(?:1|256|512)\}[0-9]{2}\$)/,
    strength: 'legacy',
    reading: C_STRING,
    as: {
      '{smd5}<salt:text[./0-9A-Za-z]{0,8}>$<hash:crypt64/16>': {
        formula: { ...md5CryptFormula(''), digestPart: 'hash' },
        defaults: { scheme: 'smd5', cost: 0 },
      },
      '{s<scheme:sha1|sha256|sha512>}<cost:word[0-9]{2}>$<salt:text[./0-9A-Za-z]{8,24}>$<hash:aix64/scheme>':
        {
          formula: aixPbkdf2,
          open: ({ scheme, cost, ...parts }) => ({ scheme, cost: Number(cost), ...parts }),
        },
    },
  },
  'des-crypt': {
    ...DES,
    as: '<salt:text[./0-9A-Za-z]{2}><digest:des/8>',
    looksLike: '`<salt, 2><digest, 11>`, all of `./0-9A-Za-z`',
    reading: desReading(8),
    formula: des(({ password, salt }) => desCrypt(password, saltNumber(salt))),
  },
  bigcrypt: {
    ...DES,
    as: `<salt:text[./0-9A-Za-z]{2}><digest:des[./0-9A-Za-z]{11,${11 * MAX_BLOCKS}}>`,
    looksLike: '`<salt, 2><digest, 11 for each 8 bytes of the password>`, all of `./0-9A-Za-z`',
    mark: /^[./0-9A-Za-z]{2}(?:[./0-9A-Za-z]{11})+$/,
    check(parts) {
      const isWhole = part(parts, 'digest').text.length % 11 === 0;
      refuseUnless(isWhole, 'digest must have 11 characters for each 8 bytes of the password');
    },
    reading: readByBigcrypt,
    formula: des(({ password, salt, parts }) => {
      const blocks = Math.max(1, Math.ceil(password.length / BLOCK_BYTES));
      if (blocks * BLOCK_BYTES !== part(parts, 'digest').length) return undefined;
      return bigCrypt(password, saltNumber(salt));
    }, 'process'),
  },
  crypt16: {
    ...DES,
    as: '<salt:text[./0-9A-Za-z]{2}><digest:des/16>',
    looksLike: '`<salt, 2><digest, 22>`, all of `./0-9A-Za-z`',
    reading: desReading(16),
    formula: des(({ password, salt }) => crypt16(password, saltNumber(salt))),
  },
  tripcode: {
    ...DES,
    as: '<digest:tripcode/8>',
    looksLike: '`<digest, 10>`, all of `./0-9A-Za-z`',
    reading: desReading(8),
    formula: des(({ password }) => tripcode(password)),
  },
  'bsdi-crypt': {
    as: '_<rounds:word[./0-9A-Za-z]{4}><salt:text[./0-9A-Za-z]{4}><digest:crypt64big/8>',
    looksLike: '`_<rounds, 4><salt, 4><digest, 11>`, all of `./0-9A-Za-z`',
    isExact: true,
    open(parts) {
      const rounds = cryptNumber(String(parts.rounds));
      refuseUnless(rounds > 0, 'rounds must be at least 1');
      return { ...parts, rounds };
    },
    reading: inTurn(C_STRING, SEVEN_BITS),
    formula: {
      ...slow({
        of: ({ password, salt, parts }) => bsdiCrypt(password, saltNumber(salt), number(parts, 'rounds')),
        memoryBytes: DES_MEMORY_BYTES,
        // Folding the longest permitted password into one DES key takes 8 ms.
        ms: (parts) => number(parts, 'rounds') * 0.0003 + 8,
        time: '0.3 µs × rounds + 8 ms for the longest password, 0.1 for usual ones',
      }),
      strength: 'broken',
    },
  },
  yescrypt: yescrypt('$y$'),
  'gost-yescrypt': yescrypt('$gy$'),
});
