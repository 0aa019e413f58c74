import type { HashRegistry } from '../hashing/registry.ts';
import { parseUserForms } from './exact-numbers.ts';
import type { Problem } from './line-codes.ts';
import { isBlank, type RawLine } from './line-splitter.ts';
import type { ChunkLine } from './plan-chunk.ts';
import { readCandidate } from './read-candidate.ts';

/** Whom a line says to import, or why it cannot be; undefined: it is blank. */
export function readLine(
  deps: { registry: HashRegistry; now(): number; maxLineBytes: number },
  line: RawLine,
): ChunkLine {
  const { text, problem } = line;
  if (problem === 'too-long') {
    return { code: 'LINE_TOO_LONG', message: `The line is longer than ${deps.maxLineBytes} bytes` };
  }
  if (text === undefined) return notJson('the line is not UTF-8');
  if (isBlank(line)) return undefined;
  let value: unknown;
  try {
    value = parseUserForms(text);
  } catch {
    // The parser's message quotes the line.
    return notJson('the line is not JSON');
  }
  return readCandidate(deps, value);
}

const notJson = (what: string): Problem => ({
  code: 'BODY_INVALID_JSON',
  message: `Invalid Json Input: ${what}`,
});
