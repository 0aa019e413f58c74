/** Letters with a lower case in a newer Unicode than that of Java 21, on which core 12 runs. */
const NEWER_THAN_JAVA =
  /[\u1c89\ua7cb\ua7cc\ua7ce\ua7d2\ua7d4\ua7da\ua7dc\u{10d50}-\u{10d65}\u{16ea0}-\u{16eb8}]/u;

const LETTERS = '(?:\\p{L}(?:\\p{M}|(?!\\u00ad)\\p{Cf})*)+';
const DIGITS = '(?:\\p{N}(?:\\p{M}|(?!\\u00ad)\\p{Cf})*)+';
/** Words as Java's BreakIterator finds them. */
const WORD = new RegExp(
  `(?:${LETTERS}(?:[\\p{Pd}\\p{Pc}\\u00ad\\u2027"'.]${LETTERS})*|${DIGITS}(?:["',.]${DIGITS})*)+`,
  'gu',
);

/**
 * Java's `toLowerCase`, with which the core compares addresses. It differs from JavaScript's in new letters
 * and in a capital sigma, whose lower case depends on the word around it: Java's words end elsewhere.
 */
export function javaLowerCase(text: string): string {
  const sigmas = text.replace(WORD, (word) =>
    word.replace(/Σ/g, (_sigma, at: number) =>
      /\p{Cased}/u.test(word.slice(0, at)) && !/\p{Cased}/u.test(word.slice(at + 1)) ? 'ς' : 'σ',
    ),
  );
  // One by one, because JavaScript would look at the letters around a sigma.
  return Array.from(sigmas, (letter) => (NEWER_THAN_JAVA.test(letter) ? letter : letter.toLowerCase())).join(
    '',
  );
}

/** The core's form of an address: Java's `trim` takes off all characters up to U+0020. */
export const coreAddress = (raw: string): string =>
  javaLowerCase(raw.replace(/^[\0-\x20]+|[\0-\x20]+$/g, ''));
