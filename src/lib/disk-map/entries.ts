/** High word of a key's hash, by which entries are sorted; low word; offset of the record (48 bits). */
export const ENTRY_BYTES = 14;

export interface Entry {
  high: number;
  low: number;
  offset: number;
}

export function writeEntry(target: Buffer, at: number, high: number, low: number, offset: number): void {
  target.writeUInt32LE(high, at);
  target.writeUInt32LE(low, at + 4);
  target.writeUIntLE(offset, at + 8, 6);
}

export const highOf = (entries: Buffer, at: number): number => entries.readUInt32LE(at);
export const lowOf = (entries: Buffer, at: number): number => entries.readUInt32LE(at + 4);
export const offsetOf = (entries: Buffer, at: number): number => entries.readUIntLE(at + 8, 6);

/** Writes two words: cyrb53 by bryc, public domain, with all of its 64 bits. */
export function hashText(text: string, seed: number, words: Uint32Array): void {
  let first = 0xdeadbeef ^ seed;
  let second = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 2654435761);
    second = Math.imul(second ^ code, 1597334677);
  }
  first = Math.imul(first ^ (first >>> 16), 2246822507) ^ Math.imul(second ^ (second >>> 13), 3266489909);
  second = Math.imul(second ^ (second >>> 16), 2246822507) ^ Math.imul(first ^ (first >>> 13), 3266489909);
  words[0] = second;
  words[1] = first;
}
