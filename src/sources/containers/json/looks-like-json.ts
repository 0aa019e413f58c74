/**
 * Does JSON begin here? What follows the bracket is looked at too: `[dbo].[Users]` and `[section]` are none.
 * @param head the first bytes, as UTF-8
 */
export function looksLikeJson(head: Buffer): boolean {
  return BEGINNING.test(head.toString('latin1', 0, MAX_HEAD_BYTES));
}

const MAX_HEAD_BYTES = 4096;
const BEGINNING = /^[ \t\r\n]*(?:\{[ \t\r\n]*(?:["}]|$)|\[[ \t\r\n]*(?:[[\]{"\d-]|$))/;
