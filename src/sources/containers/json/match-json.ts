import { parseJsonObject } from '../../../lib/json/json-object.ts';
import { type Beginning, type KindMatch, linesOf } from '../table.ts';
import { opensValue, Scan, skipSpaces } from './json-input.ts';

const BEGINNING = /^[ \t\r\n]{0,4096}(?:\{[ \t\r\n]*(?:["}]|$)|\[[ \t\r\n]*(?:[[\]{"\d-]|$))/;
const EXPORT_JSON =
  'Export it again: psql -At -c "select row_to_json(u) from users u" > users.json, or mysql --raw.';

/** The character after the bracket is checked, too, because `[dbo].[Users]` and `[section]` are not JSON. */
export const looksLikeJson = (text: string): boolean => BEGINNING.test(text);

/**
 * JSON is certain if the beginning consists of complete values, the last of which may be cut. If it is not, JSON
 * is still possible if most lines are documents, because a file of one document per line may have bad lines.
 */
export function matchJson(beginning: Beginning): KindMatch {
  const { head, text, isWhole } = beginning;
  if (!looksLikeJson(text)) return undefined;
  if (/^ ?\[\{.*\}, +\+\r?\n/.test(text))
    return { but: 'its lines end with a +, as psql draws them on a screen', advice: EXPORT_JSON };
  const scan = new Scan();
  let at = skipSpaces(head, 0, head.length);
  while (at < head.length && opensValue(head[at]) && scan.state !== 'broken') {
    at = scan.start().run(head, at, head.length);
    if (scan.state === 'open') return isWhole ? 'fits' : 'certain';
    if (scan.state === 'done') at = skipSpaces(head, at, head.length);
  }
  if (at >= head.length) return 'certain';
  const lines = linesOf(beginning).filter((line) => line.trim() !== '');
  if (lines.filter(isDocument).length * 2 > lines.length) return 'fits';
  if (/\\\\"|\},? ?\\n ?\{/.test(text))
    return { but: 'it was escaped once more, as COPY and mysql --batch do', advice: EXPORT_JSON };
  return { but: `byte ${at} is not valid JSON at this place` };
}

export const isDocument = (line: string): boolean =>
  line.trimStart().startsWith('{') && parseJsonObject(line) !== undefined;
