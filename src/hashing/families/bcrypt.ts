import library from 'bcrypt';
import { BCRYPT64, bytesOf } from '../encodings.ts';
import { type Family, Form, familiesOf, family, type Row, within } from '../family.ts';
import {
  bytes,
  type FormOptions,
  type Formula,
  type HashCost,
  type Key,
  number,
  part,
  refuseUnless,
} from '../form.ts';
import { base64, type DigestName, digestFunction, hmac, sha384, sha512 } from '../kdf/digests.ts';
import { inNormalForm, PHP_TRIMMED, phpTrim, SLASHED, textOf } from '../kdf/password-reading.ts';
import type { MistakeCode, PossibleRepair } from '../mistakes.ts';
import { HashRefused } from '../refused.ts';
import type { Parts } from '../template.ts';

const UNGUESSABLE_BYTES = 16;

/**
 * Appends the secret (pepper) to the password. Returns undefined if the hash function, which reads at most `maxBytes`,
 * would read only a few bytes of the secret. Otherwise a caller who chooses the password, and a hash to compare with,
 * could guess the secret byte by byte.
 */
function appendSecret(password: Buffer, secret: Buffer, maxBytes: number): Buffer | undefined {
  const readBytes = Math.min(secret.length, maxBytes - password.length);
  if (readBytes < Math.min(secret.length, UNGUESSABLE_BYTES)) return undefined;
  return Buffer.concat([password, secret]);
}

const KEY_WORDS = 18;

/**
 * Returns the 72 bytes that the key schedule of `$2x$` hashes reads (crypt_blowfish before 1.1,
 * CVE-2011-2483). The bug sign-extends each byte before joining it to the previous bytes of its word, so a
 * byte from 0x80 up erases those bytes. A correct bcrypt of the returned key equals the buggy bcrypt of
 * `password`.
 */
export function buggyBcryptKey(password: Uint8Array): Buffer {
  const source = Buffer.concat([password, Buffer.of(0)]);
  const key = Buffer.alloc(KEY_WORDS * 4);
  for (let word = 0; word < KEY_WORDS; word += 1) {
    let value = 0;
    for (let byte = 0; byte < 4; byte += 1) {
      value = (value << 8) | source.readInt8((word * 4 + byte) % source.length);
    }
    key.writeInt32BE(value, word * 4);
  }
  return key;
}

/** bcrypt ignores further bytes. */
const MAX_PASSWORD_BYTES = 72;
/**
 * Maximum cost. The library's check of the salt shifts a signed 1 by the cost. With cost 31 the result is negative, and
 * the library fails only after running for days.
 */
const MAX_VERIFIABLE_COST = 30;
/** Blowfish's S-boxes and subkeys (4168 bytes), and copies of the key. */
const MEMORY_BYTES = 8 * 1024;
/** Milliseconds of one of bcrypt's 2^cost rounds. Cost 10 takes 50 ms. */
const ROUND_MS = 50 / 2 ** 10;

const EMPTY = '.'.repeat(53);
const settingOf = (cost: number, salt: string) => `$2b$${String(cost).padStart(2, '0')}$${salt}`;
const costOf = (cost: number): HashCost => ({ memoryBytes: MEMORY_BYTES, ms: 2 ** cost * ROUND_MS });

/**
 * Computes bcrypt. Every variant is computed as `$2b$`: npm's bcrypt returns false for `$2y$` and `$2x$`, and for
 * `$2a$` it keeps the length in 8 bits, which overflow at 255 bytes, so that other passwords match. Its `compare` is
 * not used because it returns false for every failure.
 */
async function textOfBcrypt(parts: Parts, password: Buffer): Promise<string> {
  const key = parts.variant === 'x' ? buggyBcryptKey(password) : password;
  const setting = settingOf(number(parts, 'cost'), BCRYPT64.encode(bytesOf(part(parts, 'salt'))));
  const computed = await library.hash(key, setting);
  if (computed.length !== setting.length + 31 || !computed.startsWith(setting)) {
    throw new Error('bcrypt returned something other than a hash with the given salt');
  }
  return computed.slice(setting.length);
}

