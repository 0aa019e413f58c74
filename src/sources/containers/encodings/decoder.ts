import { FileProblem } from '../table.ts';

/** Takes text in some encoding, cut anywhere, and gives UTF-8 in which no character is cut. */
export interface Decoder {
  /** @throws FileProblem */
  write(bytes: Buffer): Buffer;
  /** Gives what was held back. @throws FileProblem */
  end(): Buffer;
}

/** @param offset of the first byte that is wrong, from 0, in what is unpacked */
export const invalidEncoding = (encoding: string, offset: number) =>
  new FileProblem(
    'ENCODING_INVALID',
    `The file is not valid ${encoding} at byte ${offset}. If it is in another encoding, say so: --encoding latin1. ` +
      `If it is ${encoding} but for some damaged characters: --encoding ${encoding.toLowerCase()} replaces them.`,
  );
