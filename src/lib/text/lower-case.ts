/**
 * Letters whose lower case is also the lower case of another letter, so that two texts could become equal:
 * the Kelvin sign becomes `k`, the Ångström sign `å`. U+0130 becomes `i` and a combining dot.
 */
const FOREIGN_CAPITALS = /[\u0130\u03f4\u2126\u212a\u212b]/u;
const OTHERS = /[^\u0130\u03f4\u2126\u212a\u212b]+/gu;

export const hasForeignCapital = (text: string) => FOREIGN_CAPITALS.test(text);

/** FOREIGN_CAPITALS stay unchanged, because they would become equal to other letters. */
export function lowerCase(text: string): string {
  return hasForeignCapital(text) ? text.replace(OTHERS, (part) => part.toLowerCase()) : text.toLowerCase();
}