const formula: Formula = {
  family: 'bcrypt',
  digestPart: 'digest',
  of: async ({ password, parts }) => BCRYPT64.decode(await textOfBcrypt(parts, password)),
  cost(parts) {
    const cost = number(parts, 'cost');
    refuseUnless(cost >= 4, 'cost must be at least 04');
    if (cost <= MAX_VERIFIABLE_COST) return costOf(cost);
    throw new HashRefused(
      'cost',
      `cost ${cost} is above ${MAX_VERIFIABLE_COST}, the highest that can be verified`,
    );
  },
  strength: 'strong',
  time: '50 ms × 2^(cost − 10)',
  // bcrypt repeats the password and its final NUL, so `a` and `a␀a` give the same key. The bug of `$2x$` erases
  // bytes before a byte from 0x80 up.
  isOnlyKey: (key, { variant }) =>
    key.length < MAX_PASSWORD_BYTES &&
    !key.includes(0) &&
    !(variant === 'x' && key.some((byte) => byte >= 0x80)),
  // All variants of bcrypt give the same digest, except `$2x$` with its bug.
  identity: (parts) => ({
    hasBug: parts.variant === 'x',
    cost: number(parts, 'cost'),
    salt: canonical(parts, 'salt'),
    digest: canonical(parts, 'digest'),
  }),
  portable: (parts) => ({
    kind: 'bcrypt',
    variant: String(parts.variant),
    cost: number(parts, 'cost'),
    encoded: beginningOf(parts) + canonical(parts, 'salt') + canonical(parts, 'digest'),
  }),
  describe: ({ variant, cost, user }) => ({ variant: `2${variant}`, cost: Number(cost), user }),
};

const canonical = (parts: Parts, name: string) => BCRYPT64.encode(bytesOf(part(parts, name)));
const beginningOf = ({ variant, cost }: Parts) => `$2${variant}$${String(cost).padStart(2, '0')}$`;

const ANY_VARIANT = { variant: 'b' };
const REST = '$<cost:word[0-9]{2}>$<salt:bcrypt64/16><digest:bcrypt64/23>';

export const bcrypt: Family = family('bcrypt', {
  decoy: ANY_VARIANT,
  title: 'BCrypt',
  aliases: ['parse-server', 'ghost', 'strapi', 'supabase', 'pocketbase', 'laravel', 'codeigniter', 'ips4'],
  as: `$2<variant:a|b|x|y>${REST}`,
  looksLike: '`$2<a|b|x|y>$<cost>$<salt><digest>`, 60 characters, cost of two digits from 04',
  formula,
  // Matches any variant letter, so that the error for a wrong one can list the four known ones. `$2$` must be
  // followed by a cost, because hashes of other families begin with it, too.
  mark: /^\$2(?:[a-z]\$|\$[0-9]{2}\$)/,
  repairs,
  own: {
    settings: {
      bcrypt_log_rounds: { min: 4, max: 30, default: 11, description: 'bcrypt cost of passwords set here.' },
    },
    mainSetting: 'bcrypt_log_rounds',
    cost: ({ bcrypt_log_rounds: cost = 0 }) => costOf(cost),
    maker: ({ bcrypt_log_rounds: cost = 0 }) => ({
      example: settingOf(cost, EMPTY),
      make: (password) => library.hash(password, cost),
    }),
  },
});

const IN_BASE64 = /^(\$2[abxy]\$[0-9]{2}\$)([A-Za-z0-9+/_-]{22})(?:==)?\$?([A-Za-z0-9+/_-]{31})=?$/;
const IN_HEX = /^(\$2[abxy]\$[0-9]{2}\$)([0-9a-f]{32})\$?([0-9a-f]{46})$/i;

function repairs(encoded: string): PossibleRepair[] {
  const foreign = (mistake: MistakeCode, shape: RegExp, encoding: BufferEncoding): PossibleRepair[] => {
    const [, setting, ...parts] = shape.exec(encoded) ?? [];
    if (setting === undefined) return [];
    const own = parts.map((text) => BCRYPT64.encode(Buffer.from(text, encoding)));
    return [{ mistake, encoded: setting + own.join('') }];
  };
  const variant = encoded.startsWith('$2x$') ? 'y' : 'x';
  const relabelled = encoded.replace(/^\$2[abxy]/, () => `$2${variant}`);
  return [
    ...foreign('URL_SAFE_OR_UNPADDED_BASE64', IN_BASE64, 'base64'),
    ...foreign('HEX_INSTEAD_OF_BASE64', IN_HEX, 'hex'),
    { mistake: 'BCRYPT_2X_MISLABELLED', encoded: relabelled },
  ];
}

/** Minimum number of bytes after which a secret may repeat itself. Nobody can guess so many bytes by trying. */
const MIN_SECRET_BYTES = 16;

/**
 * Key of a password that is followed by a secret (pepper). Two passwords give the same key only if the longer
 * one ends with the beginning of the secret. Such a password can be guessed only if the secret repeats
 * itself, or if bcrypt reads hardly any of it.
 */
export const PEPPERED: Key = {
  of: (password, secret) => appendSecret(password, secret, MAX_PASSWORD_BYTES),
  isOnly(password, { isOnlyKey, secret }) {
    if (!isOnlyKey(password)) return false;
    const room = MAX_PASSWORD_BYTES - password.length;
    return secret.length < room || periodOf(secret.subarray(0, room)) >= MIN_SECRET_BYTES;
  },
};

