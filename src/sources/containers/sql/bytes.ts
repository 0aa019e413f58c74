import { isUtf8 } from 'node:buffer';

/**
 * Kind of the values of a column, by which bytes are distinguished from text. `unknown`: the type is not known, but
 * the dump declares UTF-8, so values that are not UTF-8 are bytes. Undefined: neither type nor encoding is known.
 */
export type ColumnKind = 'text' | 'bits' | 'bytes' | 'uuid' | 'unknown' | undefined;

/** Control characters that never occur in text. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/**
 * Converts the bytes of a value to text: as UTF-8 if they are printable, otherwise in lower-case hex. A
 * `binary(16)` of sixteen bytes is always hex, because some UUIDs are valid text. A `bit(n)` is a number.
 */
export function textOfBytes(bytes: Buffer, kind: ColumnKind): string {
  if (kind === 'bits' && bytes.length > 0 && bytes.length <= 8)
    return BigInt(`0x${bytes.toString('hex')}`).toString();
  if (kind === 'uuid' && bytes.length === 16) return bytes.toString('hex');
  if (!isUtf8(bytes)) return bytes.toString('hex');
  const text = bytes.toString();
  return CONTROL.test(text) ? bytes.toString('hex') : text;
}

/** Escapes in one kind of text. */
interface Style {
  /** Matches a doubled quote, or a backslash with the characters that belong to it. */
  readonly escape: RegExp;
  /** Meaning of each character after a backslash that does not stand for itself. */
  readonly letters: ReadonlyMap<string, string>;
  /** `\101` (octal) and `\x41` stand for bytes. */
  readonly hasByteCodes?: true;
}

const letters = (meanings: Record<string, string>): Style['letters'] => new Map(Object.entries(meanings));

const CONTROLS = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const STYLES = {
  plain: { escape: /''|""/g, letters: letters({}) },
  /** '…' and "…" of MySQL (manual, "String Literals"): `\%` and `\_` keep their backslash. */
  mysql: {
    escape: /\\[\s\S]|''|""/g,
    letters: letters({ 0: '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\x1a', '%': '\\%', _: '\\_' }),
  },
  /** E'…' of PostgreSQL, and '…' if standard_conforming_strings is off. */
  extended: {
    escape:
      /\\[0-7]{1,3}|\\x[\dA-Fa-f]{1,2}|(?:\\u[\dA-Fa-f]{4})+|\\U(?:000[\dA-Fa-f]{5}|0010[\dA-Fa-f]{4})|\\[\s\S]|''|""/g,
    letters: letters(CONTROLS),
    hasByteCodes: true,
  },
  /** U&'…' of PostgreSQL, and the argument of SQLite's unistr(). */
  unicode: {
    escape:
      /(?:\\u?[\dA-Fa-f]{4})+|\\\+0[\dA-Fa-f]{5}|\\\+10[\dA-Fa-f]{4}|\\U(?:000[\dA-Fa-f]{5}|0010[\dA-Fa-f]{4})|\\[\s\S]|''|""/g,
    letters: letters({}),
  },
  /** A cell of COPY (PostgreSQL's manual, "COPY", text format). */
  copy: {
    escape: /\\[0-7]{1,3}|\\x[\dA-Fa-f]{1,2}|\\[\s\S]/g,
    letters: letters({ ...CONTROLS, v: '\v' }),
    hasByteCodes: true,
  },
} satisfies Record<string, Style>;

export type StyleName = keyof typeof STYLES;

/** Replaces escapes by their meaning. Text and result have one character per byte. The result is never longer. */
export function unescaped(text: string, name: StyleName, quote = ''): string {
  const style: Style = STYLES[name];
  return text.replace(style.escape, (all) => {
    if (all.charAt(0) !== '\\') return all.charAt(0) === quote ? quote : all;
    const sign = all.slice(1);
    const meaning = style.letters.get(sign);
    if (meaning !== undefined) return meaning;
    if (style.hasByteCodes && /^[0-7]/.test(sign))
      return String.fromCharCode(Number.parseInt(sign, 8) & 0xff);
    if (sign.length === 1) return sign;
    if (style.hasByteCodes && sign.startsWith('x'))
      return String.fromCharCode(Number.parseInt(sign.slice(1), 16));
    // The two halves of a UTF-16 pair are escapes of their own, so both are decoded together.
    const characters = all.replace(/\\[uU+]?([\dA-Fa-f]+)/g, (_, code) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    );
    return Buffer.from(characters).toString('latin1');
  });
}
