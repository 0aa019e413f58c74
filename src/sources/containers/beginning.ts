/** Beginning of an export file, by which the kind of the file is detected. */
export interface Beginning {
  /** First bytes of the file, decoded to UTF-8. */
  head: Buffer;
  text: string;
  /** Whether the file ends within these bytes. */
  isWhole: boolean;
}

/**
 * How well the beginning of an export file matches one kind of file.
 * - `certain`: it matches from the first byte on, and no other kind of file has such rows.
 * - `fits`: all that can be seen of it matches.
 * - `{ but }`: it starts like this kind, but a later part does not match. The text says which part, and
 *   quotes nothing from the file.
 * - undefined: it does not start like this kind.
 */
export type KindMatch = 'certain' | 'fits' | BrokenMatch | undefined;

export interface BrokenMatch {
  but: string;
  /** If missing, the operator is asked to name the kind of the file. */
  advice?: string;
}

/** More lines would not make the detection of a file's kind more reliable. */
const MAX_LINES = 200;

/** The last line may be cut off, so it is left out unless the export file ends there. */
export function linesOf({ text, isWhole }: Beginning): string[] {
  const lines = text.split(/\r?\n/, MAX_LINES + 1);
  return isWhole ? lines : lines.slice(0, Math.max(1, lines.length - 1));
}