function periodOf(bytes: Buffer): number {
  let period = 1;
  while (!bytes.subarray(period).equals(bytes.subarray(0, Math.max(0, bytes.length - period)))) period += 1;
  return Math.min(period, bytes.length);
}

/** Key that is the text of a digest. It is so short that bcrypt reads enough of it to distinguish passwords. */
export const digestText = (name: DigestName, encoding: 'hex' | 'base64'): Key => ({
  of: (password) => Buffer.from(digestFunction(name)(password).toString(encoding)),
});

/** Key that has other bytes before the password. */
export const prefixed = (prefixOf: (parts: Parts) => Buffer): Key => {
  const withPrefix = (password: Buffer, parts: Parts) => Buffer.concat([prefixOf(parts), password]);
  return {
    of: (password, _secret, parts) => withPrefix(password, parts),
    identity: (parts) => base64(prefixOf(parts)),
    isOnly: (password, { isOnlyKey, parts }) => isOnlyKey(withPrefix(password, parts)),
  };
};

/**
 * Synapse hashes the first 72 bytes of the normalised password and the pepper. Without a pepper, every password
 * has other forms with the same result, for example with full-width letters.
 */
const SYNAPSE: Key = {
  of(password, secret) {
    const read = NFKC.of(password);
    if (read === undefined || secret.length === 0) return read;
    return appendSecret(read, secret, MAX_PASSWORD_BYTES);
  },
  isOnly: () => false,
};

/** Symfony digests passwords that bcrypt would cut off, and refuses empty and very long ones. */
const SYMFONY: Key = {
  of(password) {
    if (password.length === 0 || password.length > 4096) return undefined;
    const isCut = password.length > MAX_PASSWORD_BYTES || password.includes(0);
    return isCut ? Buffer.from(base64(sha512(password))) : password;
  },
};

/**
 * BCrypt.Net before version 4 handed bcrypt a key without the final NUL. bcrypt reads 72 bytes of its repeated
 * key, so an ordinary bcrypt of these 72 bytes is the same.
 */
const cyclic = (keyOf: (password: Buffer) => Buffer): Key => ({
  of: (password) => Buffer.alloc(MAX_PASSWORD_BYTES, keyOf(Buffer.concat([password, Buffer.of(0)]))),
});
const net3 = (name: DigestName) => cyclic((password) => Buffer.from(base64(digestFunction(name)(password))));

/**
 * Form of bcrypt with a secret. `$2x$` is excluded: its bug lets a byte from 0x80 up erase the three bytes
 * before it, so some bytes of the secret would hide others, and the rest could be guessed.
 */
export const bcryptWithSecret = (before: string, options: FormOptions): Form =>
  new Form(`${before}$2<variant:a|b|y>${REST}`, formula, { decoy: ANY_VARIANT, ...options });

/** Options of hashes that look like those of another family. */
export const BY_NAME: FormOptions = { isExact: true, byName: true };
/** Hashes that look like bcrypt, so the import must name their algorithm. */
const keyed = (key: Key, aliases: readonly string[] = []): Row => ({
  aliases,
  byName: true,
  forms: within('', [bcrypt], { key }),
});
const peppered = (key: Key, secret: 'required' | 'optional', aliases: readonly string[] = []): Row => ({
  aliases,
  byName: true,
  forms: [bcryptWithSecret('', { key, secret, ...BY_NAME })],
});

/** Makes a row that is suggested after the families of usual systems. */
const rare = (row: Row): Row => ({ ...row, rank: 2 });

const doubled: Formula = {
  ...formula,
  cost: (parts) => ({ ...formula.cost(parts), ms: 2 * formula.cost(parts).ms }),
  time: '100 ms × 2^(cost − 10), as bcrypt runs twice; half of it behind `Bcrypt:`',
};

/**
 * Before version 5.4, WoltLab Suite hashed the output of a first bcrypt again with the same salt: the whole first
 * hash, which begins with the variant (`$2a$`, `$2b$`, `$2y$`).
 */
const DOUBLED: Key = {
  of: async (password, _secret, parts) =>
    Buffer.from(beginningOf(parts) + canonical(parts, 'salt') + (await textOfBcrypt(parts, password))),
  identity: (parts) => beginningOf(parts).slice(0, 4),
  isOnly: (password, { isOnlyKey }) => isOnlyKey(password),
  number: 1,
};

