import { canonicalReader, zeroedCanonical } from '../formats/canonical.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { AB64, BARE_BASE64, type Encoding, PADDED_BASE64, TEXT } from '../formats/encodings.ts';
import { checkLength } from '../formats/hash-part.ts';
import { type Groups, HashPattern } from '../formats/hash-pattern.ts';
import { requiredField } from '../formats/named-fields.ts';
import { PBKDF2_DIGESTS, type Pbkdf2Digest } from '../kdf/pbkdf2.ts';
import { HashRefused } from '../verifier.ts';
import { definePbkdf2, type Pbkdf2Dialect, type Pbkdf2Text } from './define-pbkdf2.ts';
import { DJANGO_REPAIRS, PBKDF2_REPAIRS } from './pbkdf2-repairs.ts';

/** The spelling of most dialects: one pattern with the groups `salt`, `hash` and `iterations`. */
function spelling(
  source: RegExp,
  options: {
    looksLike: string;
    salt: Encoding;
    hash: Encoding;
    digest: (groups: Groups) => Pbkdf2Digest;
    /** In bytes. Left out: any length. */
    hashBytes?: (digest: Pbkdf2Digest) => number;
  },
): Pick<Pbkdf2Dialect, 'reader' | 'decoy'> {
  const pattern = new HashPattern(source, {
    parts: { salt: options.salt, hash: options.hash },
    looksLike: options.looksLike,
  });
  const read = (encoded: string): Pbkdf2Text => {
    const groups = pattern.read(encoded);
    const digest = options.digest(groups);
    const hash = pattern.part(groups, 'hash');
    const bytes = options.hashBytes?.(digest);
    if (bytes !== undefined) checkLength('hash', hash, { min: bytes, max: bytes });
    return { digest, iterations: groups.iterations ?? '', salt: pattern.part(groups, 'salt'), hash };
  };
  return { reader: () => read, decoy: (encoded) => pattern.zeroed(encoded) };
}

const sizeOf = (digest: Pbkdf2Digest) => PBKDF2_DIGESTS[digest];
const named = ({ digest }: Groups) => (digest ?? 'sha1') as Pbkdf2Digest;

function readCanonical(digest: Pbkdf2Digest): (encoded: string) => Pbkdf2Text {
  const read = canonicalReader(`pbkdf2-${digest}`, ['i', 'l']);
  return (encoded) => {
    const { fields, salt, hash } = read(encoded);
    const length = fields.get('l');
    if (length !== undefined) {
      const bytes = parseCost(length, { name: 'l', min: 1, max: 1024, setting: 'the longest hash' });
      if (bytes !== hash.length)
        throw new HashRefused('format', `l is ${bytes}, but the hash has ${hash.length} bytes`);
    }
    return { digest, iterations: requiredField(fields, 'i'), salt, hash };
  };
}

const CANONICAL_DIGESTS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const;

/** The dialects of PBKDF2, the canonical one first. */
export const PBKDF2 = [
  definePbkdf2({
    name: 'pbkdf2',
    aliases: ['keycloak', 'discourse', 'grafana', 'passport-local'],
    displayName: 'PBKDF2',
    looksLike:
      '`$pbkdf2-<md5\\|sha1\\|sha224\\|sha256\\|sha384\\|sha512>$i=<iterations>[,l=<bytes>]$<salt>$<hash>`',
    shape: /^\$pbkdf2-(?:md5|sha1|sha224|sha256|sha384|sha512)\$[il]=/,
    repairs: PBKDF2_REPAIRS,
    reader() {
      const readers = new Map(
        CANONICAL_DIGESTS.map((digest) => [`$pbkdf2-${digest}$`, readCanonical(digest)]),
      );
      return (encoded) => {
        const read = readers.get(encoded.slice(0, encoded.indexOf('$', 1) + 1));
        if (read === undefined) {
          throw new HashRefused(
            'format',
            `does not begin with $pbkdf2- and one of ${CANONICAL_DIGESTS.join(', ')}`,
          );
        }
        return read(encoded);
      };
    },
    decoy: zeroedCanonical,
  }),
  definePbkdf2({
    name: 'pbkdf2-passlib',
    aliases: ['odoo', 'authelia', 'pbkdf2-elixir'],
    displayName: 'passlib PBKDF2',
    looksLike: '`$pbkdf2[-sha256\\|-sha512]$<iterations>$<salt>$<hash>`, both in `ab64`',
    shape: /^\$pbkdf2(?:-sha224|-sha256|-sha384|-sha512)?\$[0-9]/,
    ...spelling(
      /\$pbkdf2(?:-(?<digest>sha224|sha256|sha384|sha512))?\$(?<iterations>[0-9]+)\$(?<salt>[^$]*)\$(?<hash>[^$]+)/,
      {
        looksLike: '$pbkdf2[-sha256|-sha512]$<iterations>$<salt>$<hash>',
        salt: AB64,
        hash: AB64,
        digest: named,
        hashBytes: sizeOf,
      },
    ),
  }),
  definePbkdf2({
    name: 'mattermost-pbkdf2',
    displayName: 'Mattermost PBKDF2',
    looksLike: '`$pbkdf2$f=SHA<256\\|512>,w=<iterations>,l=<bytes>$<salt>$<hash>`',
    shape: /^\$pbkdf2\$f=/,
    ...spelling(
      /\$pbkdf2\$f=SHA(?<size>256|512),w=(?<iterations>[0-9]+),l=(?:32|64)\$(?<salt>[^$]+)\$(?<hash>[^$]+)/,
      {
        looksLike: '$pbkdf2$f=SHA256,w=<iterations>,l=<bytes>$<salt>$<hash>',
        salt: BARE_BASE64,
        hash: BARE_BASE64,
        digest: ({ size }) => `sha${size}` as Pbkdf2Digest,
      },
    ),
  }),
  definePbkdf2({
    name: 'django-pbkdf2',
    aliases: ['pbkdf2_sha256_django', 'authentik'],
    displayName: 'Django PBKDF2',
    looksLike: '`pbkdf2_<sha256\\|sha1>$<iterations>$<salt>$<hash>`',
    shape: /^pbkdf2_sha(?:1|256)\$/,
    repairs: DJANGO_REPAIRS,
    ...spelling(/pbkdf2_(?<digest>sha256|sha1)\$(?<iterations>[0-9]+)\$(?<salt>[^$]*)\$(?<hash>[^$]+)/, {
      looksLike: 'pbkdf2_sha256$<iterations>$<salt>$<hash>',
      salt: TEXT,
      hash: PADDED_BASE64,
      digest: named,
      hashBytes: sizeOf,
    }),
  }),
];
