import { sniffCsv } from '../csv/csv-dialect.ts';
import { isSignerKey } from '../hash-config/read-signer-key.ts';
import { isRow } from '../shadow/read-shadow.ts';

/** The beginning of a text. */
export interface Beginning {
  /** In UTF-8. */
  head: Buffer;
  /** The same. */
  text: string;
  /** Is it all there is? */
  isWhole: boolean;
}

/** A block of hash parameters is this long at most. */
const MAX_CONFIG_CHARS = 8_192;

/** So many lines are looked at. */
const MAX_LINES = 200;

/** One column of addresses is a CSV file, too. */
const EMAIL_HEADERS: ReadonlySet<string> = new Set(['email', 'mail', 'useremail', 'emailaddress']);

export const looksLikeHashConfig = ({ text, isWhole }: Beginning): boolean =>
  /^["'\s]*hash_?config\b["'\s]*[:=]?\s*\{/i.test(text.slice(0, 256)) ||
  (isWhole && text.length <= MAX_CONFIG_CHARS && /\b(?:base64_signer_key|base64SignerKey)\b/.test(text));

/** The first line that is no comment is a `dn:`, or `version: 1`. */
export function looksLikeLdif(beginning: Beginning): boolean {
  const first = linesOf(beginning).find((line) => line.trim() !== '' && !/^[# ]/.test(line));
  return first !== undefined && /^(?:dn::? ?|version: *1 *$)/i.test(first);
}

/** Lines of seven or more colons, most of them; with a hash, a lock or nothing after the first one. */
export function looksLikeShadow(beginning: Beginning): boolean {
  const lines = linesOf(beginning).filter(isRow);
  const fields = lines.map((line) => line.split(':', 11)).filter((cells) => cells.length >= 8);
  return fields.length * 2 > lines.length && fields.some(([, hash = '']) => /^(?:[$!*]|$)/.test(hash));
}

/** Of /etc/passwd: six colons, and an `x` for the hash. */
function looksLikePasswd(beginning: Beginning): boolean {
  const lines = linesOf(beginning).filter(isRow);
  const fitting = lines.filter((line) => /^[^:]{1,64}:[x*!]?:\d+:\d+:[^:]*:[^:]*:[^:]*$/.test(line));
  return fitting.length > 0 && fitting.length * 2 > lines.length;
}

/** A line under the header, or above it, as psql and mysql draw it. */
const looksLikeScreen = (beginning: Beginning) =>
  linesOf(beginning)
    .slice(0, 2)
    .some((line) => /^[-+]{3,}$/.test(line));

export const looksLikeSignerKey = ({ text, isWhole }: Beginning): boolean =>
  isWhole && text.length <= MAX_CONFIG_CHARS && isSignerKey(text.trim());

/** The first line has a delimiter, or is the name of a column of addresses. */
export function looksLikeCsv(beginning: Beginning): boolean {
  const { text, isWhole } = beginning;
  if (text.includes('\0') || /^\s*</.test(text) || looksLikeScreen(beginning)) return false;
  const sniffed = sniffCsv(text, isWhole);
  // A first line that does not end is none that a person could have made.
  if (sniffed === undefined) return false;
  if (sniffed.hasDelimiter) return !looksLikePasswd(beginning);
  const [first = ''] = text.slice(sniffed.start, sniffed.start + 64).split(/[\r\n]/, 1);
  return EMAIL_HEADERS.has(first.toLowerCase().replace(/[^a-z]/g, ''));
}

/** What to say of text that nothing here reads. */
export function textAdvice(beginning: Beginning): string {
  if (/^\s*<(?:!doctype html|html)/i.test(beginning.text.slice(0, 1024))) {
    return 'It is a web page: was a page of an error or of a login saved instead of the export?';
  }
  if (/^\s*<[?!a-z]/i.test(beginning.text.slice(0, 1024)))
    return 'It is XML. Export JSON, CSV or SQL instead.';
  if (looksLikePasswd(beginning)) return 'It is /etc/passwd: the hashes stand in /etc/shadow.';
  if (looksLikeScreen(beginning)) {
    return "It is a table as drawn on a screen. Export CSV: \\copy (select …) to 'users.csv' csv header (psql), or mysql --batch.";
  }
  return 'It is none of the kinds that can be read: JSON (also one object a line), CSV, SQL dumps, LDIF, /etc/shadow.';
}

/** The last one, which may be cut, only where it is all there is. */
function linesOf({ text, isWhole }: Beginning): string[] {
  const lines = text.split(/\r?\n/, MAX_LINES + 1);
  return isWhole ? lines : lines.slice(0, Math.max(1, lines.length - 1));
}
