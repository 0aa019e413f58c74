import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { invalidFile, truncatedFile, wrongEncoding } from './table.ts';

/** Maximum number of gzip layers. Two allows for a file that a download packed a second time. */
const MAX_LAYERS = 2;

/**
 * Maximum number of bytes that one byte of a gzip file may unpack to, over all layers; the limit stops
 * decompression bombs. Measured with gzip -9: 2 to 20 for tables of users with hashes, 105 for a table of 30
 * empty members, 149 for one with 160 defaults. One layer of gzip can reach 1,032, and two layers a million.
 */
export const MAX_RATIO = 400;

/** Size to which every gzip file may unpack, whatever its ratio. Reading so much takes a second or two. */
export const FREE_BYTES = 256 * 1024 * 1024;

/** Size of a chunk of unpacked gzip. With smaller chunks, the overhead per chunk exceeds the cost of unpacking. */
const UNPACKED_CHUNK_BYTES = 262_144;

/** Number of bytes that are checked for UTF-16 without a byte order mark. */
const LOOK_BYTES = 32;

/**
 * Maximum number of consecutive bytes of an export that are only spaces, tabs and line ends. No writer leaves
 * such a gap, and without a limit a small packed file could keep the reader busy for a long time.
 */
export const MAX_BLANK_BYTES = 16 * 1024 * 1024;

/**
 * Decodes an export file to UTF-8. Unpacks gzip, decodes UTF-16 that has a byte order mark, and removes the
 * mark. Chunks never end inside a character.
 * @param encoding a label that `TextDecoder` knows. It does not override a byte order mark of UTF-8
 * @param isChecked false to pass invalid UTF-8 through unchanged, instead of throwing
 */
export const decodeBytes = (
  bytes: AsyncIterable<Buffer>,
  encoding?: string,
  isChecked = true,
): AsyncGenerator<Buffer> =>
  withHead(unpackBytes(bytes), LOOK_BYTES, (head, all) =>
    decodeAll(all, createDecoder(encodingOf(head, encoding), isChecked)),
  );

/** Decodes the beginning of a file. An incomplete last character is left out, unless the file ends there. */
export const decodeHead = (
  bytes: Buffer,
  isWhole: boolean,
  encoding: string | undefined,
  isChecked: boolean,
): Buffer => createDecoder(encodingOf(bytes, encoding), isChecked)(bytes, isWhole);

/**
 * Unpacks gzip, including files with several members. Other files are passed through unchanged.
 * @throws FileProblem if the file is damaged, is packed more than twice, or unpacks to more than
 * `MAX_RATIO` allows
 */
export function unpackBytes(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let fileBytes = 0;
  const counted = async function* () {
    for await (const chunk of bytes) {
      fileBytes += chunk.length;
      yield chunk;
    }
  };
  const mayUnpackTo = (size: number) => size <= FREE_BYTES || size <= MAX_RATIO * fileBytes;
  return unpackLayers(counted(), MAX_LAYERS, mayUnpackTo);
}

/** Reads a file up to a number of bytes. */
export async function readHead(
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}

const unpackLayers = (
  bytes: AsyncIterable<Buffer>,
  layers: number,
  mayUnpackTo: (size: number) => boolean,
): AsyncGenerator<Buffer> =>
  withHead(bytes, 2, (head, all) => {
    if (head[0] !== 0x1f || head[1] !== 0x8b) return all;
    if (layers > 0) return unpackLayers(gunzip(all, mayUnpackTo), layers - 1, mayUnpackTo);
    throw invalidFile(
      `The file is packed with gzip more than ${MAX_LAYERS} times. If that is right, unpack it yourself (gunzip), and name the result.`,
    );
  });

