import { HashRefused } from '../verifier.ts';

/** Returns the parameter of a hash if it is a key of `known`. @throws {HashRefused} `format` if it is not */
export function oneOf<Key extends string>(field: string, value: string, known: Record<Key, unknown>): Key {
  if (Object.hasOwn(known, value)) return value as Key;
  throw new HashRefused('format', `${field} must be one of ${Object.keys(known).join(', ')}`);
}
