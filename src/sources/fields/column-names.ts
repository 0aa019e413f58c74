/** Letters that Unicode does not decompose, though they are written without their strokes just as often: `hasło`, `haslo`. */
const FOLDED: Readonly<Record<string, string>> = {
  ...{ ł: 'l', Ł: 'L', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', þ: 'th', Þ: 'TH' },
  ...{ ß: 'ss', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ı: 'i' },
};
const FOLDED_LETTERS = new RegExp(`[${Object.keys(FOLDED).join('')}]`, 'g');
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Returns the name without accents, and with full-width letters as usual ones. Letters of other scripts stay. */
export const withoutAccents = (name: string): string =>
  BEYOND_ASCII.test(name)
    ? name
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .replace(FOLDED_LETTERS, (letter) => FOLDED[letter] ?? letter)
    : name;

/**
 * Returns the name in lower case, of letters and digits alone, without accents: `requiredForLogin` and `required_for_login` become the
 * same. Letters of all scripts count: `email_старый` is not `email`.
 */
export const bareName = (name: string): string =>
  withoutAccents(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{Nd}]/gu, '');

/** Returns an alternation for expressions over bare names: words in any spelling, with blanks between them. */
export const anyOf = (words: string): string => words.trim().split(/\s+/).map(bareName).join('|');

/** Names come from the file, which may have any number of them. */
const MAX_NAMES = 1000;

/** Returns the same function, which reads each of the first thousand names once: every row has the same names. */
export function oncePerName<Value>(read: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, { value: Value }>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found.value;
    const value = read(name);
    if (known.size < MAX_NAMES) known.set(name, { value });
    return value;
  };
}
