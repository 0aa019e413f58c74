/**
 * Longer texts are not normalised. Combining marks are sorted in quadratic time: 65,536 of them took four seconds, as many as these
 * take four milliseconds.
 */
const MAX_CHARACTERS = 2048;

const ASCII = /^[\0-\x7f]*$/;

/** Returns a text in a normal form of Unicode; undefined where that would take too long. */
export function normalForm(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string | undefined {
  if (ASCII.test(text)) return text;
  return text.length > MAX_CHARACTERS ? undefined : text.normalize(form);
}
