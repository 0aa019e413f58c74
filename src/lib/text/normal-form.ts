/**
 * Longer texts are not normalised. Combining marks are sorted in quadratic time: 65,536 of them took four seconds, as many as these
 * take four milliseconds.
 */
const MAX_CHARACTERS = 2048;

const ASCII = /^[\0-\x7f]*$/;

/** Returns a text in a normal form of Unicode; undefined where that would take too long. */
export function normalForm(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string | undefined {
  if (ASCII.test(text)) return text;
  return text.length > MAX_CHARACTERS ? undefined : text.normalize(form);
}

/** Texts of one character that the normal form C of other characters is: of the Kelvin sign, for example, a K. */
const NFC_OF_OTHERS = /[;`K\u00b4\u00b7\u02b9\u03a9\u03b9\u2002\u2003\u3008\u3009\p{Script=Han}]/u;

/**
 * Returns whether this text is in the normal form and no other text has the same normal form. Returns false if that is not certain. For
 * NFKC the answer is always false, because every ASCII character has a full-width form.
 */
export function isAlone(text: string, form: 'NFC' | 'NFKC'): boolean {
  if (form === 'NFKC' || NFC_OF_OTHERS.test(text) || /\p{M}/u.test(text)) return false;
  return normalForm(text, 'NFC') === text && normalForm(text, 'NFD') === text;
}