async function* gunzip(
  bytes: AsyncIterable<Buffer>,
  mayUnpackTo: (size: number) => boolean,
): AsyncGenerator<Buffer> {
  const unpacker = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES });
  const source = bytes[Symbol.asyncIterator]();
  let packedSize = 0;
  /** Size of the packed bytes without the zero bytes at their end. */
  let sizeWithoutPadding = 0;
  const packed = async function* () {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      const last = next.value.findLastIndex((byte) => byte !== 0);
      if (last !== -1) sizeWithoutPadding = packedSize + last + 1;
      packedSize += next.value.length;
      yield next.value;
    }
  };
  // If the source fails, `pipeline` destroys the unpacker with the error, and the loop below throws it.
  pipeline(packed(), unpacker, () => {});
  let size = 0;
  try {
    for await (const chunk of unpacker) {
      size += chunk.length;
      if (!mayUnpackTo(size))
        throw invalidFile(
          `The gzip file unpacks to more than ${MAX_RATIO} times its size, like a file that was made to exhaust its reader. If it is your export, unpack it yourself (gunzip), and name the result.`,
        );
      yield chunk;
    }
    // The unpacker stops at a zero byte after a member, and ignores the rest. Read the rest, to see whether it has
    // data.
    for await (const _ of packed());
    if (sizeWithoutPadding > unpacker.bytesWritten)
      throw invalidFile(
        'The gzip file goes on behind zero bytes: it is damaged, or was joined from padded files. Fetch it again, or unpack its parts yourself.',
      );
  } catch (error) {
    throw asFileProblem(error);
  } finally {
    await source.return?.();
  }
}

/** Converts an error of zlib to a problem of the file. Other errors, such as those of the disk, are unchanged. */
function asFileProblem(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? `${error.code}` : '';
  if (code === 'Z_BUF_ERROR')
    return truncatedFile(
      'The gzip file ends too early: it was not downloaded or copied completely. Fetch it again.',
    );
  if (!code.startsWith('Z_')) return error;
  return invalidFile('The gzip file is damaged: it cannot be unpacked. Fetch it again.');
}

/**
 * Reads a file with a function that gets its first bytes separately, to decide how to read it.
 * @param count number of bytes in `head`, at least, unless the file is shorter
 * @param read gets the whole file, including `head`
 */
async function* withHead(
  bytes: AsyncIterable<Buffer>,
  count: number,
  read: (head: Buffer, all: AsyncIterable<Buffer>) => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const source = bytes[Symbol.asyncIterator]();
  try {
    let head: Buffer = Buffer.alloc(0);
    while (head.length < count) {
      const next = await source.next();
      if (next.done === true) break;
      head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
    }
    const all = async function* () {
      yield head;
      yield* { [Symbol.asyncIterator]: () => source };
    };
    yield* read(head, all());
  } finally {
    await source.return?.();
  }
}

/** Converts the next bytes of a file to UTF-8. They may be cut anywhere; the output never ends inside a character. */
type Decoder = (bytes: Buffer, isLast: boolean) => Buffer;

async function* decodeAll(bytes: AsyncIterable<Buffer>, decode: Decoder): AsyncGenerator<Buffer> {
  let blankBytes = 0;
  for await (const chunk of bytes) {
    const text = decode(chunk, false);
    // Only chunks of nothing but blanks are counted, which is exact enough for a limit of megabytes.
    blankBytes = isBlank(text) ? blankBytes + text.length : 0;
    if (blankBytes > MAX_BLANK_BYTES)
      throw invalidFile(
        `The file has more than ${MAX_BLANK_BYTES / 1024 / 1024} MiB of blanks or empty lines in a row: it is damaged, or was made to exhaust its reader. Export it again.`,
      );
    if (text.length > 0) yield text;
  }
  const rest = decode(Buffer.alloc(0), true);
  if (rest.length > 0) yield rest;
}

const isBlank = (bytes: Buffer) =>
  bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);

/** @param encoding name of `TextDecoder.encoding`. Only for UTF-8, invalid bytes can be passed through */
function createDecoder(encoding: string, isChecked: boolean): Decoder {
  if (encoding === 'utf-8') return createUtf8Decoder(isChecked);
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes, isLast) => {
    try {
      // Without `stream`, Node 20 decodes windows-1252 as ISO 8859-1.
      const text = decoder.decode(bytes, { stream: true });
      return Buffer.from(isLast ? text + decoder.decode() : text);
    } catch {
      throw invalidEncoding(encoding.toUpperCase());
    }
  };
}

