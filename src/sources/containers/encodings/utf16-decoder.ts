import { type Decoder, invalidEncoding } from './decoder.ts';

const NOTHING: Buffer = Buffer.alloc(0);

/** Drops the byte order mark. With `isLenient`, lone surrogates become U+FFFD instead of errors. */
export function createUtf16Decoder(order: 'le' | 'be', isLenient: boolean): Decoder {
  let held: Buffer = NOTHING;
  /** Offset in the file of the first byte that is not decoded yet. */
  let offset = 0;
  let isBegun = false;

  const decode = (bytes: Buffer): Buffer => {
    const units = order === 'le' ? bytes : Buffer.from(bytes).swap16();
    const text = units.toString('utf16le');
    if (!isLenient && !text.isWellFormed()) {
      throw invalidEncoding(`UTF-16${order.toUpperCase()}`, offset + 2 * text.search(/\p{Surrogate}/u));
    }
    offset += bytes.length;
    const isMarked = !isBegun && text.startsWith('\ufeff');
    isBegun ||= text !== '';
    return Buffer.from(isMarked ? text.slice(1) : text);
  };

  return {
    write(bytes) {
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      let whole = all.length - (all.length % 2);
      if (whole >= 2 && isFirstHalf(all[order === 'le' ? whole - 1 : whole - 2])) whole -= 2;
      held = all.subarray(whole);
      return decode(all.subarray(0, whole));
    },
    end() {
      if (held.length === 0) return NOTHING;
      if (!isLenient) throw invalidEncoding(`UTF-16${order.toUpperCase()}`, offset);
      return Buffer.from('\ufffd');
    },
  };
}

/** Returns whether a UTF-16 unit with this upper byte is the first of the two units of a surrogate pair. */
const isFirstHalf = (upper = 0) => upper >= 0xd8 && upper < 0xdc;
