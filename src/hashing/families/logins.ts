import { packedPart } from '../encodings.ts';
import { families, type Row, type Spelling } from '../family.ts';
import type { Formula } from '../form.ts';
import { bytes, number, refuseUnless } from '../form.ts';
import { DIGEST_MEMORY_BYTES, digest, pbkdf2Cost, pbkdf2Key } from '../formulas.ts';
import {
  DIGEST_BYTES,
  digestFunction,
  hex,
  hmac,
  md5,
  type Pbkdf2Digest,
  sha1,
  sha512,
} from '../kdf/digests.ts';
import { md4 } from '../kdf/md4-and-md5.ts';
import { mysql323, WITHOUT_BLANKS } from '../kdf/mysql323.ts';
import {
  atMostBytes,
  BYTES,
  firstBytes,
  inTurn,
  isOnlyHmacKey,
  isTyped,
  type PasswordReading,
  SASLPREP,
  toCodePage437,
  UPPER_CASE,
  UTF16,
} from '../kdf/password-reading.ts';
import { desCbc, desCbcLast, desKey } from '../kdf/single-des.ts';
import type { Parts } from '../template.ts';

const upperUtf16 = inTurn(UPPER_CASE, UTF16);
/** Oracle allows 30 bytes in the database's character set, whose characters may need four bytes in UTF-8. */
const MAX_ORACLE_BYTES = 120;
const ORACLE_KEY = Buffer.from('0123456789abcdef', 'hex');

function oracle10(password: Buffer, user: Buffer): Buffer | undefined {
  const name = upperUtf16.of(user);
  if (name === undefined) return undefined;
  const text = Buffer.concat([name, password]).swap16();
  const data = Buffer.concat([text, Buffer.alloc((8 - (text.length % 8)) % 8)]);
  return desCbcLast(desCbcLast(ORACLE_KEY, data), data);
}

/** Code pages in which a machine may have encoded the password: that of DOS, or UTF-8 with some tools. */
const LM_ENCODINGS: Readonly<Record<string, PasswordReading>> = {
  // Different characters have different codes in code page 437, so no other password has the same bytes.
  cp437: { of: (text) => toCodePage437(text.toString('utf8')), isOnly: () => true },
  utf8: BYTES,
};
const LM_PASSWORD_BYTES = 14;
const LM_MAGIC = Buffer.from('KGS!@#$%');

const LM = digest(({ password }) => {
  const key = Buffer.concat([password], LM_PASSWORD_BYTES);
  return Buffer.concat([key.subarray(0, 7), key.subarray(7)].map((half) => desCbc(desKey(half), LM_MAGIC)));
});
const readByLm = ({ encoding }: Parts) =>
  inTurn(inTurn(UPPER_CASE, LM_ENCODINGS[String(encoding)] ?? BYTES), firstBytes(LM_PASSWORD_BYTES));

/** Windows ignores the case of user names. */
const lowerName = (user: Buffer) => Buffer.from(user.toString('utf8').toLowerCase(), 'utf16le');
const byLowerName = ({ hash, ...parts }: Parts) => ({ user: lowerName(bytes(parts, 'user')), hash });
const checkName = (parts: Parts) =>
  refuseUnless(UTF16.of(bytes(parts, 'user')) !== undefined, 'u is not UTF-8');
const cachedCredentials = (utf16: Buffer, user: Buffer) => md4(md4(utf16), lowerName(user));
const DCC2_ITERATIONS = 10_240;

/**
 * Returns what Cisco devices add to the password: the first four bytes of the user name. A shorter name is repeated.
 */
const suffixOf = (user: Buffer) => (user.length === 0 ? user : Buffer.alloc(4, user));

/**
 * Row for Cisco devices. They add the user name to a password, pad it with zeros, and cut off the rest.
 * @param blocks lengths in bytes to which the device pads: the first that suffices, or else the last
 * @param withoutUser length of a password, in bytes, from which the device leaves out the user name
 */
function cisco(blocks: readonly number[], withoutUser: number): Row {
  const longest = blocks.at(-1) ?? 0;

  function fillUp(password: Buffer, user: Buffer): Buffer | undefined {
    if (password.length > longest) return undefined;
    const text = password.length >= withoutUser ? password : Buffer.concat([password, suffixOf(user)]);
    return Buffer.concat([text], blocks.find((size) => text.length <= size) ?? longest);
  }
  const filledUp = (parts: Parts): PasswordReading => ({
    of: (password) => fillUp(password, bytes(parts, 'user')),
    isOnly(password) {
      const user = bytes(parts, 'user');
      const filled = fillUp(password, user);
      if (filled === undefined) return false;
      // Only beginnings of the padded text can be other passwords with the same padded text.
      const passwords = Array.from({ length: filled.length + 1 }, (_, size) => filled.subarray(0, size));
      const isSame = (other: Buffer) => fillUp(other, user)?.equals(filled) === true;
      return !passwords.some((other) => !other.equals(password) && isTyped(other) && isSame(other));
    },
  });
  return {
    as: { '@<u?=user:b64*>$$<hash:b64/12>': {}, '<hash:crypt64/12>': {} },
    byName: true,
    reading: filledUp,
    identity({ hash, user }: Parts) {
      const suffix = suffixOf(bytes({ user }, 'user'));
      return suffix.length > 0 ? { hash, user: suffix } : { hash };
    },
    // Devices drop every fourth byte of the MD5 digest.
    formula: digest(({ password }) => Buffer.from(md5(password).filter((_byte, index) => index % 4 !== 3))),
  };
}

