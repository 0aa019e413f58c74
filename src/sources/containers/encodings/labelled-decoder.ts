import { TextDecoder } from 'node:util';
import { FileProblem } from '../table.ts';
import type { Decoder } from './decoder.ts';

/**
 * Invalid bytes become U+FFFD instead of an error, because the operator named the encoding explicitly.
 * @param label one that `TextDecoder` knows
 * @throws FileProblem if the label is unknown
 */
export function createLabelledDecoder(label: string): Decoder {
  const decoder = newDecoder(label);
  return {
    write: (bytes) => Buffer.from(decoder.decode(bytes, { stream: true })),
    end: () => Buffer.from(decoder.decode()),
  };
}

function newDecoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new FileProblem(
      'ENCODING_INVALID',
      'This encoding is unknown. Known ones are: latin1, windows-1252, iso-8859-15, utf-16le, shift_jis, gbk, koi8-r.',
    );
  }
}
