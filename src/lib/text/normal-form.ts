/** Normalising sorts combining marks in quadratic time: 4 ms for 2048 marks, 4 s for 65,536. */
const MAX_CHARACTERS = 2048;

const ASCII = /^[\0-\x7f]*$/;

/** Returns undefined if normalising the text would take too long. */
export function normalForm(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string | undefined {
  if (ASCII.test(text)) return text;
  return text.length > MAX_CHARACTERS ? undefined : text.normalize(form);
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
