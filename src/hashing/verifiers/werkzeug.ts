import { VERSION_ITERATIONS } from '../diagnose/version-iterations.ts';
import { HEX, TEXT } from '../formats/encodings.ts';
import { type Groups, HashPattern } from '../formats/hash-pattern.ts';
import type { Pbkdf2Digest } from '../kdf/pbkdf2.ts';
import { HashRefused } from '../verifier.ts';
import { defineFamilies } from './define-families.ts';
import { definePbkdf2, type Pbkdf2Text } from './define-pbkdf2.ts';
import { defineScrypt, type ScryptText } from './define-scrypt.ts';
import { digestNamed, sizeOf, spelling } from './pbkdf2-spelling.ts';

const NAME = { name: 'werkzeug', displayName: 'Werkzeug' };

/** Hashes before Werkzeug 0.15 omit the iterations; since then they are always written. */
const VERSION_DEFAULTS = '1000000 in 3.1, 600000 in 2.3, 260000 in 2.0, 150000 in 0.15, 50000 before';

/** Python's hashlib writes `_` in place of `-`. */
const digestOf = (groups: Groups) => digestNamed(groups).replace('_', '-') as Pbkdf2Digest;

const PBKDF2_SPELLING = spelling(
  /pbkdf2:(?<digest>md5|sha1|sha224|sha256|sha384|sha512|sha3_224|sha3_256|sha3_384|sha3_512):(?<iterations>[0-9]+)\$(?<salt>[^$]+)\$(?<hash>[^$]+)/,
  {
    looksLike: 'pbkdf2:<digest>:<iterations>$<salt>$<hash: lower-case hexadecimal>',
    salt: TEXT,
    hash: HEX,
    digest: digestOf,
    hashBytes: sizeOf,
    versions: VERSION_ITERATIONS.werkzeug,
  },
);
const readPbkdf2 = PBKDF2_SPELLING.reader();

const SCRYPT_PATTERN = new HashPattern(
  /scrypt(?::(?<N>[0-9]+):(?<r>[0-9]+):(?<p>[0-9]+))?\$(?<salt>[^$]+)\$(?<hash>[0-9a-f]{128})/,
  {
    parts: { salt: TEXT, hash: HEX },
    looksLike: 'scrypt:<N>:<r>:<p>$<salt>$<128 lower-case hexadecimal digits>',
  },
);
const SCRYPT_DEFAULTS = { N: '32768', r: '8', p: '1' };

/** Hashes of Werkzeug and Flask applications: PBKDF2 and, since version 2.3, mostly scrypt. */
export const werkzeug = defineFamilies({
  ...NAME,
  aliases: ['flask', 'superset', 'airflow', 'scrypt_werkzeug'],
  looksLike:
    '`scrypt:<N>:<r>:<p>$<salt>$<hash: hexadecimal>`, `pbkdf2:<digest>:<iterations>$<salt>$<hash: hexadecimal>`',
  families: [
    defineScrypt({
      ...NAME,
      looksLike: '`scrypt:<N>:<r>:<p>$<salt>$<hash: hexadecimal>`',
      shape: /^scrypt(?:[:]|\$[^$]+\$[0-9a-f]{128}$)/,
      reader: () => readScrypt,
      decoy: (_parsed, encoded) => SCRYPT_PATTERN.zeroed(encoded).replace(/^scrypt\$/, 'scrypt:32768:8:1$'),
    }),
    definePbkdf2({
      ...NAME,
      looksLike: '`pbkdf2:<digest>:<iterations>$<salt>$<hash: hexadecimal>`',
      shape: /^pbkdf2:/,
      reader: () => readWithIterations,
      decoy: PBKDF2_SPELLING.decoy,
      repairs: PBKDF2_SPELLING.repairs,
    }),
  ],
});

function readWithIterations(encoded: string): Pbkdf2Text {
  if (/^pbkdf2:[a-z0-9_]+\$/.test(encoded)) {
    throw new HashRefused(
      'format',
      `the iterations are missing: add them after the digest, separated by a colon. The default was ${VERSION_DEFAULTS}`,
    );
  }
  return readPbkdf2(encoded);
}

function readScrypt(encoded: string): ScryptText {
  const groups = SCRYPT_PATTERN.read(encoded);
  const { N, r, p } = SCRYPT_DEFAULTS;
  return {
    N: groups.N ?? N,
    r: groups.r ?? r,
    p: groups.p ?? p,
    salt: SCRYPT_PATTERN.part(groups, 'salt'),
    hash: SCRYPT_PATTERN.part(groups, 'hash'),
  };
}
