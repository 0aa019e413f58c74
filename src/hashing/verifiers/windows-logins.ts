import { defineAlgorithm } from '../algorithm.ts';
import { canonicalReader, emptyCanonical } from '../formats/canonical.ts';
import {
  canonicalShape,
  canonicalSpelling,
  type DigestSpelling,
  type DigestText,
  eitherSpelling,
  patternSpelling,
  sized,
} from '../formats/digest-spelling.ts';
import { ANY_HEX } from '../formats/encodings.ts';
import { bytesOf } from '../formats/hash-part.ts';
import { oneOf } from '../formats/one-of.ts';
import { toCodePage437 } from '../kdf/code-page-437.ts';
import { MD4_BYTES, md4 } from '../kdf/md4.ts';
import { BYTES, firstBytes, inTurn, UPPER_CASE, UTF16 } from '../kdf/password-reading.ts';
import { pbkdf2Key } from '../kdf/pbkdf2.ts';
import { desCbc, desKey } from '../kdf/single-des.ts';
import { DIGEST_MEMORY_BYTES, defineSaltedDigest } from './define-salted-digest.ts';

interface LmHash extends DigestText {
  encoding: keyof typeof LM_ENCODINGS;
}

/** Code pages in which a machine may have encoded the password: that of DOS, or UTF-8 with some tools. */
const LM_ENCODINGS = {
  // Different characters have different codes in code page 437, so no other password has the same bytes.
  cp437: { of: (text: Buffer) => toCodePage437(text.toString('utf8')), isOnly: () => true },
  utf8: BYTES,
};
const LM_BYTES = 16;
const LM_PASSWORD_BYTES = 14;
const LM_MAGIC = Buffer.from('KGS!@#$%');

const readLm = canonicalReader('lmhash', ['e']);
const LM_CANONICAL: DigestSpelling<LmHash> = {
  looksLike: '`$lmhash$e=<cp437|utf8>$$<hash>`',
  shape: canonicalShape('lmhash'),
  read(encoded) {
    const { fields, salt, hash } = readLm(encoded);
    sized('salt', salt, 0);
    return {
      encoding: oneOf('e', fields.get('e') ?? 'cp437', LM_ENCODINGS),
      hash: sized('hash', hash, LM_BYTES),
    };
  },
  decoy: ({ encoding, hash }) => emptyCanonical('lmhash', { e: encoding, hash }),
};
const LM_DIGITS = patternSpelling(/(?<hash>[0-9a-f]{32}|[0-9A-F]{32})/, {
  looksLike: '`<32 hex digits>`',
  hash: ANY_HEX,
  bytes: LM_BYTES,
});

function cachedCredentials(utf16: Buffer, user: Buffer): Buffer | undefined {
  const name = lowerName(user);
  return name && md4(md4(utf16), name);
}

const lowerName = (user: Buffer) => UTF16.of(Buffer.from(user.toString('utf8').toLowerCase()));

/** Windows ignores the case of user names. */
const withLowerName = ({ user, hash }: DigestText) => ({ user: user && lowerName(bytesOf(user)), hash });

const DCC2_ITERATIONS = 10_240;
const DCC2_SPELLING = canonicalSpelling('msdcc2', { bytes: MD4_BYTES, user: 'required', salt: 'none' });

export const WINDOWS_LOGINS = [
  defineSaltedDigest<LmHash>({
    name: 'lmhash',
    displayName: 'LM hash',
    byNameOnly: true,
    spelling: eitherSpelling(LM_CANONICAL, {
      ...LM_DIGITS,
      read: (encoded) => ({ encoding: 'cp437', ...LM_DIGITS.read(encoded) }),
      decoy: LM_CANONICAL.decoy,
    }),
    password: ({ encoding }) =>
      inTurn(inTurn(UPPER_CASE, LM_ENCODINGS[encoding]), firstBytes(LM_PASSWORD_BYTES)),
    digest({ password }) {
      const key = Buffer.alloc(LM_PASSWORD_BYTES);
      password.copy(key);
      return Buffer.concat([
        desCbc(desKey(key.subarray(0, 7)), LM_MAGIC),
        desCbc(desKey(key.subarray(7)), LM_MAGIC),
      ]);
    },
    describe: ({ encoding }) => ({ encoding }),
  }),
  defineSaltedDigest({
    name: 'msdcc',
    displayName: 'Windows cached credentials',
    spelling: canonicalSpelling('msdcc', { bytes: MD4_BYTES, user: 'required', salt: 'none' }),
    password: UTF16,
    identity: withLowerName,
    digest: ({ password, user }) => cachedCredentials(password, user),
  }),
  defineAlgorithm<DigestText>({
    name: 'msdcc2',
    displayName: 'Windows cached credentials 2',
    looksLike: DCC2_SPELLING.looksLike,
    shape: DCC2_SPELLING.shape,
    strength: 'legacy',
    reference: {
      formula: '4.6 ms',
      examples: 'any: 4.6 ms',
      measured: '10,240 iterations of PBKDF2 with SHA-1: 4 ms',
    },
    parser: () => DCC2_SPELLING.read,
    cost: () => ({ memoryBytes: DIGEST_MEMORY_BYTES, ms: 4.6 }),
    // An MD4 digest is shorter than the HMAC's block, so two passwords cannot have equivalent keys.
    password: () => UTF16,
    identity: withLowerName,
    decoy: DCC2_SPELLING.decoy,
    compute: {
      digest: ({ hash }) => bytesOf(hash),
      async of({ user }, password) {
        const name = user === undefined ? undefined : bytesOf(user);
        const salt = name && lowerName(name);
        const first = name && cachedCredentials(password, name);
        if (salt === undefined || first === undefined) return undefined;
        return pbkdf2Key({ password: first, salt, iterations: DCC2_ITERATIONS, digest: 'sha1' }, MD4_BYTES);
      },
    },
  }),
];
