import { canonicalSpelling, patternSpelling } from '../formats/digest-spelling.ts';
import { HEX, TEXT } from '../formats/encodings.ts';
import { bytesOf } from '../formats/hash-part.ts';
import { DIGEST_BYTES, hex, md5, sha1, sha256 } from '../kdf/digests.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

/** Salts of forum software are text, even if they look like hexadecimal digits. */
export const FORUM_DIGESTS = [
  defineSaltedDigest({
    name: 'vbulletin',
    displayName: 'vBulletin',
    spelling: canonicalSpelling('vbulletin', { bytes: DIGEST_BYTES.md5 }),
    password: BYTES,
    digest: ({ password, salt }) => md5(hex(md5(password)), salt),
  }),
  defineSaltedDigest({
    name: 'mybb',
    displayName: 'MyBB',
    spelling: canonicalSpelling('mybb', { bytes: DIGEST_BYTES.md5 }),
    password: BYTES,
    digest: ({ password, salt }) => md5(hex(md5(salt)), hex(md5(password))),
  }),
  defineSaltedDigest({
    name: 'ipb2',
    aliases: ['ipb3'],
    displayName: 'IP.Board',
    spelling: canonicalSpelling('ipb2', { bytes: DIGEST_BYTES.md5 }),
    password: BYTES,
    digest: ({ password, salt }) => md5(hex(md5(salt)), hex(md5(asIpbEscapes(password)))),
  }),
  defineSaltedDigest({
    name: 'smf1',
    displayName: 'SMF 1',
    spelling: canonicalSpelling('smf1', { bytes: DIGEST_BYTES.sha1, user: 'required', salt: 'none' }),
    password: BYTES,
    identity: ({ user, hash }) => ({ user: user && asciiLowerCase(bytesOf(user)), hash }),
    digest: ({ password, user }) => sha1(asciiLowerCase(user), password),
  }),
  defineSaltedDigest({
    name: 'punbb',
    aliases: ['fluxbb'],
    displayName: 'PunBB',
    spelling: canonicalSpelling('punbb', { bytes: DIGEST_BYTES.sha1 }),
    password: BYTES,
    digest: ({ password, salt }) => sha1(salt, hex(sha1(password))),
  }),
  defineSaltedDigest({
    name: 'wbb3',
    displayName: 'WoltLab Burning Board 3',
    spelling: canonicalSpelling('wbb3', { bytes: DIGEST_BYTES.sha1 }),
    password: BYTES,
    digest: ({ password, salt }) => sha1(salt, hex(sha1(salt, hex(sha1(password))))),
  }),
  defineSaltedDigest({
    name: 'xenforo-sha256',
    displayName: 'XenForo SHA-256',
    spelling: canonicalSpelling('xenforo-sha256', { bytes: DIGEST_BYTES.sha256 }),
    password: BYTES,
    digest: ({ password, salt }) => sha256(hex(sha256(password)), salt),
  }),
  defineSaltedDigest({
    name: 'xenforo-sha1',
    displayName: 'XenForo SHA-1',
    spelling: canonicalSpelling('xenforo-sha1', { bytes: DIGEST_BYTES.sha1 }),
    password: BYTES,
    digest: ({ password, salt }) => sha1(hex(sha1(password)), salt),
  }),
  defineSaltedDigest({
    name: 'authme',
    displayName: 'AuthMe',
    spelling: patternSpelling(/\$SHA\$(?<salt>[^$\p{Cc}\p{Cs}]+)\$(?<hash>[0-9a-f]{64})/u, {
      looksLike: '`$SHA$<salt>$<64 lower-case hex digits>`',
      salt: TEXT,
      hash: HEX,
      bytes: DIGEST_BYTES.sha256,
    }),
    password: BYTES,
    digest: ({ password, salt }) => sha256(hex(sha256(password)), salt),
  }),
];

const IPB_ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '\\': '&#092;',
  '!': '&#33;',
  $: '&#036;',
  '"': '&quot;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
};

/** Escapes a password as IP.Board escaped all its input. Latin-1 keeps every byte. */
function asIpbEscapes(password: Buffer): Buffer {
  const text = password.toString('latin1').replace(/[&\\!$"<>']/g, (one) => IPB_ENTITIES[one] ?? one);
  return Buffer.from(text, 'latin1');
}

/**
 * PHP's strtolower before version 8, in the locale C. Sites with another locale must send names as hashed.
 */
function asciiLowerCase(name: Buffer): Buffer {
  return name.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte)) as Buffer;
}
