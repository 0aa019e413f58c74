import { StringDecoder } from 'node:string_decoder';

/** Blocks of less than this cost more in handling than in reading. */
const MIN_BLOCK_BYTES = 65_536;
/** What failed is read again within a block, so that it must not be large. */
const MAX_BLOCK_BYTES = 262_144;

/** UTF-8 as text, in blocks of 64 to 256 KiB (the last one less), wherever its bytes were cut. */
export async function* textBlocks(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  for await (const chunk of bytes) {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes < MIN_BLOCK_BYTES) continue;
    const all = waiting.length === 1 ? chunk : Buffer.concat(waiting, waitingBytes);
    for (let from = 0; from < all.length; from += MAX_BLOCK_BYTES) {
      yield decoder.write(all.subarray(from, from + MAX_BLOCK_BYTES));
    }
    waiting = [];
    waitingBytes = 0;
  }
  const last = decoder.write(Buffer.concat(waiting, waitingBytes)) + decoder.end();
  if (last !== '') yield last;
}
