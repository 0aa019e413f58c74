/** Escape rules of one kind of SQL text, such as MySQL's '…'. */
export interface Escapes {
  /** Code of the character that stands for itself if it is doubled in the SQL text, or -1 for none. */
  readonly doubled: number;
  /**
   * Meanings of characters after a backslash: a byte, `KEPT` or `CODE`. Undefined if backslashes are text.
   */
  readonly signs: Int16Array | undefined;
  /** Whether the escapes `\101` (octal) and `\x41` of an SQL text stand for bytes. */
  readonly hasByteCodes: boolean;
  /** Unicode escapes: the character between backslash and hex digits, and the number of digits. */
  readonly codePoints: readonly (readonly [sign: string, digits: number])[];
}

/** The character forms no escape in SQL, so that the backslash before it is kept as text. */
export const KEPT = -1;
/** The character begins the number of a byte or of a Unicode character, such as `x` in `\x41`. */
export const CODE = -2;

interface Rules {
  /** Bytes for letters after a backslash. Any other character after a backslash stands for itself. */
  letters?: Readonly<Record<string, number>>;
  hasByteCodes?: boolean;
  codePoints?: Escapes['codePoints'];
}

function escapes(doubled: number, rules?: Rules): Escapes {
  const { letters = {}, hasByteCodes = false, codePoints = [] } = rules ?? {};
  if (rules === undefined) return { doubled, signs: undefined, hasByteCodes, codePoints };
  const signs = Int16Array.from({ length: 256 }, (_, sign) => sign);
  const set = (some: string, value: number) => {
    for (const sign of some) signs[sign.charCodeAt(0)] = value;
  };
  if (hasByteCodes) set('01234567x', CODE);
  for (const [sign] of codePoints) set(sign === '' ? '0123456789abcdefABCDEF' : sign, CODE);
  for (const [letter, value] of Object.entries(letters)) set(letter, value);
  return { doubled, signs, hasByteCodes, codePoints };
}

const QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;

const CONTROL = { b: 8, f: 12, n: 10, r: 13, t: 9 } as const;

/** Escapes in '…' of standard SQL. */
export const PLAIN = escapes(QUOTE);
export const DOUBLE_QUOTED = escapes(DOUBLE_QUOTE);

/** Escapes in '…' of MySQL (manual, "String Literals"): `\%` and `\_` keep their backslash. */
const MYSQL_RULES = { letters: { 0: 0, b: 8, n: 10, r: 13, t: 9, Z: 26, '%': KEPT, _: KEPT } };
export const MYSQL = escapes(QUOTE, MYSQL_RULES);
export const MYSQL_DOUBLE_QUOTED = escapes(DOUBLE_QUOTE, MYSQL_RULES);

/** Escapes in E'…' of PostgreSQL, and in '…' if standard_conforming_strings is off. */
export const EXTENDED = escapes(QUOTE, {
  letters: CONTROL,
  hasByteCodes: true,
  codePoints: [
    ['u', 4],
    ['U', 8],
  ],
});

/** Escapes in U&'…' of PostgreSQL. */
export const UNICODE = escapes(QUOTE, {
  codePoints: [
    ['', 4],
    ['+', 6],
  ],
});

/** Escapes in the argument of SQLite's unistr(). */
export const UNISTR = escapes(-1, {
  codePoints: [
    ['', 4],
    ['+', 6],
    ['u', 4],
    ['U', 8],
  ],
});

/** Escapes in the argument of H2's STRINGDECODE(), which are those of Java. */
export const JAVA = escapes(-1, { letters: CONTROL, codePoints: [['u', 4]] });

/** Escapes in a cell of COPY (PostgreSQL's manual, "COPY", text format). */
export const COPY_CELL = escapes(-1, { letters: { ...CONTROL, v: 11 }, hasByteCodes: true });
