/** Letters that Unicode does not decompose, although people often leave out their strokes: `haslo`. */
const FOLDED: Readonly<Record<string, string>> = {
  ...{ ł: 'l', Ł: 'L', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', þ: 'th', Þ: 'TH' },
  ...{ ß: 'ss', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ı: 'i' },
};
const FOLDED_LETTERS = new RegExp(`[${Object.keys(FOLDED).join('')}]`, 'g');
const BEYOND_ASCII = /[^\0-\x7f]/;

export const withoutAccents = (name: string): string =>
  BEYOND_ASCII.test(name)
    ? name
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .replace(FOLDED_LETTERS, (letter) => FOLDED[letter] ?? letter)
    : name;

/**
 * Returns the letters and digits of a column name in lower case, without accents: `required_for_login`
 * becomes `requiredforlogin`. Letters of all scripts count: `email_старый` is not `email`.
 */
export const bareName = (name: string): string =>
  withoutAccents(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{Nd}]/gu, '');

/** Alternation of words, separated by blanks, for a regular expression over names from `bareName`. */
export const anyOf = (words: string): string => words.trim().split(/\s+/).map(bareName).join('|');

/** Maximum number of column names to cache, because a file may have any number of them. */
const MAX_NAMES = 1000;

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
