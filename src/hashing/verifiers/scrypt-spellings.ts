import { canonicalRepairs } from '../diagnose/canonical-repairs.ts';
import { canonicalReader } from '../formats/canonical.ts';
import type { Encoding } from '../formats/encodings.ts';
import { checkLength } from '../formats/hash-part.ts';
import { type Groups, HashPattern } from '../formats/hash-pattern.ts';
import { requiredField } from '../formats/named-fields.ts';
import { HashRefused } from '../verifier.ts';
import type { ScryptCostTexts, ScryptDialect, ScryptHash, ScryptText } from './define-scrypt.ts';

type Spelling = Pick<ScryptDialect, 'reader' | 'decoy' | 'repairs'>;

const canonicalScryptRepairs = canonicalRepairs({ salt: true, blockSize: true });

/** @param source with the groups `salt` and `hash` */
export function scryptPattern(
  source: RegExp,
  options: {
    looksLike: string;
    salt: Encoding;
    hash: Encoding;
    costs: (groups: Groups) => ScryptCostTexts;
    hashBytes?: number;
  },
): Spelling {
  const { looksLike, salt, hash, costs, hashBytes } = options;
  const pattern = new HashPattern(source, { parts: { salt, hash }, looksLike });
  const read = (encoded: string): ScryptText => {
    const groups = pattern.read(encoded);
    const part = pattern.part(groups, 'hash');
    if (hashBytes !== undefined) checkLength('hash', part, { min: hashBytes, max: hashBytes });
    return { ...costs(groups), salt: pattern.part(groups, 'salt'), hash: part };
  };
  return { reader: () => read, decoy: (_parsed, encoded) => pattern.zeroed(encoded) };
}

/** Canonical scrypt hashes, `$<name>$<field>=…,r=…,p=…$<salt>$<hash>`. The field holds N or its logarithm. */
export function canonicalScrypt(
  name: string,
  { field, holds, check }: { field: 'ln' | 'n'; holds: 'N' | 'log2N'; check?: (text: ScryptText) => void },
): Spelling {
  return {
    reader() {
      const read = canonicalReader(name, [field, 'r', 'p']);
      return (encoded) => {
        const { fields, salt, hash } = read(encoded);
        const n = requiredField(fields, field);
        const [r, p] = [requiredField(fields, 'r'), requiredField(fields, 'p')];
        // No object spread here: an import calls this function a million times, and spreading would double
        // its time.
        const text = holds === 'N' ? { N: n, r, p, salt, hash } : { log2N: n, r, p, salt, hash };
        check?.(text);
        return text;
      };
    },
    decoy: ({ log2N, r, p, salt, hash }) =>
      `$${name}$${field}=${holds === 'N' ? 2 ** log2N : log2N},r=${r},p=${p}$${zeros(salt)}$${zeros(hash)}`,
    repairs: canonicalScryptRepairs,
  };
}

const zeros = ({ length }: { length: number }) => Buffer.alloc(length).toString('base64').replaceAll('=', '');

/**
 * Hashes of Django itself (N first, 64 bytes) and of the package django-scrypt (salt first, with a length).
 */
export function djangoScrypt(text: { salt: Encoding; hash: Encoding }): Spelling {
  const own = scryptPattern(
    /scrypt\$(?<N>[0-9]+)\$(?<salt>[^$]+)\$(?<r>[0-9]+)\$(?<p>[0-9]+)\$(?<hash>[^$]+)/,
    { ...text, looksLike: 'scrypt$<N>$<salt>$<r>$<p>$<hash>', costs: costsOf, hashBytes: 64 },
  ).reader();
  const packaged = scryptPattern(
    /scrypt\$(?<salt>[^$]+)\$(?<log2N>[0-9]+)\$(?<r>[0-9]+)\$(?<p>[0-9]+)\$[0-9]+\$(?<hash>[^$]+)/,
    { ...text, looksLike: 'scrypt$<salt>$<log2 N>$<r>$<p>$<length>$<hash>', costs: costsOf },
  ).reader();
  return {
    reader: () => (encoded) => {
      const fields = encoded.split('$');
      if (fields.length !== 7) return own(encoded);
      const parsed = packaged(encoded);
      if (fields[5] === String(parsed.hash.length)) return parsed;
      throw new HashRefused(
        'format',
        `the hash has ${parsed.hash.length} bytes, which is not the stated length`,
      );
    },
    decoy({ log2N, r, p, salt, hash }: ScryptHash) {
      const digest = Buffer.alloc(hash.length).toString('base64');
      return ['scrypt', '0'.repeat(salt.length), log2N, r, p, hash.length, digest].join('$');
    },
  };
}

export function costsOf({ N, log2N, r = '', p = '' }: Groups): ScryptCostTexts {
  return N === undefined ? { log2N: log2N ?? '', r, p } : { N, r, p };
}
