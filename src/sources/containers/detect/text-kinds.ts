import { type Beginning, type KindMatch, linesOf } from '../beginning.ts';
import { CSV_WRITERS } from '../csv/csv-writers.ts';
import { firstLineOf } from '../csv/first-line.ts';
import { EXPORT_FORMATS, type ReadOptions } from '../table.ts';

/** Headers of CSV files that have a single column of e-mail addresses, and therefore no delimiter. */
const EMAIL_HEADERS: ReadonlySet<string> = new Set(['email', 'mail', 'useremail', 'emailaddress']);

const LDIF_BEGINNING = /^(?:dn::? ?|version: *1 *$)/i;
/** LDIF (RFC 2849): an attribute with its options, a comment, or the `-` that ends a part of a change. */
const LDIF_LINE = /^(?:[A-Za-z0-9][A-Za-z0-9.-]*(?:;[A-Za-z0-9.;=_-]*)?:|#|-$| *$)/;

export function matchLdif(beginning: Beginning): KindMatch {
  const lines = linesOf(beginning);
  const first = lines.find((line) => line.trim() !== '' && !/^[# ]/.test(line));
  if (first === undefined || !LDIF_BEGINNING.test(first)) return undefined;
  const wrong = lines.findIndex((line, index) => !goesOn(line) && !LDIF_LINE.test(unfolded(lines, index)));
  return wrong === -1 ? 'fits' : { but: `line ${wrong + 1} has no attribute name with a colon after it` };
}

const goesOn = (line: string | undefined) => line?.startsWith(' ') === true;

/** An attribute name of LDIF may be spread over continuation lines. */
function unfolded(lines: readonly string[], index: number): string {
  const line = lines[index] ?? '';
  if (line.includes(':') || !goesOn(lines[index + 1])) return line;
  const end = lines.findIndex((other, place) => place > index && !goesOn(other));
  return [line, ...lines.slice(index + 1, end === -1 ? undefined : end).map((other) => other.slice(1))].join(
    '',
  );
}

/** Tables drawn by psql (rule below the header), mysql (rule above it) or sqlite3 (columns or a box). */
function looksLikeScreen(beginning: Beginning): boolean {
  const [first = '', second = ''] = linesOf(beginning);
  if (/^\+(?:-+\+)+$/.test(first)) return second.startsWith('|');
  if (ROW_ON_SCREEN.test(first) || /^[┌╔╭][─═]/.test(first)) return true;
  if (/^-+(?: {2}-+)+ *$/.test(second)) return true;
  const bars = [...second].flatMap((char, at) => (char === '+' ? at : []));
  return /^-{2,}(?:\+-+)*$/.test(second) && first.startsWith(' ') && bars.every((at) => first[at] === '|');
}

/** Matches the line above a row of psql's expanded output, or of mysql's vertical output. */
const ROW_ON_SCREEN = /^(?:-\[ RECORD 1 \]|\*{9,} 1\. row \*{9,}$)/;

export function looksLikeCsv(beginning: Beginning, { csv }: Pick<ReadOptions, 'csv'> = {}): boolean {
  const { text, isWhole } = beginning;
  if (text.includes('\0') || isMarkup(text) || looksLikeScreen(beginning)) return false;
  const line = firstLineOf(text, isWhole, csv === undefined ? '"' : CSV_WRITERS[csv].quote);
  // If the first line does not end within the examined bytes, the file is not CSV.
  if (line === undefined) return false;
  if (csv !== undefined || line.delimiters.length > 0) return true;
  const [first = ''] = text.slice(line.start, line.start + 64).split(/[\r\n]/, 1);
  return EMAIL_HEADERS.has(first.toLowerCase().replace(/[^a-z]/g, ''));
}

const isPage = (text: string) => /^\s*<(?:!doctype html|html)/i.test(text.slice(0, 1024));
const isMarkup = (text: string) => /^\s*<[?!a-z]/i.test(text.slice(0, 1024));

/** A JSON object, perhaps quoted as a cell of CSV, in a file that is neither JSON nor CSV. */
const isColumnOfJson = (lines: readonly string[]) =>
  lines.slice(0, 2).some((line) => /^(?:"\{""|'?\{")\w/.test(line));

export function textAdvice(beginning: Beginning): string {
  const { text } = beginning;
  if (isPage(text)) {
    return 'It is a web page: was an error page or a login page saved instead of the export?';
  }
  if (isMarkup(text)) return 'It is XML. Export JSON, CSV or SQL instead.';
  if (looksLikeScreen(beginning)) {
    return "It is a table as drawn on a screen. Export CSV: \\copy (select …) to 'users.csv' csv header (psql), mysql --batch, or .mode csv (sqlite3).";
  }
  if (isColumnOfJson(linesOf(beginning))) {
    return 'It is a column of JSON with more around it. Export the JSON alone: psql -At -c "select row_to_json(u) from users u" > users.json, or mysql -N --raw.';
  }
  return `It is not a supported kind of file: JSON (also one object per line), CSV, SQL dumps, LDIF, /etc/shadow, .htpasswd and other files with colons. If it is one of them nevertheless, name it: --format ${EXPORT_FORMATS.join('|')}.`;
}
