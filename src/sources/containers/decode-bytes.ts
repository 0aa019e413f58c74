import type { Decoder } from './encodings/decoder.ts';
import { createLabelledDecoder } from './encodings/labelled-decoder.ts';
import { unpackBytes } from './encodings/unpack-bytes.ts';
import { createUtf8Decoder, startsWithMark } from './encodings/utf8-decoder.ts';
import { createUtf16Decoder } from './encodings/utf16-decoder.ts';
import { FileProblem } from './table.ts';

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
export async function* decodeBytes(
  bytes: AsyncIterable<Buffer>,
  encoding?: string,
  isChecked = true,
): AsyncGenerator<Buffer> {
  let blankBytes = 0;
  for await (const chunk of decodeText(bytes, encoding, isChecked)) {
    // Only chunks of nothing but blanks are counted, which is exact enough for a limit of megabytes.
    blankBytes = isBlank(chunk) ? blankBytes + chunk.length : 0;
    if (blankBytes > MAX_BLANK_BYTES) throw tooBlank();
    yield chunk;
  }
}

const isBlank = (bytes: Buffer) =>
  bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);

const tooBlank = () =>
  new FileProblem(
    'FILE_INVALID',
    `The file has more than ${MAX_BLANK_BYTES / 1024 / 1024} MiB of blanks or empty lines in a row: it is damaged, or was made to exhaust its reader. Export it again.`,
  );

async function* decodeText(
  bytes: AsyncIterable<Buffer>,
  encoding: string | undefined,
  isChecked: boolean,
): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  let decoder: Decoder | undefined;
  for await (const chunk of unpackBytes(bytes)) {
    let next = chunk;
    if (decoder === undefined) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (head.length < LOOK_BYTES) continue;
      decoder = chooseDecoder(head, encoding, isChecked);
      next = head;
    }
    const decoded = decoder.write(next);
    if (decoded.length > 0) yield decoded;
  }
  const last =
    decoder === undefined ? decodeWhole(chooseDecoder(head, encoding, isChecked), head) : decoder.end();
  if (last.length > 0) yield last;
}

/** An incomplete last character is dropped unless `bytes` are the whole file. */
export function decodeHead(
  bytes: Buffer,
  isWhole: boolean,
  encoding: string | undefined,
  isChecked: boolean,
): Buffer {
  const decoder = chooseDecoder(bytes, encoding, isChecked);
  return isWhole ? decodeWhole(decoder, bytes) : decoder.write(bytes);
}

const decodeWhole = (decoder: Decoder, bytes: Buffer) => Buffer.concat([decoder.write(bytes), decoder.end()]);

function chooseDecoder(head: Buffer, encoding: string | undefined, isChecked: boolean): Decoder {
  const isOperatorsWord = encoding !== undefined;
  if (startsWith(head, 0xff, 0xfe, 0, 0) || startsWith(head, 0, 0, 0xfe, 0xff)) {
    throw new FileProblem(
      'ENCODING_INVALID',
      'The file is UTF-32. Convert it: iconv -f UTF-32 -t UTF-8 FILE > FILE.utf8',
    );
  }
  const marked = startsWith(head, 0xff, 0xfe) ? 'le' : startsWith(head, 0xfe, 0xff) ? 'be' : undefined;
  if (marked !== undefined) {
    if (isOperatorsWord && !/^(?:utf-?16|ucs-?2|unicode)/i.test(encoding)) throw otherMark(marked);
    return createUtf16Decoder(marked, isOperatorsWord);
  }
  // With another encoding, the bytes of a UTF-8 byte order mark may belong to the first cell. Invalid UTF-8
  // is an error then, because the file is not known to be UTF-8.
  if (startsWithMark(head) && isOperatorsWord && !/^utf-?8$/i.test(encoding)) return createUtf8Decoder(true);
  if (isOperatorsWord) return createLabelledDecoder(encoding);
  const unmarked = unmarkedUtf16(head);
  if (unmarked !== undefined) throw noMark(unmarked);
  return createUtf8Decoder(isChecked);
}

const startsWith = (head: Buffer, ...bytes: number[]) => bytes.every((byte, index) => head[index] === byte);

/** A UTF-16 byte order mark does not override --encoding: a user may have typed it into the first cell. */
const otherMark = (order: 'le' | 'be') =>
  new FileProblem(
    'ENCODING_INVALID',
    `The file begins with the mark of UTF-16, but --encoding names another one. If it is UTF-16: --encoding utf-16${order}. ` +
      'If not, its first row begins like that mark: remove the row, or export the file again as UTF-8.',
  );

/**
 * Without a mark, UTF-16 is not assumed: a user may have put zero bytes into the first cell of a CSV file.
 */
const noMark = (order: 'le' | 'be') =>
  new FileProblem(
    'ENCODING_INVALID',
    `The file begins like UTF-16, but has no byte order mark. If it is UTF-16: --encoding utf-16${order}. If not, remove its zero bytes.`,
  );

/** In UTF-16 text that begins with ASCII, every second byte is zero. */
function unmarkedUtf16(head: Buffer): 'le' | 'be' | undefined {
  const look = head.subarray(0, Math.min(LOOK_BYTES, head.length - (head.length % 2)));
  if (look.length < 4) return undefined;
  const areZero = (parity: number) => look.every((byte, index) => index % 2 !== parity || byte === 0);
  const areNot = (parity: number) => look.every((byte, index) => index % 2 !== parity || byte !== 0);
  if (areZero(1) && areNot(0)) return 'le';
  return areZero(0) && areNot(1) ? 'be' : undefined;
}