/** Checks UTF-8 and drops the byte order mark. Bytes are copied only around a character that a chunk cuts. */
function createUtf8Decoder(isChecked: boolean): Decoder {
  let held: Buffer = Buffer.alloc(0);
  /** Offset in the file of the first byte that is not returned yet. */
  let offset = 0;
  return (bytes, isLast) => {
    const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    const whole = isLast ? all : all.subarray(0, all.length - incompleteTail(all));
    if (isChecked && !isUtf8(whole)) throw invalidEncoding(`UTF-8 at byte ${offset + firstInvalid(whole)}`);
    held = all.subarray(whole.length);
    const isMarked = offset === 0 && encodingOfMark(whole) === 'utf-8';
    offset += whole.length;
    return isMarked ? whole.subarray(3) : whole;
  };
}

/** Returns the offset of the first invalid byte: when decoded, it becomes U+FFFD, which has other bytes in UTF-8. */
const firstInvalid = (bytes: Buffer) =>
  Buffer.from(bytes.toString()).findIndex((byte, index) => byte !== bytes[index]);

const invalidEncoding = (what: string) =>
  wrongEncoding(
    `The file is not valid ${what}. If it is in another encoding, name it: --encoding windows-1252, or iso-8859-15, shift_jis, gbk, koi8-r, utf-16le. ` +
      'If only some characters are damaged, repair them, or export the file again.',
  );

/**
 * Returns the encoding of a file, by its first bytes and the label that the operator named.
 * @param named a label that `TextDecoder` knows
 * @throws FileProblem if the file does not look like the named encoding, or may be in one that must be named
 */
function encodingOf(head: Buffer, named: string | undefined): string {
  if (startsWith(head, 0xff, 0xfe, 0, 0) || startsWith(head, 0, 0, 0xfe, 0xff))
    throw wrongEncoding('The file is UTF-32. Convert it: iconv -f UTF-32 -t UTF-8 FILE > FILE.utf8');
  const marked = encodingOfMark(head);
  if (named === undefined) return marked ?? encodingWithoutMark(head);
  const told = new TextDecoder(named).encoding;
  // The mark of UTF-8 decides, even if another encoding is named. Should its bytes belong to the first cell of a file
  // in the named encoding, the file is refused as soon as a byte is not UTF-8.
  if (marked === 'utf-8') return marked;
  if (marked === undefined) return told;
  if (told.startsWith('utf-16')) return marked;
  // A user may have typed the mark of UTF-16 into the first cell.
  throw wrongEncoding(
    `The file begins with the mark of UTF-16, but --encoding names another one. If it is UTF-16: --encoding ${marked}. ` +
      'If not, its first row begins like that mark: remove the row, or export the file again as UTF-8.',
  );
}

const startsWith = (head: Buffer, ...bytes: number[]) => bytes.every((byte, index) => head[index] === byte);

function encodingOfMark(head: Buffer): string | undefined {
  if (startsWith(head, 0xef, 0xbb, 0xbf)) return 'utf-8';
  if (startsWith(head, 0xff, 0xfe)) return 'utf-16le';
  return startsWith(head, 0xfe, 0xff) ? 'utf-16be' : undefined;
}

/**
 * Returns the encoding of a file without a byte order mark. UTF-16 is never assumed, because a user may have put zero
 * bytes into the first cell of a CSV file.
 * @throws FileProblem if every second byte is zero, as in UTF-16 text that begins with ASCII
 */
function encodingWithoutMark(head: Buffer): 'utf-8' {
  const look = head.subarray(0, Math.min(LOOK_BYTES, head.length - (head.length % 2)));
  const isZeroAt = (parity: number) => look.every((byte, index) => (byte === 0) === (index % 2 === parity));
  if (look.length < 4 || !(isZeroAt(0) || isZeroAt(1))) return 'utf-8';
  const order = look[0] === 0 ? 'be' : 'le';
  throw wrongEncoding(
    `The file begins like UTF-16, but has no byte order mark. If it is UTF-16: --encoding utf-16${order}. If not, remove its zero bytes.`,
  );
}

export const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** Returns how many bytes at the end may be the start of an incomplete UTF-8 character. It may also be complete. */
function incompleteTail(bytes: Buffer): number {
  const tail = bytes.subarray(-3);
  const start = tail.findLastIndex((byte) => byte >= 0xc0);
  return start === -1 ? 0 : tail.length - start;
}
