import { isJsonObject } from '../../../imports/input/json-object.ts';
import type { Beginning, Look } from '../beginning.ts';
import { OPEN_ARRAY, OPEN_OBJECT, skipSpaces } from './bytes.ts';
import { createGrammar } from './json-grammar.ts';

const MAX_HEAD_BYTES = 4096;
const BEGINNING = /^[ \t\r\n]*(?:\{[ \t\r\n]*(?:["}]|$)|\[[ \t\r\n]*(?:[[\]{"\d-]|$))/;
/** Further lines say nothing more. */
const MAX_LINES = 200;

/**
 * Does JSON begin here? What follows the bracket is looked at too: `[dbo].[Users]` and `[section]` are none.
 * @param head the first bytes, as UTF-8
 */
export function looksLikeJson(head: Buffer): boolean {
  return BEGINNING.test(head.toString('latin1', 0, MAX_HEAD_BYTES));
}

/**
 * JSON fits if the beginning is values from the first byte on: one that goes on, or several with nothing but spaces between them. Where
 * that is not so, it also fits if most lines are values: a file of one document a line may have bad lines.
 */
export function lookAtJson({ head, text, isWhole }: Beginning): Look {
  if (!looksLikeJson(head)) return undefined;
  const brokenAt = findBroken(head);
  if (brokenAt === undefined || areMostlyValues(text, isWhole)) return 'fits';
  return { but: `byte ${brokenAt} is not where JSON has it` };
}

/** Returns where the values of the beginning end and something else stands. */
function findBroken(head: Buffer): number | undefined {
  let at = skipSpaces(head, 0, head.length);
  while (at < head.length) {
    if (head[at] !== OPEN_OBJECT && head[at] !== OPEN_ARRAY) return at;
    const grammar = createGrammar();
    at = grammar.take(head, at, head.length);
    if (grammar.state === 'broken') return at;
    at = skipSpaces(head, at, head.length);
  }
  return undefined;
}

function areMostlyValues(text: string, isWhole: boolean): boolean {
  const split = text.split('\n', MAX_LINES + 1);
  const lines = (isWhole ? split : split.slice(0, -1)).filter((line) => line.trim() !== '');
  return lines.filter(isDocument).length * 2 > lines.length;
}

function isDocument(line: string): boolean {
  if (!line.trimStart().startsWith('{')) return false;
  try {
    return isJsonObject(JSON.parse(line));
  } catch {
    return false;
  }
}
