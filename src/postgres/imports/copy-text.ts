const SPECIAL = /[\\\b\f\n\r\t\v]/;
const EVERY_SPECIAL = /[\\\b\f\n\r\t\v]/g;

const NAMES: Record<string, string> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v' };

export const COPY_NULL = '\\N';

/** Undefined becomes null. Source: https://www.postgresql.org/docs/current/sql-copy.html, "Text Format". */
export function copyText(text: string | undefined): string {
  if (text === undefined) return COPY_NULL;
  return SPECIAL.test(text) ? text.replaceAll(EVERY_SPECIAL, (one) => `\\${NAMES[one] ?? one}`) : text;
}

/** Returns bytes in the text format of COPY for a bytea column. Undefined becomes null. */
export const copyBytes = (bytes: Buffer | undefined): string =>
  bytes === undefined ? '\\N' : `\\\\x${bytes.toString('hex')}`;

/** An empty array becomes null. */
export function copyArray(texts: readonly string[]): string {
  return texts.length === 0 ? COPY_NULL : copyText(`{${texts.map(arrayElement).join(',')}}`);
}

const arrayElement = (text: string) => `"${text.replaceAll(/["\\]/g, (one) => `\\${one}`)}"`;
