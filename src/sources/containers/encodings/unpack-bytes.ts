import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FileProblem } from '../table.ts';

/** More than a download that was packed twice is nobody's export. */
const MAX_LAYERS = 2;

/** Less than this costs more in handling than in unpacking. */
const UNPACKED_CHUNK_BYTES = 262_144;

/**
 * Unpacks gzip, also of several members one after another, and hands on what is not packed as it is. Whatever it unpacks to,
 * no more than some chunks are in memory.
 * @throws FileProblem
 */
export async function* unpackBytes(
  bytes: AsyncIterable<Buffer>,
  layers = MAX_LAYERS,
): AsyncGenerator<Buffer> {
  const source = bytes[Symbol.asyncIterator]();
  try {
    const head = await readAtLeast(source, 2);
    const all = followedBy(head, source);
    if (layers > 0 && head[0] === 0x1f && head[1] === 0x8b) yield* unpackBytes(gunzip(all), layers - 1);
    else yield* all;
  } finally {
    await source.return?.();
  }
}

/** As many bytes as these, or all there are. */
async function readAtLeast(source: AsyncIterator<Buffer>, count: number): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < count) {
    const next = await source.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return head;
}

async function* followedBy(head: Buffer, source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  for (;;) {
    const next = await source.next();
    if (next.done === true) return;
    yield next.value;
  }
}

async function* gunzip(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const packed = Readable.from(bytes, { highWaterMark: 1 });
  const unpacker = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES });
  packed.on('error', (error) => unpacker.destroy(error));
  packed.pipe(unpacker);
  try {
    for await (const chunk of unpacker) yield chunk;
  } catch (error) {
    throw asFileProblem(error);
  } finally {
    packed.destroy();
    unpacker.destroy();
  }
}

/** What zlib says of the bytes; other errors (of the disk) stay what they are. */
function asFileProblem(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') {
    return new FileProblem(
      'FILE_TRUNCATED',
      'The gzip file ends too early: it was not downloaded or copied to its end. Fetch it again.',
    );
  }
  if (typeof code === 'string' && code.startsWith('Z_')) {
    return new FileProblem(
      'FILE_INVALID',
      'The gzip file is damaged: it cannot be unpacked. Fetch it again.',
    );
  }
  return error;
}
