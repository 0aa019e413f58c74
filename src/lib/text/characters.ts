/** Returns whether PostgreSQL can store the text: it cannot store NUL or half a surrogate pair. */
export const isPostgresText = (text: string): boolean => isWellFormed(text) && !text.includes('\0');

/** End of the error message for text that PostgreSQL cannot store. */
export const POSTGRES_TEXT_RULE = 'must be text without NUL characters or half surrogate pairs';

/** Returns whether the text has no half surrogate pair. UTF-8 would replace it by another character. */
export const isWellFormed = (text: string): boolean => text.isWellFormed();

/** Strips characters up to U+0020, but no other white space, from both ends. */
export function stripControlAndSpace(raw: string): string {
  let start = 0;
  let end = raw.length;
  while (start < end && raw.charCodeAt(start) <= 0x20) start += 1;
  while (end > start && raw.charCodeAt(end - 1) <= 0x20) end -= 1;
  return raw.slice(start, end);
}

/**
 * Letters whose lower case is also the lower case of another letter, so that two texts could become equal:
 * the Kelvin sign becomes `k`, the Ångström sign `å`. U+0130 becomes `i` and a combining dot.
 */
const FOREIGN_CAPITALS = /[\u0130\u03f4\u2126\u212a\u212b]/u;
const OTHERS = /[^\u0130\u03f4\u2126\u212a\u212b]+/gu;

export const hasForeignCapital = (text: string) => FOREIGN_CAPITALS.test(text);

/**
 * Returns the text in lower case. FOREIGN_CAPITALS stay unchanged, because they would become equal to other letters.
 */
export function lowerCase(text: string): string {
  return hasForeignCapital(text) ? text.replace(OTHERS, (part) => part.toLowerCase()) : text.toLowerCase();
}

/**
 * Returns the names in lower case if all of them are in capitals, as those of Keycloak's columns are in MySQL. To SQL,
 * both are the same.
 */
export const withoutCapitals = (names: readonly string[]): readonly string[] =>
  names.some((name) => /\p{Ll}/u.test(name)) ? names : names.map((name) => name.toLowerCase());

/**
 * Maximum length of a text to normalise. Normalising sorts combining marks in quadratic time: 4 ms for 2048 marks, 4 s
 * for 65,536.
 */
const MAX_NORMALISED_CHARACTERS = 2048;

const ASCII = /^[\0-\x7f]*$/;

/** Returns the text in the normal form, or undefined if normalising would take too long. */
export function normalForm(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string | undefined {
  if (ASCII.test(text)) return text;
  return text.length > MAX_NORMALISED_CHARACTERS ? undefined : text.normalize(form);
}

/** Characters to which others normalise in form C, such as K, to which the Kelvin sign normalises. */
const NFC_OF_OTHERS = /[;`K\u00b4\u00b7\u02b9\u03a9\u03b9\u2002\u2003\u3008\u3009\p{Script=Han}]/u;

/**
 * Returns whether the text is in the normal form, and no other text normalises to it; false if uncertain.
 * NFKC is always uncertain, because every ASCII character has a full-width form that normalises to it.
 */
export function isAlone(text: string, form: 'NFC' | 'NFKC'): boolean {
  if (form === 'NFKC' || NFC_OF_OTHERS.test(text) || /\p{M}/u.test(text)) return false;
  return normalForm(text, 'NFC') === text && normalForm(text, 'NFD') === text;
}

/** Pattern of a UUID as PostgreSQL prints it, in lower case with hyphens. It has no anchors. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const UUID = new RegExp(`^${UUID_PATTERN}$`);

/** Returns whether the text is a UUID. Other text cannot be an id, and PostgreSQL may refuse to cast it to a uuid. */
export const isUuid = (text: string): boolean => UUID.test(text);

/**
 * Control characters, and line breaks of Unicode. Also marks of text direction, which can make a text look like another
 * one.
 */
export const CONTROL_CHARACTERS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
