/** The beginning of a text. */
export interface Beginning {
  /** In UTF-8. */
  head: Buffer;
  /** The same. */
  text: string;
  /** Whether no more follows. */
  isWhole: boolean;
}

/**
 * How the structure of a beginning is that of a kind of file. `certain`: from the first byte on, and rows of
 * no other file look so. `fits`: from the first byte on, as far as it can be seen. With `but`: it begins so,
 * but does not go on so; the text says where, and shows nothing of it. Undefined: it does not begin so.
 */
export type Look = 'certain' | 'fits' | { but: string } | undefined;

/** Further lines say nothing more about a kind. */
const MAX_LINES = 200;

/** Returns the first lines. The last one, which may be cut, is among them only if no more follows. */
export function linesOf({ text, isWhole }: Beginning): string[] {
  const lines = text.split(/\r?\n/, MAX_LINES + 1);
  return isWhole ? lines : lines.slice(0, Math.max(1, lines.length - 1));
}
