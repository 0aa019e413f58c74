import { bytesOf, isPart } from './encodings.ts';

/** Returns the members in sorted order, and the decoded bytes of parts. Empty parts are left out. */
export function identityText(value: unknown): string {
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  if (isPart(value)) return identityText(bytesOf(value));
  if (Array.isArray(value)) return `[${value.map(identityText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([name, one]) => name !== 'packed' && one !== undefined && !(isPart(one) && one.length === 0))
    .map(([name, one]) => `${JSON.stringify(name)}:${identityText(one)}`);
  return `{${members.sort().join()}}`;
}
