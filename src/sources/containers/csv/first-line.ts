/** Characters that separate cells in CSV. */
export const DELIMITERS = [',', ';', '\t', '|'];

export type Newline = '\n' | '\r\n' | '\r';

export interface FirstLine {
  newline: Newline;
  /** Index of the first row of the CSV file, after blank lines and a line `sep=;` as for Excel. */
  start: number;
  /** Characters outside quotes in the first row that may be delimiters of the CSV file, each once. */
  delimiters: readonly string[];
}

/** Returns the line end and possible delimiters of a CSV file. Undefined if its first row is not complete. */
export function firstLineOf(
  text: string,
  isWhole: boolean,
  quote: string | undefined,
): FirstLine | undefined {
  const newline = newlineOf(text, isWhole, quote);
  if (newline === undefined) return undefined;
  let start = 0;
  while (text.startsWith(newline, start)) start += newline.length;
  const separator = /^("?)sep=([,;\t|])\1(?=[\r\n]|$)/i.exec(text.slice(start, start + 10));
  if (separator !== null) {
    const [line, , delimiter = ''] = separator;
    start = Math.min(text.length, start + line.length + newline.length);
    return { newline, start, delimiters: [delimiter] };
  }
  const end = endOfRow(text, start, quote);
  if (end === undefined && !isWhole) return undefined;
  const row = text.slice(start, end);
  const outside =
    quote === undefined ? row : row.replaceAll(new RegExp(`${quote}[^${quote}]*${quote}?`, 'g'), '');
  return { newline, start, delimiters: DELIMITERS.filter((one) => outside.includes(one)) };
}

function newlineOf(text: string, isWhole: boolean, quote: string | undefined): Newline | undefined {
  const end = endOfRow(text, 0, quote);
  // After a CR at the end of the text, an LF may follow.
  if (!isWhole && (end === undefined || end === text.length - 1)) return undefined;
  if (end === undefined || text[end] === '\n') return '\n';
  return text[end + 1] === '\n' ? '\r\n' : '\r';
}

function endOfRow(text: string, from: number, quote: string | undefined): number | undefined {
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (quote === undefined && char === '\\') at += 1;
    else if (char === quote) isQuoted = !isQuoted;
    else if (!isQuoted && (char === '\n' || char === '\r')) return at;
  }
  return undefined;
}