/** The key of passlib's HMAC is the text of the bcrypt salt, not its decoded bytes. */
const PASSLIB_HMAC: Key = {
  of: (password, _secret, parts) => Buffer.from(base64(hmac('sha256', part(parts, 'salt').text, password))),
  identity: (parts) => part(parts, 'salt').text,
  number: 1,
};

/** WordPress refuses longer passwords. */
const MAX_WORDPRESS_BYTES = 4096;
const WORDPRESS: Key = {
  of(password) {
    if (password.length > MAX_WORDPRESS_BYTES) return undefined;
    return Buffer.from(base64(hmac('sha384', 'wp-sha384', phpTrim(password))));
  },
  isOnly: PHP_TRIMMED.isOnly,
};
const NFKC = inNormalForm('NFKC');

const lowerUser = (parts: Parts) => Buffer.from(textOf(bytes(parts, 'user'))?.toLowerCase() ?? '');

export const BCRYPT_FAMILIES = [
  bcrypt,
  ...familiesOf(formula, {
    'bcrypt-md5': keyed(digestText('md5', 'hex'), ['vbulletin5', 'drupal-md5-bcrypt']),
    'bcrypt-sha1': keyed(digestText('sha1', 'hex')),
    'bcrypt-sha256': keyed(digestText('sha256', 'hex'), ['meteor', 'rocketchat']),
    'bcrypt-sha512': keyed(digestText('sha512', 'hex'), ['nodebb']),
    'bcrypt-sha256-base64': keyed(digestText('sha256', 'base64')),
    'bcrypt-sha384-base64': keyed(digestText('sha384', 'base64'), ['bcrypt-net-enhanced']),
    'bcrypt-sha512-base64': keyed(digestText('sha512', 'base64')),
    'bcrypt-net2-sha384': rare(keyed(cyclic(sha384))),
    'bcrypt-net3-sha256': rare(keyed(net3('sha256'))),
    'bcrypt-net3-sha384': rare(keyed(net3('sha384'))),
    'bcrypt-net3-sha512': rare(keyed(net3('sha512'))),
    'symfony-bcrypt': rare(keyed(SYMFONY)),
    synapse: rare(peppered(SYNAPSE, 'optional')),
    'bcrypt-sha256-passlib': {
      decoy: ANY_VARIANT,
      mark: /^\$bcrypt-sha256\$/,
      as: {
        '$bcrypt-sha256$2<variant:a|b>,<cost:int>$<salt:bcrypt64/16>$<digest:bcrypt64/23>': {
          key: digestText('sha256', 'base64'),
        },
        '$bcrypt-sha256$v=2,t=2<variant:a|b>,r=<cost:int>$<salt:bcrypt64/16>$<digest:bcrypt64/23>': {
          key: PASSLIB_HMAC,
        },
      },
    },
    'django-bcrypt-sha256': {
      forms: within('bcrypt_sha256$', [bcrypt], { key: digestText('sha256', 'hex') }),
    },
    'django-bcrypt': { forms: within('bcrypt$', [bcrypt]) },
    'wordpress-bcrypt': {
      aliases: ['wordpress'],
      looksLike: '`$wp$2y$…` (WordPress from 6.8)',
      forms: within('$wp', [bcrypt], { second: SLASHED, key: WORDPRESS }),
    },
    'bcrypt-pepper': peppered(PEPPERED, 'required', ['devise', 'clearance']),
    smf2: {
      forms: within('$smf2$u=<user:b64*>', [bcrypt], {
        check: (parts) => refuseUnless(textOf(bytes(parts, 'user')) !== undefined, 'user name is not UTF-8'),
        key: prefixed(lowerUser),
      }),
    },
    wbb4: {
      aliases: ['woltlab'],
      looksLike: '`DoubleBcrypt:$2a$08$…`, `Bcrypt:$2y$…`; without its mark the first must be named',
      mark: /^(?:Double)?Bcrypt:\$2/,
      forms: [
        ...within('Bcrypt:', [bcrypt]),
        new Form(`[DoubleBcrypt:]$2<variant:a|b|x|y>${REST}`, doubled, { key: DOUBLED }),
      ],
    },
    jenkins: { forms: within('#jbcrypt:', [bcrypt]) },
    'bcrypt-phc-adonis': {
      // Adonis writes the character code of bcrypt's variant as the version. Older hashes have no version.
      as: '$bcrypt$[v=<variant:97=a|98=b>$]r=<cost:int>$<salt:bare64/16>$<digest:bare64/23>',
      mark: /^\$bcrypt\$/,
      defaults: { variant: 'a' },
    },
  }),
];

/** Form of bcrypt whose parts have other text between them. `as` has the parts cost, salt and digest. */
export const bcryptAs = (as: string, variant: string, options: FormOptions = {}) =>
  new Form(as, formula, { defaults: { variant }, ...options });
