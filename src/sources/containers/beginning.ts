/** The first part of a file, used to detect the kind of the file. */
export interface Beginning {
  /** The first bytes of the file, decoded to UTF-8. */
  head: Buffer;
  /** `head` as a string. */
  text: string;
  /** Whether the file ends within these bytes. */
  isWhole: boolean;
}

/**
 * How well the beginning of a file matches one kind of file.
 * - `certain`: it matches from the first byte on, and no other kind of file has such rows.
 * - `fits`: all that can be seen of it matches.
 * - `{ but }`: it starts like this kind, but a later part does not match. The text says which part, and quotes nothing
 * from the file.
 * - undefined: it does not start like this kind.
 */
export type KindMatch = 'certain' | 'fits' | { but: string } | undefined;

/**
 * Maximum number of lines at the start of a file that are examined to detect its kind. More lines would not make the
 * detection more reliable.
 */
const MAX_LINES = 200;

/**
 * Returns the first lines of the file. The last line may be cut, so it is included only if the beginning is the whole
 * file.
 */
export function linesOf({ text, isWhole }: Beginning): string[] {
  const lines = text.split(/\r?\n/, MAX_LINES + 1);
  return isWhole ? lines : lines.slice(0, Math.max(1, lines.length - 1));
}
