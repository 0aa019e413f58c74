import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FileProblem } from '../table.ts';

/** Maximum number of gzip layers. Two allows for a file that a download packed a second time. */
const MAX_LAYERS = 2;

/**
 * Maximum number of bytes that one byte of a gzip file may unpack to, over all layers; the limit stops
 * decompression bombs. Measured with gzip -9: 2 to 20 for tables of users with hashes, 105 for a table of 30
 * empty members, 149 for one with 160 defaults. One layer of gzip can reach 1,032, and two layers a million.
 */
export const MAX_RATIO = 400;

/** Every gzip file may unpack to this size, whatever its ratio. Reading so much takes a second or two. */
export const FREE_BYTES = 256 * 1024 * 1024;

/** With smaller chunks of unpacked gzip, the overhead per chunk exceeds the cost of unpacking. */
const UNPACKED_CHUNK_BYTES = 262_144;

/**
 * Unpacks gzip, including files with several members. Other files are passed through unchanged.
 * @throws FileProblem if the file is damaged, is packed more than twice, or unpacks to more than
 * `MAX_RATIO` allows
 */
export async function* unpackBytes(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let fileBytes = 0;
  const counted = async function* () {
    for await (const chunk of bytes) {
      fileBytes += chunk.length;
      yield chunk;
    }
  };
  const mayHaveUnpacked = (unpackedBytes: number) =>
    unpackedBytes <= FREE_BYTES || unpackedBytes <= MAX_RATIO * fileBytes;
  yield* unpackLayers(counted(), MAX_LAYERS, mayHaveUnpacked);
}

async function* unpackLayers(
  bytes: AsyncIterable<Buffer>,
  layers: number,
  mayHaveUnpacked: (unpackedBytes: number) => boolean,
): AsyncGenerator<Buffer> {
  const source = bytes[Symbol.asyncIterator]();
  try {
    const head = await readAtLeast(source, 2);
    const all = followedBy(head, source);
    if (head[0] !== 0x1f || head[1] !== 0x8b) yield* all;
    else if (layers === 0) throw tooManyLayers();
    else yield* unpackLayers(withinRatio(gunzip(all), mayHaveUnpacked), layers - 1, mayHaveUnpacked);
  } finally {
    await source.return?.();
  }
}

async function* withinRatio(
  bytes: AsyncIterable<Buffer>,
  mayHaveUnpacked: (unpackedBytes: number) => boolean,
): AsyncGenerator<Buffer> {
  let unpackedBytes = 0;
  for await (const chunk of bytes) {
    unpackedBytes += chunk.length;
    if (!mayHaveUnpacked(unpackedBytes)) throw unpacksToTooMuch();
    yield chunk;
  }
}

const tooManyLayers = () =>
  new FileProblem(
    'FILE_INVALID',
    `The file is packed with gzip more than ${MAX_LAYERS} times. If that is right, unpack it yourself (gunzip), and name the result.`,
  );

const unpacksToTooMuch = () =>
  new FileProblem(
    'FILE_INVALID',
    `The gzip file unpacks to more than ${MAX_RATIO} times its size, like a file that was made to exhaust its reader. If it is your export, unpack it yourself (gunzip), and name the result.`,
  );

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

/** Errors that are not of zlib, such as those of the disk, are returned unchanged. */
function asFileProblem(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') {
    return new FileProblem(
      'FILE_TRUNCATED',
      'The gzip file ends too early: it was not downloaded or copied completely. Fetch it again.',
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
