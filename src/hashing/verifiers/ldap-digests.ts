import { base64Source, type DigestSpelling, type DigestText } from '../formats/digest-spelling.ts';
import { ANY_HEX, PADDED_BASE64 } from '../formats/encodings.ts';
import { bytesOf, encodedPart } from '../formats/hash-part.ts';
import { DIGEST_BYTES, type DigestName, digestFunction } from '../kdf/digests.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { HashRefused } from '../verifier.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

/** A hash scheme of LDAP (RFC 2307): a name in braces, in any case, then digest and salt in base64. */
interface Scheme {
  digest: DigestName;
  salted: boolean;
}

interface LdapHash extends DigestText {
  digest: DigestName;
}

const SALT = { min: 4, max: 64 };

/** In Dovecot, a suffix of the LDAP scheme may name the encoding (`{SSHA.HEX}`). */
const VALUE = /^\{(?<scheme>[A-Z0-9]+)(?:\.(?<encoding>B64|BASE64|HEX))?\}(?<value>[A-Za-z0-9+/=]*)$/i;

function ldapSpelling(schemes: Record<string, Scheme>): DigestSpelling<LdapHash> {
  const names = Object.keys(schemes);
  return {
    looksLike: names.map((name) => `\`{${name}}<base64>\``).join(', '),
    shape: new RegExp(
      `^(?:${Object.entries(schemes)
        .map(([name, scheme]) => shapeOf(name, scheme))
        .join('|')})`,
      'i',
    ),
    read(encoded) {
      const { scheme: name = '', encoding = 'b64', value = '' } = VALUE.exec(encoded)?.groups ?? {};
      const scheme = Object.hasOwn(schemes, name.toUpperCase()) ? schemes[name.toUpperCase()] : undefined;
      if (scheme === undefined) {
        throw new HashRefused('format', `expected {${names.join('} or {')}} followed by base64`);
      }
      const all = encodedPart('value', value, encoding.toLowerCase() === 'hex' ? ANY_HEX : PADDED_BASE64);
      return { digest: scheme.digest, ...split(bytesOf(all), scheme) };
    },
    decoy({ digest, hash, salt }) {
      const [name] = names.filter((one) => matches(schemes[one], digest, salt !== undefined));
      return `{${name}}${Buffer.alloc(hash.length + (salt?.length ?? 0)).toString('base64')}`;
    },
  };
}

const matches = (scheme: Scheme | undefined, digest: DigestName, salted: boolean) =>
  scheme?.digest === digest && scheme.salted === salted;

/**
 * Excludes AIX, which uses some of the scheme names: its hashes have a `$` near the start, and base64 has
 * none.
 */
const NOT_AIX = '(?!.{0,8}\\$)';

/** Excludes md5-crypt, which Dovecot also calls `MD5`. Its values are longer than a hexadecimal MD5. */
const NOT_CRYPT = '(?!.{40})';

/** The length of an unsalted value distinguishes it from other systems' hashes with the same scheme name. */
function shapeOf(name: string, { digest, salted }: Scheme): string {
  if (salted) return `\\{${name}(?:\\.(?:b64|base64|hex))?\\}${NOT_AIX}`;
  return `\\{${name}(?:\\.(?:b64|base64|hex)\\}${name === 'MD5' ? NOT_CRYPT : ''}|\\}${base64Source(DIGEST_BYTES[digest])}$)`;
}

function split(value: Buffer, { digest, salted }: Scheme): DigestText {
  const size = DIGEST_BYTES[digest];
  const [min, max] = salted ? [size + SALT.min, size + SALT.max] : [size, size];
  if (value.length < min || value.length > max) {
    const expected = salted
      ? `${size} bytes of digest and ${SALT.min} to ${SALT.max} of salt`
      : `${size} bytes`;
    throw new HashRefused('format', `expected ${expected}, got ${value.length} in all`);
  }
  const hash = base64Of(value.subarray(0, size));
  return salted ? { hash, salt: base64Of(value.subarray(size)) } : { hash };
}

const base64Of = (bytes: Buffer) => ({ text: bytes.toString('base64'), length: bytes.length });

function defineLdap(name: string, schemes: Record<string, Scheme>, aliases: readonly string[] = []) {
  return defineSaltedDigest<LdapHash>({
    name,
    aliases,
    spelling: ldapSpelling(schemes),
    password: BYTES,
    digest: ({ password, salt }, { digest }) => digestFunction(digest)(password, salt),
    portable: ({ digest, salt, hash }) => ({
      ...{ kind: 'digest', digest, isSaltFirst: false },
      ...{ salt: salt === undefined ? Buffer.alloc(0) : bytesOf(salt), hash: bytesOf(hash) },
    }),
    describe: ({ digest }) => ({ digest }),
  });
}

export const LDAP_DIGESTS = [
  defineLdap('ldap-sha', { SHA: { digest: 'sha1', salted: false } }),
  defineLdap('ldap-ssha', { SSHA: { digest: 'sha1', salted: true } }, ['ldap_ssha']),
  defineLdap('ldap-md5', { MD5: { digest: 'md5', salted: false } }),
  defineLdap('ldap-smd5', { SMD5: { digest: 'md5', salted: true } }),
  defineLdap(
    'ldap-sha2',
    {
      SHA256: { digest: 'sha256', salted: false },
      SSHA256: { digest: 'sha256', salted: true },
      SHA384: { digest: 'sha384', salted: false },
      SSHA384: { digest: 'sha384', salted: true },
      SHA512: { digest: 'sha512', salted: false },
      SSHA512: { digest: 'sha512', salted: true },
    },
    ['ldap-ssha256', 'ldap-ssha512'],
  ),
];
