import { StringDecoder } from 'node:string_decoder';

/** With smaller blocks of an export file, the overhead per block exceeds the cost of reading. */
const MIN_BLOCK_BYTES = 65_536;
/** Limits the work when a block of an export file is read again after a failure. */
const MAX_BLOCK_BYTES = 262_144;

/** Decodes UTF-8, which may be cut anywhere, into blocks of 64 to 256 KiB. The last block may be smaller. */
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
