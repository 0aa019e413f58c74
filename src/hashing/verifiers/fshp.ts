import { PADDED_BASE64 } from '../formats/encodings.ts';
import { bytesOf, partOf } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { BYTES } from '../kdf/password-reading.ts';
import type { RoundDigest } from '../kdf/round-hasher.ts';
import { HashRefused } from '../verifier.ts';
import { defineDigestRounds } from './define-digest-rounds.ts';

const DIGESTS: readonly RoundDigest[] = ['sha1', 'sha256', 'sha384', 'sha512'];

const PATTERN = new HashPattern(
  /\{FSHP(?<variant>[0-3])\|(?<saltBytes>0|[1-9][0-9]{0,3})\|(?<rounds>[0-9]+)\}(?<packed>[^{}]+)/,
  { parts: { packed: PADDED_BASE64 }, looksLike: '{FSHP<0|1|2|3>|<salt bytes>|<rounds>}<base64>' },
);

/** The returned salt and hash share memory with `packed`. */
function open(encoded: string) {
  const groups = PATTERN.read(encoded);
  const packed = bytesOf(PATTERN.part(groups, 'packed'));
  const saltBytes = Number(groups.saltBytes);
  if (saltBytes > packed.length) throw new HashRefused('format', 'the salt is longer than all of the base64');
  const [salt, hash] = [packed.subarray(0, saltBytes), packed.subarray(saltBytes)];
  const digest = DIGESTS[Number(groups.variant)] ?? 'sha1';
  return { packed, digest, rounds: groups.rounds ?? '', salt, hash };
}

/** Fairly Secure Hashed Password: PBKDF1 (RFC 8018) with password and salt exchanged. */
export const fshp = defineDigestRounds({
  name: 'fshp',
  displayName: 'FSHP',
  looksLike: '`{FSHP<0|1|2|3>|<salt bytes>|<rounds>}<base64 of salt and hash>`',
  shape: /^\{FSHP[0-9]\|/,
  strength: 'legacy',
  reference: { examples: 'SHA-512, 8192: 8 ms', measured: 'SHA-512, 8192: 7 ms; SHA-256, 4096: 3 ms' },
  reader: () => (encoded) => {
    const { digest, rounds, salt, hash } = open(encoded);
    return { digest, rounds, salt: partOf(salt), hash: partOf(hash) };
  },
  decoy(_parsed, encoded) {
    const zeros = Buffer.alloc(open(encoded).packed.length).toString('base64');
    return PATTERN.rewritten(encoded, () => zeros);
  },
  password: BYTES,
  steps: ({ salt, password }) => ({ first: [salt, password], next: (last) => [last] }),
});
