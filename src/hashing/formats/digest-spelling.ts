import { HashRefused } from '../verifier.ts';
import { type CanonicalHash, canonicalReader, emptyCanonical } from './canonical.ts';
import { BASE64, type Encoding } from './encodings.ts';
import { checkLength, encodedPart, type HashPart } from './hash-part.ts';
import { type Groups, HashPattern } from './hash-pattern.ts';
import { requiredField } from './named-fields.ts';

export interface DigestText {
  hash: HashPart;
  salt?: HashPart;
  user?: HashPart;
}

/** Text form of the hashes of a family, and the parser for it. */
export interface DigestSpelling<Text extends DigestText = DigestText> {
  /** Syntax of the hashes in messages and in docs/hash-formats.md, whose tables escape `|` in it. */
  looksLike: string;
  shape: RegExp;
  /** @throws {HashRefused} `format` */
  read(encoded: string): Text;
  /** Returns a hash of zeros. Hashes with the same parameters and lengths have the same decoy. */
  decoy(parsed: Text, encoded: string): string;
}

export const wholeShape = (source: RegExp) => new RegExp(`^(?:${source.source})$`, 'u');

export function base64Source(bytes: number): string {
  return `[A-Za-z0-9+/]{${Math.ceil((bytes * 4) / 3)}}={${(3 - (bytes % 3)) % 3}}`;
}

/** @throws {HashRefused} `format` if the part does not have this many bytes */
export function sized(name: string, part: HashPart, bytes: number): HashPart {
  checkLength(name, part, { min: bytes, max: bytes });
  return part;
}

/** @param source with the groups `hash` and, if there is a salt, `salt` */
export function patternSpelling(
  source: RegExp,
  options: {
    looksLike: string;
    hash: Encoding;
    salt?: Encoding;
    /** Length of the digest in bytes. */
    bytes: number;
    /** Shape of the hashes, by default the whole `source`. A more permissive one lets the error say what is malformed. */
    shape?: RegExp;
    decoy?: (zeroed: string) => string;
  },
): DigestSpelling {
  const { hash, salt, bytes, looksLike, decoy = (zeroed) => zeroed } = options;
  const pattern = new HashPattern(source, {
    parts: { hash, ...(salt && { salt }) } as Record<'hash' | 'salt', Encoding>,
    looksLike: looksLike.replaceAll('`', ''),
  });
  return {
    looksLike,
    shape: options.shape ?? wholeShape(source),
    read(encoded) {
      const groups: Groups = pattern.read(encoded);
      const digest = sized('hash', pattern.part(groups, 'hash'), bytes);
      return salt === undefined ? { hash: digest } : { hash: digest, salt: pattern.part(groups, 'salt') };
    },
    decoy: (_parsed, encoded) => decoy(pattern.zeroed(encoded)),
  };
}

/** Canonical form, `$<name>$<params>$<salt>$<hash>`, with no parameter except the user name. */
export function canonicalSpelling(
  name: string,
  options: { bytes: number; user?: 'required' | 'optional'; salt?: 'none' },
): DigestSpelling {
  const { bytes, user, salt: noSalt } = options;
  const fields = user === undefined ? [] : (['u'] as const);
  const read = canonicalReader<'u'>(name, fields);
  const salt = noSalt === undefined ? '<salt>' : '';
  return {
    looksLike: `\`$${name}$${user === undefined ? '' : 'u=<user>'}$${salt}$<hash>\``,
    shape: canonicalShape(name),
    read(encoded) {
      const canonical = read(encoded);
      const hash = sized('hash', canonical.hash, bytes);
      if (noSalt !== undefined) sized('salt', canonical.salt, 0);
      return {
        hash,
        ...(noSalt === undefined && { salt: canonical.salt }),
        ...(user !== undefined && { user: userOf(canonical, user) }),
      };
    },
    decoy: ({ hash, salt: stored, user: who }) =>
      emptyCanonical(name, { u: who?.length === 0 ? undefined : who, salt: stored, hash }),
  };
}

/** Requires four `$`, because hashes of other families may begin with the same name. */
export const canonicalShape = (name: string) => new RegExp(`^\\$${name}\\$[^$]*\\$[^$]*\\$`, 'u');

function userOf({ fields }: CanonicalHash<'u'>, need: 'required' | 'optional'): HashPart {
  const text = need === 'optional' ? (fields.get('u') ?? '') : requiredField(fields, 'u');
  const user = encodedPart('u', text, BASE64);
  if (user.length === 0 && need === 'required') throw new HashRefused('format', 'u is empty');
  return user;
}

/** Combines two spellings of a family. The second is used for hashes without the shape of the first. */
export function eitherSpelling<Text extends DigestText>(
  first: DigestSpelling<Text>,
  second: DigestSpelling<Text>,
): DigestSpelling<Text> {
  const of = (encoded: string) => (first.shape.test(encoded) ? first : second);
  return {
    looksLike: `${first.looksLike} or ${second.looksLike}`,
    shape: new RegExp(`${first.shape.source}|${second.shape.source}`, 'u'),
    read: (encoded) => of(encoded).read(encoded),
    decoy: (parsed, encoded) => of(encoded).decoy(parsed, encoded),
  };
}
