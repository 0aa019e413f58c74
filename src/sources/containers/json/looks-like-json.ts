import { isJsonObject } from '../../../lib/json/json-object.ts';
import type { Beginning, KindMatch } from '../beginning.ts';
import { skipSpaces } from './bytes.ts';
import { isEscapedTwice } from './escaped-twice.ts';
import { createGrammar } from './json-grammar.ts';

const MAX_HEAD_BYTES = 4096;
const BEGINNING = /^[ \t\r\n]*(?:\{[ \t\r\n]*(?:["}]|$)|\[[ \t\r\n]*(?:[[\]{"\d-]|$))/;
/** More lines do not make the detection of JSON more reliable. */
const MAX_LINES = 200;

/** The character after the bracket is checked, too, because `[dbo].[Users]` and `[section]` are not JSON. */
export function looksLikeJson(head: Buffer): boolean {
  return BEGINNING.test(head.toString('latin1', 0, MAX_HEAD_BYTES));
}

/**
 * JSON is certain if the beginning consists of complete values, the last of which may be cut, and no text has
 * raw tabs or line ends. If the structure is broken, JSON is still possible if most lines are documents,
 * because a file of one document per line may have bad lines.
 */
export function matchJson({ head, text, isWhole }: Beginning): KindMatch {
  if (!looksLikeJson(head)) return undefined;
  let isCertain = true;
  let at = skipSpaces(head, 0, head.length);
  while (at < head.length) {
    const grammar = createGrammar();
    at = grammar.take(head, at, head.length);
    if (grammar.state === 'broken') {
      if (areMostlyValues(text, isWhole)) return 'fits';
      return otherWriter(text) ?? { but: `byte ${at} is not valid JSON at this place` };
    }
    isCertain &&= !grammar.hasRawControls && (grammar.state === 'ended' || !isWhole);
    at = skipSpaces(head, at, head.length);
  }
  return isCertain ? 'certain' : 'fits';
}

function otherWriter(text: string): KindMatch {
  if (isEscapedTwice(text))
    return { but: 'it was escaped once more, as COPY and mysql --batch do', advice: EXPORT_JSON };
  if (/^ ?\[\{.*\}, +\+\r?\n/.test(text))
    return { but: 'its lines end with a +, as psql draws them on a screen', advice: EXPORT_JSON };
  return undefined;
}

const EXPORT_JSON =
  'Export it again: psql -At -c "select row_to_json(u) from users u" > users.json, or mysql --raw.';

function areMostlyValues(text: string, isWhole: boolean): boolean {
  const split = text.split('\n', MAX_LINES + 1);
  const lines = (isWhole ? split : split.slice(0, -1)).filter((line) => line.trim() !== '');
  return lines.filter(isDocument).length * 2 > lines.length;
}

export function isDocument(line: string): boolean {
  if (!line.trimStart().startsWith('{')) return false;
  try {
    return isJsonObject(JSON.parse(line));
  } catch {
    return false;
  }
}
