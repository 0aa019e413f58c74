import { createHash } from 'node:crypto';
import { isBlank, LineSplitter, type RawLine } from '../../imports/input/line-splitter.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import { decodeBytes } from '../../sources/containers/decode-bytes.ts';
import { FileProblem, type SourceFile } from '../../sources/containers/table.ts';
import { CliError } from '../cli-error.ts';
import { count } from '../terminal/text.ts';

export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Yields the lines of users of a file that `export` or `convert` has written. The file may be compressed, and may
 * consist of several such files, one after the other.
 * @param mustEnd refuses a file without the last line of an export, because it may be cut short
 * @throws {CliError} if the file is damaged, or has other users than its last line states
 */
export async function* readImportLines(
  file: SourceFile,
  mustEnd: boolean,
): AsyncGenerator<readonly RawLine[]> {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  // Users since the beginning, or since the last `{"export":…}` line if several files were joined.
  let [users, digest, hasEnd] = [0, createHash('sha256'), false];
  const isUser = (line: RawLine) => {
    if (isBlank(line)) return false;
    const stated = endOf(line.text);
    if (stated !== undefined) {
      check(file.name, stated, { users, sha256: digest.digest('hex') });
      [users, digest, hasEnd] = [0, createHash('sha256'), true];
      return false;
    }
    users += 1;
    digest.update(`${line.text}\n`);
    return true;
  };
  try {
    // Bytes that are not UTF-8 make only their lines invalid, not the whole file.
    for await (const bytes of decodeBytes(file.open(), undefined, false))
      for (const { lines } of splitter.push(bytes)) yield lines.filter(isUser);
  } catch (error) {
    throw error instanceof FileProblem ? new CliError(`${file.name}: ${error.message}`) : error;
  }
  for (const { lines } of splitter.end()) yield lines.filter(isUser);
  if (mustEnd && !(hasEnd && users === 0))
    throw new CliError(
      `${file.name} is cut short, or was not made by export or convert: it does not end with the line {"export":…} that states its users. Make it again. If you know that it is complete, add --without-end.`,
    );
}

/** Returns what the last line of an export states, or undefined for the line of a user. */
function endOf(text: string | undefined): JsonObject | undefined {
  const stated = text?.startsWith('{"export":') && parseJsonObject(text)?.export;
  return isJsonObject(stated) ? stated : undefined;
}

function check(name: string, stated: JsonObject, found: { users: number; sha256: string }): void {
  if (typeof stated.users === 'number' && stated.users !== found.users)
    throw new CliError(
      `${name} is not complete: it has ${count(found.users)} users, and its last line states ${count(stated.users)}. Export again.`,
    );
  if (stated.users !== found.users || stated.sha256 !== found.sha256)
    throw new CliError(
      `${name} was changed after it was written: its last line states another digest (SHA-256) of the users. Export again. If you changed it, delete the last line, and add --without-end.`,
    );
}
