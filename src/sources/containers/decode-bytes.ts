import type { Decoder } from './encodings/decoder.ts';
import { createLabelledDecoder } from './encodings/labelled-decoder.ts';
import { unpackBytes } from './encodings/unpack-bytes.ts';
import { createUtf8Decoder, startsWithMark } from './encodings/utf8-decoder.ts';
import { createUtf16Decoder } from './encodings/utf16-decoder.ts';
import { FileProblem } from './table.ts';

/** So many bytes show whether every second one is zero. */
const LOOK_BYTES = 32;

/**
 * Maximum length of a run of blanks and line ends. No writer leaves such a gap, and reading on would take as
 * long as the file is.
 */
export const MAX_BLANK_BYTES = 16 * 1024 * 1024;

/**
 * The bytes of a file as UTF-8: unpacked, without byte order mark, UTF-16 decoded if it has a mark. No character is cut between two chunks.
 * @param encoding the operator's word, a label that `TextDecoder` knows. A byte order mark of UTF-8 counts more
 * @param isChecked `false`: what should be UTF-8 and is not is handed on as it is
 * @throws FileProblem
 */
export async function* decodeBytes(
  bytes: AsyncIterable<Buffer>,
  encoding?: string,
  isChecked = true,
): AsyncGenerator<Buffer> {
  let blankBytes = 0;
  for await (const chunk of decodeText(bytes, encoding, isChecked)) {
    // Counted by whole chunks: any text in one of them begins a new run.
    blankBytes = isBlank(chunk) ? blankBytes + chunk.length : 0;
    if (blankBytes > MAX_BLANK_BYTES) throw tooBlank();
    yield chunk;
  }
}

/** Ends at the first byte that is none of space, tab, CR and LF. */
const isBlank = (bytes: Buffer) =>
  bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);

const tooBlank = () =>
  new FileProblem(
    'FILE_INVALID',
    `The file has more than ${MAX_BLANK_BYTES / 1024 / 1024} MiB of blanks or empty lines in a row: it is damaged, or made to keep a reader busy. Export it again.`,
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

/**
 * The same, of the first unpacked bytes.
 * @param isWhole no more follow; else the last character may be cut, and is left out
 */
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
  // In another encoding the mark may be the first cell. Text that is not UTF-8 all through is an error then.
  if (startsWithMark(head) && isOperatorsWord && !/^utf-?8$/i.test(encoding)) return createUtf8Decoder(true);
  if (isOperatorsWord) return createLabelledDecoder(encoding);
  const unmarked = unmarkedUtf16(head);
  if (unmarked !== undefined) throw noMark(unmarked);
  return createUtf8Decoder(isChecked);
}

const startsWith = (head: Buffer, ...bytes: number[]) => bytes.every((byte, index) => head[index] === byte);

/** The first cell of a file without header may be what is a mark in UTF-16. */
const otherMark = (order: 'le' | 'be') =>
  new FileProblem(
    'ENCODING_INVALID',
    `The file begins with the mark of UTF-16, but --encoding names another one. If it is UTF-16: --encoding utf-16${order}. ` +
      'If not, its first row begins like that mark: remove the row, or export the file again as UTF-8.',
  );

/** The first cell of a file without header may hold zero bytes, so that they must not decide how the rest is read. */
const noMark = (order: 'le' | 'be') =>
  new FileProblem(
    'ENCODING_INVALID',
    `The file begins like UTF-16, but has no byte order mark. If it is UTF-16: --encoding utf-16${order}. If not, remove its zero bytes.`,
  );

/** Text in UTF-16 that begins with ASCII has a zero in every second byte. */
function unmarkedUtf16(head: Buffer): 'le' | 'be' | undefined {
  const look = head.subarray(0, Math.min(LOOK_BYTES, head.length - (head.length % 2)));
  if (look.length < 4) return undefined;
  const areZero = (parity: number) => look.every((byte, index) => index % 2 !== parity || byte === 0);
  const areNot = (parity: number) => look.every((byte, index) => index % 2 !== parity || byte !== 0);
  if (areZero(1) && areNot(0)) return 'le';
  return areZero(0) && areNot(1) ? 'be' : undefined;
}
