import { HashRefused } from '../verifier.ts';

/** @throws {HashRefused} `format` if `value` is not a key of `known` */
export function oneOf<Key extends string>(field: string, value: string, known: Record<Key, unknown>): Key {
  if (Object.hasOwn(known, value)) return value as Key;
  throw new HashRefused('format', `${field} must be one of ${Object.keys(known).join(', ')}`);
}
