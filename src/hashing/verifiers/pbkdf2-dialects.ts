import { BARE_BASE64, PADDED_BASE64 } from '../formats/encodings.ts';
import type { Groups } from '../formats/hash-pattern.ts';
import { atMostBytes } from '../kdf/password-reading.ts';
import type { Pbkdf2Digest } from '../kdf/pbkdf2.ts';
import { definePbkdf2 } from './define-pbkdf2.ts';
import { canonicalPbkdf2 } from './pbkdf2-canonical.ts';
import { PBKDF2_OF_DIRECTORIES } from './pbkdf2-directories.ts';
import { PBKDF2_OF_PLATFORMS } from './pbkdf2-platforms.ts';
import { PBKDF2_OF_PYTHON } from './pbkdf2-python.ts';
import { digestNamed, spelling } from './pbkdf2-spelling.ts';
import { PBKDF2_OF_SYSTEMS } from './pbkdf2-systems.ts';
import { werkzeug } from './werkzeug.ts';

/** Maximum length of a Mattermost password: the limit of bcrypt, which Mattermost used before. */
const MATTERMOST_PASSWORD_BYTES = 72;

const PASSWORD4J_DIGESTS: readonly Pbkdf2Digest[] = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'];

/** All families of PBKDF2 hashes. The first has the canonical syntax. */
export const PBKDF2 = [
  definePbkdf2({
    name: 'pbkdf2',
    aliases: ['keycloak', 'discourse', 'grafana', 'passport-local', 'pbkdf2-raw'],
    displayName: 'PBKDF2',
    looksLike: '`$pbkdf2-<md5|sha1|sha224|sha256|sha384|sha512>$i=<iterations>[,l=<bytes>]$<salt>$<hash>`',
    shape: /^\$pbkdf2-(?:md5|sha1|sha224|sha256|sha384|sha512)\$[il]=/,
    ...canonicalPbkdf2({
      md5: 'md5',
      sha1: 'sha1',
      sha224: 'sha224',
      sha256: 'sha256',
      sha384: 'sha384',
      sha512: 'sha512',
    }),
  }),
  definePbkdf2({
    name: 'pbkdf2-kratos',
    displayName: 'Ory Kratos PBKDF2',
    looksLike: '`$pbkdf2-<sha1|sha224|sha256|sha384|sha512>$i=<iterations>,l=<bytes>$<salt>$<hash>`',
    shape: /^\$pbkdf2-sha(?:1|224|256|384|512)\$[il]=/,
    byNameOnly: true,
    // Kratos uses SHA-3 for two of the digest names, and takes the length of the hash instead of `l`
    // (hash/hash_comparator.go).
    ...canonicalPbkdf2(
      { sha1: 'sha1', sha224: 'sha3-224', sha256: 'sha256', sha384: 'sha3-384', sha512: 'sha512' },
      'ignored',
    ),
  }),
  definePbkdf2({
    name: 'mattermost-pbkdf2',
    displayName: 'Mattermost PBKDF2',
    looksLike: '`$pbkdf2$f=SHA<256|512>,w=<iterations>,l=<bytes>$<salt>$<hash>`',
    shape: /^\$pbkdf2\$f=/,
    password: atMostBytes(MATTERMOST_PASSWORD_BYTES),
    ...spelling(
      /\$pbkdf2\$f=SHA(?<size>256|512),w=(?<iterations>[0-9]+),l=(?<bytes>[1-9][0-9]{0,3})\$(?<salt>[^$]+)\$(?<hash>[^$]+)/,
      {
        looksLike: '$pbkdf2$f=SHA256,w=<iterations>,l=<bytes>$<salt>$<hash>',
        salt: BARE_BASE64,
        hash: BARE_BASE64,
        digest: ({ size }) => `sha${size}` as Pbkdf2Digest,
        hashBytes: (_digest, { bytes }) => Number(bytes),
      },
    ),
  }),
  ...PBKDF2_OF_PYTHON,
  werkzeug,
  ...PBKDF2_OF_PLATFORMS,
  ...PBKDF2_OF_DIRECTORIES,
  ...PBKDF2_OF_SYSTEMS,
  definePbkdf2({
    name: 'hashcat-pbkdf2',
    displayName: 'hashcat PBKDF2',
    looksLike: '`<md5|sha1|sha256|sha512>:<iterations>:<salt>:<hash>`',
    shape: /^(?:md5|sha1|sha256|sha512):[0-9]+:/,
    byNameOnly: true,
    ...spelling(/(?<digest>md5|sha1|sha256|sha512):(?<iterations>[0-9]+):(?<salt>[^:]*):(?<hash>[^:]+)/, {
      looksLike: '<digest>:<iterations>:<salt>:<hash>, both in padded base64',
      salt: PADDED_BASE64,
      hash: PADDED_BASE64,
      digest: digestNamed,
    }),
  }),
  definePbkdf2({
    name: 'pbkdf2-password4j',
    displayName: 'Password4j PBKDF2',
    looksLike: '`$<1|2|3|4|5>$<iterations × 2^32 + bits>$<salt>$<hash>`',
    // Hashes of md5-crypt, bsd-nthash and sha256-crypt begin with the same numbers (`$1$`, `$3$`, `$5$`).
    shape: /^\$[1-5]\$[0-9]{10,19}\$[^$]+\$[^$]+$/,
    byNameOnly: true,
    ...spelling(/\$(?<code>[1-5])\$(?<numbers>[1-9][0-9]{9,18})\$(?<salt>[^$]+)\$(?<hash>[^$]+)/, {
      looksLike: '$<1 to 5>$<iterations and bits in one number>$<salt>$<hash>',
      salt: PADDED_BASE64,
      hash: PADDED_BASE64,
      digest: ({ code }) => PASSWORD4J_DIGESTS[Number(code) - 1] ?? 'sha1',
      iterations: ({ numbers }) => String(halves(numbers).high),
      hashBytes: (_digest, { numbers }) => halves(numbers).low / 8,
    }),
  }),
];

function halves(numbers: Groups[string]): { high: bigint; low: number } {
  const value = BigInt(numbers ?? 0);
  return { high: value >> 32n, low: Number(value & 0xffffffffn) };
}
