import { createGrammar } from './json-grammar.ts';

/** Characters that COPY and `mysql --batch` write as a letter after a backslash. */
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/**
 * Returns whether a text seems to be JSON that COPY or `mysql --batch` has escaped once more: each backslash
 * stands twice, and each line end is a backslash and an n. Used only for the message about a refused file.
 */
export function isEscapedTwice(text: string): boolean {
  if (!SIGN.test(text)) return false;
  const once = text.replace(/\\(.)/gs, (_, char: string) => ESCAPED[char] ?? char);
  const bytes = Buffer.from(once);
  const grammar = createGrammar();
  grammar.take(bytes, 0, bytes.length);
  return grammar.state !== 'broken';
}

/** Matches an escaped quote with two backslashes, or an escaped line end between two records. */
const SIGN = /\\\\"|\},? ?\\n ?\{/;
