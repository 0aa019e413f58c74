import { bytesOf, isPart } from './hash-part.ts';

/**
 * Returns a text that is the same for all spellings of a hash: its fields in sorted order, and the decoded
 * bytes of its parts. Functions and empty parts are omitted.
 */
export function identityOf(value: unknown): string {
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  if (isPart(value)) return identityOf(bytesOf(value));
  if (Array.isArray(value)) return `[${value.map(identityOf).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, one]) => one !== undefined && typeof one !== 'function' && !(isPart(one) && one.length === 0))
    .map(([name, one]) => `${JSON.stringify(name)}:${identityOf(one)}`);
  return `{${members.sort().join()}}`;
}
