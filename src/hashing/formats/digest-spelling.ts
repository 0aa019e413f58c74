import { HashRefused } from '../verifier.ts';
import { type CanonicalHash, canonicalReader, emptyCanonical } from './canonical.ts';
import { BASE64, type Encoding } from './encodings.ts';
import { checkLength, encodedPart, type HashPart } from './hash-part.ts';
import { type Groups, HashPattern } from './hash-pattern.ts';
import { requiredField } from './named-fields.ts';

/** What a hash holds that is a digest and what it was made from. */
export interface DigestText {
  hash: HashPart;
  salt?: HashPart;
  user?: HashPart;
}

/** How the hashes of one family are written. */
export interface DigestSpelling<Text extends DigestText = DigestText> {
  /** For people; `|` is escaped by the tables. */
  looksLike: string;
  /** Fits every string that `read` takes. */
  shape: RegExp;
  /** @throws {HashRefused} `format` */
  read(encoded: string): Text;
  /** Another hash of zeros, the same for all hashes that are described alike. */
  decoy(parsed: Text, encoded: string): string;
}

/** A pattern as it stands, whole: what it fits is a hash. */
export const wholeShape = (source: RegExp) => new RegExp(`^(?:${source.source})$`, 'u');

/** Padded base64 of so many bytes, as part of a regular expression. */
export function base64Source(bytes: number): string {
  return `[A-Za-z0-9+/]{${Math.ceil((bytes * 4) / 3)}}={${(3 - (bytes % 3)) % 3}}`;
}

/** A part of so many bytes. @throws {HashRefused} `format` */
export function sized(name: string, part: HashPart, bytes: number): HashPart {
  checkLength(name, part, { min: bytes, max: bytes });
  return part;
}

/** A pattern with the groups `hash` and, if there is a salt, `salt`. */
export function patternSpelling(
  source: RegExp,
  options: {
    looksLike: string;
    hash: Encoding;
    salt?: Encoding;
    /** Of the digest. */
    bytes: number;
    /** Left out: the whole pattern. It may be more than that, so that a refusal can say what is wrong. */
    shape?: RegExp;
    /** Left out: the same with zeros. */
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

/** The canonical form without fields or, with `user`, with that of the user name. */
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

/** What canonical hashes of this name begin with; four `$` in all tell them from others that begin so. */
export const canonicalShape = (name: string) => new RegExp(`^\\$${name}\\$[^$]*\\$[^$]*\\$`, 'u');

function userOf({ fields }: CanonicalHash<'u'>, need: 'required' | 'optional'): HashPart {
  const text = need === 'optional' ? (fields.get('u') ?? '') : requiredField(fields, 'u');
  const user = encodedPart('u', text, BASE64);
  if (user.length === 0 && need === 'required') throw new HashRefused('format', 'u is empty');
  return user;
}

/** Two spellings of one family: a string is read as the first one that it looks like. */
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
