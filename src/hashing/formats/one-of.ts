import { HashRefused } from '../verifier.ts';

/** Returns the value as one of the keys. @throws {HashRefused} `format` */
export function oneOf<Key extends string>(field: string, value: string, known: Record<Key, unknown>): Key {
  if (Object.hasOwn(known, value)) return value as Key;
  throw new HashRefused('format', `${field} is none of ${Object.keys(known).join(', ')}`);
}