/** Values that RFC 5802 calls StoredKey and ServerKey, one after the other. */
const scramKeys: Formula = {
  digestPart: 'keys',
  async of({ password, salt, parts }) {
    const name = parts.digest as Pbkdf2Digest;
    const input = { password, salt, iterations: number(parts, 'iterations'), digest: name };
    const saltedPassword = await pbkdf2Key(input, DIGEST_BYTES[name]);
    const storedKey = digestFunction(name)(hmac(name, saltedPassword, 'Client Key'));
    return Buffer.concat([storedKey, hmac(name, saltedPassword, 'Server Key')]);
  },
  cost: ({ digest: name, iterations }) => pbkdf2Cost(name as Pbkdf2Digest, Number(iterations), 1),
  strength: 'legacy',
  time: 'as pbkdf2 of one block; SHA-256, 4096: 1 ms',
  isOnlyKey: (key, parts) => isOnlyHmacKey(parts.digest as Pbkdf2Digest, key),
  // Stored fingerprints were made of identities with `reading` and `prepared`, so both must stay in the identity.
  identity: (parts) => ({ ...parts, reading: {} }),
};

const PREPARED = 'as SASLprep does';

/**
 * Returns the reading of a SCRAM hash. A canonical hash with `u` is MongoDB's, which hashes a digest of user name and
 * password.
 */
function readScram({ prepared }: Parts): PasswordReading {
  if (typeof prepared === 'string') return prepared === PREPARED ? SASLPREP : BYTES;
  const user = bytes({ prepared }, 'prepared');
  return { of: (password) => Buffer.from(hex(md5(user, ':mongo:', password))), isOnly: () => true };
}

function canonicalScram({ user, hash, ...parts }: Parts): Parts {
  refuseUnless(user === undefined || parts.digest === 'sha1', 'parameter u is for sha1 only');
  const size = 2 * DIGEST_BYTES[parts.digest as Pbkdf2Digest];
  const { length } = bytes({ hash }, 'hash');
  refuseUnless(length === size, `StoredKey and ServerKey together must be ${size} bytes long, got ${length}`);
  return { ...parts, keys: hash, prepared: user ?? PREPARED };
}

/** Options of a form with the stored key and the server key in separate parts. */
const storedScram = (digestName: Pbkdf2Digest, prepared: string): Spelling => ({
  open({ stored, server, ...parts }) {
    const keys = Buffer.concat([bytes({ stored }, 'stored'), bytes({ server }, 'server')]);
    return { digest: digestName, prepared, ...parts, keys: packedPart(keys) };
  },
});

const SCRAM_SHA256 = storedScram('sha256', PREPARED);
// Dovecot hashes the password as it is, without SASLprep.
const DOVECOT_SHA1 = storedScram('sha1', 'not at all');
const DOVECOT_SHA256 = storedScram('sha256', 'not at all');

/** Digests of passlib's SCRAM hashes, in order of preference. Only the first one in a hash is verified. */
const PASSLIB_SCRAM = ['sha-256', 'sha-512', 'sha-224', 'sha-384', 'sha-1'];
const nameOf = (digestName: string) => digestName.replace('-', '') as Pbkdf2Digest;

/** @throws {HashRefused} `format` if SHA-1 is missing, which SCRAM requires */
function openPasslibScram(parts: Parts) {
  refuseUnless(parts['sha-1'] !== undefined, 'sha-1 is missing, which SCRAM requires');
  const name = PASSLIB_SCRAM.find((one) => parts[one] !== undefined) ?? 'sha-1';
  return { iterations: parts.iterations, salt: parts.salt, name, hash: parts[name] };
}

/** Template for a hash beside the name of its user. */
const BY_USER = '@<u=user:b64>$$<hash:b64/16>';
const WINDOWS_USER: Row = { as: BY_USER, check: checkName, reading: UTF16, identity: byLowerName };

const SHA1 = digest(({ password, salt }) => sha1(password, salt));
const MSSQL: Row = { isExact: true, reading: UTF16 };

