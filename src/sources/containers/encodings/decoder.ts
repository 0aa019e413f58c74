import { FileProblem } from '../table.ts';

/**
 * Converts text of an export from one encoding to UTF-8. Chunks may be cut anywhere; the output never ends
 * inside a character.
 */
export interface Decoder {
  /**
   * Decodes the next bytes of the file.
   * @throws FileProblem if the bytes are invalid in the encoding
   */
  write(bytes: Buffer): Buffer;
  /**
   * Returns the rest of the decoded text after the last bytes of the file.
   * @throws FileProblem if the file ends inside a character
   */
  end(): Buffer;
}

/**
 * Returns the problem of a file that is not valid in the encoding.
 * @param offset position of the first invalid byte, from 0, in the unpacked file
 */
export const invalidEncoding = (encoding: string, offset: number) =>
  new FileProblem(
    'ENCODING_INVALID',
    `The file is not valid ${encoding} at byte ${offset}. If it is in another encoding, name it: --encoding latin1. ` +
      `If it is ${encoding} with some damaged characters: --encoding ${encoding.toLowerCase()} replaces them.`,
  );
