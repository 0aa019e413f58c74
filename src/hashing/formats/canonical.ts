import { HashRefused } from '../verifier.ts';
import { BASE64 } from './encodings.ts';
import { encodedPart, type HashPart } from './hash-part.ts';
import { namedFields } from './named-fields.ts';
import { rememberLast } from './remember-last.ts';

/**
 * A hash in canonical form, `$<name>$<params>$<salt>$<hash>`. Applications that store the parts of a hash in
 * separate columns send them in this form (docs/hash-guide.md).
 */
export interface CanonicalHash<Field extends string> {
  fields: ReadonlyMap<Field, string>;
  /** Salt of the hash. May be empty. */
  salt: HashPart;
  hash: HashPart;
}

/** @throws {HashRefused} `format` from the returned function, which parses canonical hashes */
export function canonicalReader<Field extends string>(
  name: string,
  fieldNames: readonly Field[],
): (encoded: string) => CanonicalHash<Field> {
  const prefix = `$${name}$`;
  const readFields = rememberLast((text) =>
    text === '' ? new Map<Field, string>() : namedFields(text.split(','), fieldNames),
  );
  return (encoded) => {
    const sections = encoded.slice(prefix.length).split('$');
    const [params, salt, hash] = sections;
    if (!encoded.startsWith(prefix) || hash === undefined || sections.length !== 3) {
      throw new HashRefused('format', 'expected $<name>$<params>$<salt>$<hash>, salt and hash in base64');
    }
    if (hash === '') throw new HashRefused('format', 'hash is empty');
    return {
      fields: readFields(params ?? ''),
      salt: encodedPart('salt', salt ?? '', BASE64),
      hash: encodedPart('hash', hash, BASE64),
    };
  };
}

/**
 * Returns a canonical hash with zeros in place of salt, digest and other parts. Text and numbers are kept.
 */
export function emptyCanonical(
  name: string,
  { salt, hash, ...fields }: Record<string, string | number | HashPart | undefined> & { hash: HashPart },
): string {
  const params = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [`${field}=${typeof value === 'object' ? zeros(value) : value}`],
  );
  return [
    '',
    name,
    params.join(','),
    typeof salt === 'object' ? zeros(salt) : (salt ?? ''),
    zeros(hash),
  ].join('$');
}

const zeros = ({ length }: HashPart) => Buffer.alloc(length).toString('base64');

export function zeroedCanonical(encoded: string): string {
  const [empty, name, params = '', salt = '', hash = ''] = encoded.split('$');
  const anonymous = params.replace(
    /(^|,)u=([^,]*)/,
    (_all, before: string, user: string) => `${before}u=${BASE64.zeros(user)}`,
  );
  return [empty, name, anonymous, BASE64.zeros(salt), BASE64.zeros(hash)].join('$');
}
