import { type Beginning, type Look, linesOf } from '../beginning.ts';
import { sniffCsv, type ToldDialect } from '../csv/csv-dialect.ts';
import { EXPORT_FORMATS } from '../table.ts';

/** One column of addresses is a CSV file, too. */
const EMAIL_HEADERS: ReadonlySet<string> = new Set(['email', 'mail', 'useremail', 'emailaddress']);

const LDIF_BEGINNING = /^(?:dn::? ?|version: *1 *$)/i;
/** RFC 2849: an attribute with its options, a comment, or what ends a part of a change. */
const LDIF_LINE = /^(?:[A-Za-z0-9][A-Za-z0-9.-]*(?:;[A-Za-z0-9.;=_-]*)?:|#|-$| *$)/;

/**
 * LDIF fits if the first line that is not a comment is `dn:` or `version: 1`, and every line is one of LDIF.
 */
export function lookAtLdif(beginning: Beginning): Look {
  const lines = linesOf(beginning);
  const first = lines.find((line) => line.trim() !== '' && !/^[# ]/.test(line));
  if (first === undefined || !LDIF_BEGINNING.test(first)) return undefined;
  const wrong = lines.findIndex((line, index) => !goesOn(line) && !LDIF_LINE.test(unfolded(lines, index)));
  return wrong === -1 ? 'fits' : { but: `line ${wrong + 1} has no attribute name with a colon after it` };
}

const goesOn = (line: string | undefined) => line?.startsWith(' ') === true;

/** Returns the line with the lines that go on with it, as far as its name may be folded. */
function unfolded(lines: readonly string[], index: number): string {
  const line = lines[index] ?? '';
  if (line.includes(':') || !goesOn(lines[index + 1])) return line;
  const end = lines.findIndex((other, place) => place > index && !goesOn(other));
  return [line, ...lines.slice(index + 1, end === -1 ? undefined : end).map((other) => other.slice(1))].join(
    '',
  );
}

/**
 * Returns whether a table begins as psql draws it, with a rule under its header, or as mysql does, with one
 * above it.
 */
function looksLikeScreen(beginning: Beginning): boolean {
  const [first = '', second = ''] = linesOf(beginning);
  if (/^\+(?:-+\+)+$/.test(first)) return second.startsWith('|');
  const bars = [...second].flatMap((char, at) => (char === '+' ? at : []));
  return /^-{2,}(?:\+-+)*$/.test(second) && first.startsWith(' ') && bars.every((at) => first[at] === '|');
}

/** CSV fits if the first line has a delimiter, or is the name of a column of addresses. */
export function looksLikeCsv(beginning: Beginning, told: ToldDialect = {}): boolean {
  const { text, isWhole } = beginning;
  if (text.includes('\0') || isMarkup(text) || looksLikeScreen(beginning)) return false;
  const sniffed = sniffCsv(text, isWhole, told);
  // A first line that does not end is none that a person could have made.
  if (sniffed === undefined) return false;
  if (sniffed.hasDelimiter) return true;
  const [first = ''] = text.slice(sniffed.start, sniffed.start + 64).split(/[\r\n]/, 1);
  return EMAIL_HEADERS.has(first.toLowerCase().replace(/[^a-z]/g, ''));
}

const isPage = (text: string) => /^\s*<(?:!doctype html|html)/i.test(text.slice(0, 1024));
const isMarkup = (text: string) => /^\s*<[?!a-z]/i.test(text.slice(0, 1024));

/** What to say of text that nothing here reads. */
export function textAdvice(beginning: Beginning): string {
  const { text } = beginning;
  if (isPage(text)) {
    return 'It is a web page: was a page of an error or of a login saved instead of the export?';
  }
  if (isMarkup(text)) return 'It is XML. Export JSON, CSV or SQL instead.';
  if (looksLikeScreen(beginning)) {
    return "It is a table as drawn on a screen. Export CSV: \\copy (select …) to 'users.csv' csv header (psql), or mysql --batch.";
  }
  return `It is none of the kinds that can be read: JSON (also one object a line), CSV, SQL dumps, LDIF, /etc/shadow, .htpasswd and other files with colons. If it is one of them all the same, say which: --format ${EXPORT_FORMATS.join('|')}.`;
}
