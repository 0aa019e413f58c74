import { parseUserPayloads } from '../../imports/input/parse-user-payloads.ts';
import { isJsonObject } from '../../lib/json/json-object.ts';
import { isExportEnd } from '../../users/export-users.ts';
import type { LineError } from './line-error.ts';
import { isBlank, type RawLine } from './line-splitter.ts';
import type { ReadLine } from './parsed-user.ts';
import type { ReadDeps } from './read-deps.ts';
import { readUser } from './read-user.ts';

/** Maximum length of a line in bytes, unless bulk_import_max_line_bytes says otherwise. */
export const MAX_LINE_BYTES = 65_536;

/** Returns undefined for a blank line, and for the last line of an export, which has no user. */
export function readLine(deps: ReadDeps & { maxLineBytes: number }, line: RawLine): ReadLine {
  const { text, problem } = line;
  if (problem === 'too-long') {
    return {
      code: 'LINE_TOO_LONG',
      message: `The line is longer than ${deps.maxLineBytes} bytes (bulk_import_max_line_bytes)`,
    };
  }
  if (text === undefined) return notJson('the line is not UTF-8');
  if (isBlank(line)) return undefined;
  let value: unknown;
  try {
    value = parseUserPayloads(text);
  } catch {
    // The JSON parser's own message would quote the line.
    return notJson('the line is not JSON');
  }
  if (isJsonObject(value) && isExportEnd(value)) return undefined;
  return readUser(deps, value);
}

const notJson = (what: string): LineError => ({
  code: 'BODY_INVALID_JSON',
  message: `Invalid Json Input: ${what}`,
});