/** Logins of databases, network devices and Windows. */
export const LOGIN_FAMILIES = families({
  /** Credentials that a server stores to verify SCRAM logins (RFC 5802, RFC 7677), written as a password hash. */
  scram: {
    formula: scramKeys,
    reading: readScram,
    as: {
      '$scram$<d=digest:sha1|sha256|sha512,i=iterations:int,u?=user:b64*>$<salt:b64*>$<hash:b64>': {
        open: canonicalScram,
      },
      'SCRAM-SHA-256$<iterations:int>:<salt:pad64>$<stored:pad64/32>:<server:pad64/32>': SCRAM_SHA256,
      '{SCRAM-SHA-1}<iterations:int>,<salt:pad64>,<stored:pad64/20>,<server:pad64/20>': DOVECOT_SHA1,
      '{SCRAM-SHA-256}<iterations:int>,<salt:pad64>,<stored:pad64/32>,<server:pad64/32>': DOVECOT_SHA256,
    },
  },
  'scram-passlib': {
    as: `$scram$<iterations:int>$<salt:ab64*>$<${PASSLIB_SCRAM.map((name) => `${name}?=${name}:ab64/${DIGEST_BYTES[nameOf(name)]}`).join()}>`,
    looksLike: '`$scram$<iterations>$<salt>$sha-1=<hash>[,sha-256=<hash>,…]`, all in `ab64`',
    open: openPasslibScram,
    reading: SASLPREP,
    formula: {
      of({ password, salt, hash, parts }) {
        const [name, iterations] = [nameOf(String(parts.name)), number(parts, 'iterations')];
        return pbkdf2Key({ password, salt, iterations, digest: name }, hash.length);
      },
      cost: ({ name, iterations }) => pbkdf2Cost(nameOf(String(name)), Number(iterations), 1),
      strength: 'legacy',
      time: 'as pbkdf2 of one block; SHA-256, 100,000: 30 ms',
      isOnlyKey: (key, { name }) => isOnlyHmacKey(nameOf(String(name)), key),
      describe: ({ name, ...parts }) => ({ digest: nameOf(String(name)), ...parts }),
    },
  },
  mysql41: { as: '*<hash:HEX/20>', isExact: true, formula: digest(({ password }) => sha1(sha1(password))) },
  mysql323: {
    as: '<hash:HEX/8>',
    byName: true,
    reading: WITHOUT_BLANKS,
    formula: digest(({ password }) => mysql323(password)),
  },
  'postgres-md5': { as: BY_USER, formula: digest(({ password, user }) => md5(password, user)) },
  // The realm, which is digested as well, is in the place of the salt.
  htdigest: {
    as: '@<u=user:b64>$<salt:b64*>$<hash:b64/16>',
    formula: digest(({ password, salt: realm, user }) => md5(user, ':', realm, ':', password)),
  },
  // SQL Server 2000 also stores a digest of the password in upper case, which servers compared unless they were
  // configured as case-sensitive.
  mssql2000: {
    as: '0x0100<salt:HEX/4><other:HEX/20><hash:HEX/20>',
    isExact: true,
    identity: ({ salt, hash }) => ({ salt, hash }),
    reading: upperUtf16,
    formula: SHA1,
  },
  mssql2005: { ...MSSQL, as: '0x0100<salt:HEX/4><hash:HEX/20>', formula: SHA1 },
  mssql2012: {
    ...MSSQL,
    as: '0x0200<salt:HEX/4><hash:HEX/64>',
    formula: digest(({ password, salt }) => sha512(password, salt)),
  },
  oracle10: {
    as: '@<u=user:b64>$$<hash:b64/8>',
    reading: inTurn(atMostBytes(MAX_ORACLE_BYTES), upperUtf16),
    identity: ({ hash, ...parts }) => ({ user: upperUtf16.of(bytes(parts, 'user')), hash }),
    formula: digest(({ password, user }) => oracle10(password, user)),
  },
  oracle11: { as: 'S:<hash:HEX/20><salt:HEX/10>', isExact: true, formula: SHA1 },
  lmhash: {
    as: { '@<e?=encoding:cp437|utf8>$$<hash:b64/16>': {}, '<hash:HEX/16>': {} },
    byName: true,
    defaults: { encoding: 'cp437' },
    reading: readByLm,
    formula: LM,
  },
  msdcc: {
    ...WINDOWS_USER,
    formula: digest(({ password, user }) => cachedCredentials(password, user)),
  },
  msdcc2: {
    ...WINDOWS_USER,
    // An MD4 digest is shorter than the HMAC's block, so two passwords cannot have equivalent keys.
    formula: {
      of({ password, user }) {
        const [first, salt] = [cachedCredentials(password, user), lowerName(user)];
        return pbkdf2Key({ password: first, salt, iterations: DCC2_ITERATIONS, digest: 'sha1' }, 16);
      },
      cost: () => ({ memoryBytes: DIGEST_MEMORY_BYTES, ms: 4.6 }),
      strength: 'legacy',
      time: '4.6 ms',
    },
  },
  /** `enable` and user passwords of Cisco firewalls. The hash does not show which device wrote it. */
  'cisco-pix': cisco([16], 17),
  'cisco-asa': cisco([16, 32], 28),
});
