import { FileProblem } from '../table.ts';

/** Converts text to UTF-8. Chunks may be cut anywhere; the output never ends inside a character. */
export interface Decoder {
  /** @throws FileProblem if the bytes are invalid in the encoding */
  write(bytes: Buffer): Buffer;
  /** @throws FileProblem if the file ends inside a character */
  end(): Buffer;
}

/** @param offset position of the first invalid byte, from 0, in the unpacked file */
export const invalidEncoding = (encoding: string, offset: number) =>
  new FileProblem(
    'ENCODING_INVALID',
    `The file is not valid ${encoding} at byte ${offset}. If it is in another encoding, name it: --encoding latin1. ` +
      `If it is ${encoding} with some damaged characters: --encoding ${encoding.toLowerCase()} replaces them.`,
  );
