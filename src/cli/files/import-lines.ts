import { createHash } from 'node:crypto';
import { isBlank, LineSplitter, type RawLine } from '../../imports/input/line-splitter.ts';
import { isJsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import { decodeBytes } from '../../sources/containers/decode-bytes.ts';
import { FileProblem, type SourceFile } from '../../sources/containers/table.ts';
import { CliError } from '../cli-error.ts';
import { count } from '../terminal/text.ts';

export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Yields the lines of users in a file as `export` and `convert` write it, also if it is compressed, or consists
 * of several such files.
 * @param mustEnd refuses a file without the last line of an export, because it may be cut short
 * @throws {CliError} if the file is damaged, or has other users than its last line states
 */
export async function* readImportLines(
  file: SourceFile,
  mustEnd: boolean,
): AsyncGenerator<readonly RawLine[]> {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  const lines = new ExportLines(file.name);
  try {
    // Bytes that are no UTF-8 are errors of their lines only.
    for await (const bytes of decodeBytes(file.open(), undefined, false))
      for (const block of splitter.push(bytes)) yield lines.usersIn(block.lines);
  } catch (error) {
    throw error instanceof FileProblem ? new CliError(`${file.name}: ${error.message}`) : error;
  }
  for (const block of splitter.end()) yield lines.usersIn(block.lines);
  if (mustEnd && !lines.isComplete)
    throw new CliError(
      `${file.name} is cut short, or was not made by export or convert: it does not end with the line {"export":…} that states its users. Make it again. If you know that it is complete, add --without-end.`,
    );
}

/** Checks the users of a file against the lines that state their number and digest. */
class ExportLines {
  readonly #name: string;
  #users = 0;
  #digest = createHash('sha256');
  #hasEnd = false;

  constructor(name: string) {
    this.#name = name;
  }

  get isComplete(): boolean {
    return this.#hasEnd && this.#users === 0;
  }

  usersIn(lines: readonly RawLine[]): readonly RawLine[] {
    return lines.filter((line) => {
      if (isBlank(line)) return false;
      const stated = endOf(line.text);
      if (stated !== undefined) this.#check(stated);
      else {
        this.#users += 1;
        this.#digest.update(`${line.text}\n`);
      }
      return stated === undefined;
    });
  }

  #check({ users, sha256 }: { users: unknown; sha256: unknown }): void {
    if (typeof users === 'number' && users !== this.#users)
      throw new CliError(
        `${this.#name} is not complete: it has ${count(this.#users)} users, and its last line states ${count(users)}. Export again.`,
      );
    if (users !== this.#users || sha256 !== this.#digest.digest('hex'))
      throw new CliError(
        `${this.#name} was changed after it was written: its last line states another digest (SHA-256) of the users. Export again. If you changed it, delete the last line, and add --without-end.`,
      );
    this.#users = 0;
    this.#digest = createHash('sha256');
    this.#hasEnd = true;
  }
}

/** Returns what the last line of an export states, or undefined for the line of a user. */
function endOf(text: string | undefined): { users: unknown; sha256: unknown } | undefined {
  if (!text?.startsWith('{"export":')) return undefined;
  const stated = parseJsonObject(text)?.export;
  return isJsonObject(stated) ? { users: stated.users, sha256: stated.sha256 } : undefined;
}
