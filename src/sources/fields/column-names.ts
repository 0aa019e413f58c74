/**
 * Letters that Unicode does not decompose, although people often write them without their strokes in column
 * names: `hasło`, `haslo`.
 */
const FOLDED: Readonly<Record<string, string>> = {
  ...{ ł: 'l', Ł: 'L', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', þ: 'th', Þ: 'TH' },
  ...{ ß: 'ss', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ı: 'i' },
};
const FOLDED_LETTERS = new RegExp(`[${Object.keys(FOLDED).join('')}]`, 'g');
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Also turns full-width letters into ordinary ones. Letters of other scripts are kept. */
export const withoutAccents = (name: string): string =>
  BEYOND_ASCII.test(name)
    ? name
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .replace(FOLDED_LETTERS, (letter) => FOLDED[letter] ?? letter)
    : name;

/**
 * Makes `requiredForLogin` and `required_for_login` equal. Letters of all scripts count: `email_старый` is
 * not `email`.
 */
export const bareName = (name: string): string =>
  withoutAccents(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{Nd}]/gu, '');

/**
 * Returns an alternation for a regular expression over names as `bareName` returns them.
 * @param words words in any spelling, separated by blanks
 */
export const anyOf = (words: string): string => words.trim().split(/\s+/).map(bareName).join('|');

/** Number of column names to cache, because a file may have any number of them. */
const MAX_NAMES = 1000;

/** Caches a function of column names for the first thousand names, because every row has the same names. */
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
