import { canonicalRepairs } from '../diagnose/canonical-repairs.ts';
import { VERSION_ITERATIONS } from '../diagnose/version-iterations.ts';
import { canonicalReader } from '../formats/canonical.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { BASE64 } from '../formats/encodings.ts';
import type { HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { requiredField } from '../formats/named-fields.ts';
import type { Pbkdf2Digest } from '../kdf/pbkdf2.ts';
import { HashRefused } from '../verifier.ts';
import { base64Repairs } from './base64-repairs.ts';
import type { Pbkdf2Hash, Pbkdf2Text } from './define-pbkdf2.ts';

const canonicalMistakes = canonicalRepairs({
  salt: true,
  digests: { 'pbkdf2-sha256': 32, 'pbkdf2-sha512': 64, 'pbkdf2-sha1': 20 },
  freeLength: true,
  iterations: VERSION_ITERATIONS.columns,
});

const FORM = new HashPattern(/\$pbkdf2-(?<digest>[^$]*)\$(?<params>[^$]*)\$(?<salt>[^$]*)\$(?<hash>[^$]+)/, {
  parts: { salt: BASE64, hash: BASE64 },
  looksLike: '$pbkdf2-<digest>$i=<iterations>$<salt>$<hash>',
});

const zeros = ({ length }: HashPart) => Buffer.alloc(length).toString('base64').replaceAll('=', '');

/** `checked`: `l=` must be the length of the hash. `ignored`: some programs write `l=` but do not use it. */
type LengthField = 'checked' | 'ignored';

function readerOf(
  name: string,
  digest: Pbkdf2Digest,
  lengthField: LengthField,
): (encoded: string) => Pbkdf2Text {
  const read = canonicalReader(`pbkdf2-${name}`, ['i', 'l']);
  return (encoded) => {
    const { fields, salt, hash } = read(encoded);
    checkLengthField(fields.get('l'), hash, lengthField);
    return { digest, iterations: requiredField(fields, 'i'), salt, hash };
  };
}

function checkLengthField(length: string | undefined, hash: HashPart, lengthField: LengthField): void {
  if (length === undefined) return;
  if (lengthField === 'ignored') {
    if (!/^[0-9]{1,9}$/.test(length)) throw new HashRefused('format', 'l must be a number');
    return;
  }
  const bytes = parseCost(length, { name: 'l', min: 1, max: 1024, setting: 'no setting raises it' });
  if (bytes === hash.length) return;
  throw new HashRefused(
    'format',
    `l is ${bytes}, but the hash has ${hash.length} bytes (name pbkdf2-kratos if it is of Ory Kratos, which ignores l)`,
  );
}

/**
 * @param digests digest by the name in hashes of the form
 * `$pbkdf2-<digest>$i=<iterations>[,l=<bytes>]$<salt>$<hash>`
 */
export function canonicalPbkdf2(
  digests: Readonly<Record<string, Pbkdf2Digest>>,
  lengthField: LengthField = 'checked',
) {
  const named = Object.entries(digests);
  return {
    reader() {
      const readers = new Map(
        named.map(([name, digest]) => [`$pbkdf2-${name}$`, readerOf(name, digest, lengthField)]),
      );
      return (encoded: string): Pbkdf2Text => {
        const read = readers.get(encoded.slice(0, encoded.indexOf('$', 1) + 1));
        if (read !== undefined) return read(encoded);
        const expected = Object.keys(digests).join(', ');
        throw new HashRefused('format', `does not begin with $pbkdf2- and one of ${expected}`);
      };
    },
    /** The field `l=` and padding are left out, because they add nothing to a hash. */
    decoy(_encoded: string, { digest, iterations, salt, hash }: Pbkdf2Hash): string {
      const name = named.find(([, one]) => one === digest)?.[0];
      return `$pbkdf2-${name}$i=${iterations}$${zeros(salt)}$${zeros(hash)}`;
    },
    repairs: (encoded: string) => [...canonicalMistakes(encoded), ...base64Mistakes(encoded)],
  };
}

/** Leaves hexadecimal digits to canonicalRepairs(), where the digits of a salt may also be text. */
const base64Mistakes = (encoded: string) =>
  base64Repairs(encoded, FORM).filter(({ mistake }) => mistake !== 'HEX_INSTEAD_OF_BASE64');
