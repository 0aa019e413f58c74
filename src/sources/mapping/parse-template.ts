import { CONVERSIONS, type Conversion, type Kind, partOf } from './conversions.ts';
import { TemplateReader } from './template-reader.ts';

export type TemplatePart = string | Placeholder;

export interface Placeholder {
  /** A name of `--map` (`salt` of `salt=pw_salt`), or else of a column. */
  name: string;
  steps: readonly Conversion[];
  /** Type of the result of a placeholder's last step. */
  gives: Kind;
}

export interface Template {
  parts: readonly TemplatePart[];
}

export interface TemplateProblem {
  problem: string;
  /** Position of the wrong character in the hash template, counted from 1. */
  position: number;
}

/** Maximum length of a hash template. No hash is nearly as long. */
const MAX_LENGTH = 4096;
const MAX_STEPS = 16;

/**
 * Reads the template by which `--hash` builds the hash of a user from columns:
 *
 *     $pbkdf2-sha256$i=27500${salt|hex}${hash|hex}
 *
 * - Text is copied. `{{` and `}}` are braces, `\\` is a backslash.
 * - `{column}` is the text of a cell. The name is one of the mapping (`--map salt=pw_salt`), or else the name
 *   of a column. A name with characters other than letters, digits, `_`, `-`, `.` and blanks must be in
 *   quotes: `{"salt|hex"}`.
 * - `{column|step|step}` converts the cell by steps, from left to right:
 *   - Steps that decode text to bytes: `hex`, `base64` (either alphabet, padded or not; also `base64url`),
 *     `ab64`, `utf8` (the characters themselves), `latin1`, `utf16le`.
 *   - Steps that encode bytes as text: `to-phc` (base64 without padding), `to-base64`, `to-base64url`,
 *     `to-hex`, and `text` (bytes that are text). If the last step results in bytes, `to-phc` is added:
 *     `{salt|hex}` gives a salt as PHC strings need it.
 *   - Steps that change text: `lower`, `upper`, `trim`, `unpad` (no `=` at the end), `log2` (`16384` → `14`),
 *     and `part(2,':')`, the second part between colons; `part(-1,'$')` is the last part.
 * - `\{` and `\}` mean the same as `{` and `}`, in case somebody escapes braces for a shell.
 */
export function parseTemplate(text: string): Template | TemplateProblem {
  if (text.length > MAX_LENGTH)
    return { problem: `is longer than ${MAX_LENGTH} characters`, position: MAX_LENGTH + 1 };
  const reader = new TemplateReader(text);
  const parts: TemplatePart[] = [];
  while (!reader.isAtEnd()) {
    const part = reader.opens() ? readPlaceholder(reader) : reader.literal();
    if (typeof part === 'object' && 'problem' in part) return part;
    if (part !== '') parts.push(part);
  }
  if (parts.every((part) => typeof part === 'string'))
    return { problem: 'uses no column: write one in braces, {hash}', position: 1 };
  return { parts };
}

function readPlaceholder(reader: TemplateReader): Placeholder | TemplateProblem {
  const name = reader.name();
  if (typeof name === 'object') return name;
  const steps: Conversion[] = [];
  let gives: Kind = 'text';
  while (reader.skip('|')) {
    const at = reader.position();
    const step = readStep(reader);
    if ('problem' in step) return step;
    if (steps.length === MAX_STEPS) return { problem: `more than ${MAX_STEPS} steps`, position: at };
    if (step.takes !== gives) return { problem: MISMATCH[gives], position: at };
    steps.push(step);
    gives = step.gives;
  }
  return reader.closes() ?? { name, steps, gives };
}

const MISMATCH: Record<Kind, string> = {
  bytes: 'needs text, but the step before it results in bytes: encode them first (to-hex, to-base64)',
  text: 'needs bytes, but the step before it results in text: decode it first (hex, base64, utf8)',
};

function readStep(reader: TemplateReader): Conversion | TemplateProblem {
  const position = reader.position();
  const name = reader.word();
  if (name === 'part') return readPart(reader, position);
  const step = CONVERSIONS.get(name);
  if (step !== undefined) return step;
  return { problem: `is none of ${[...CONVERSIONS.keys(), 'part(…)'].join(', ')}`, position };
}

function readPart(reader: TemplateReader, position: number): Conversion | TemplateProblem {
  const [index, separator] = reader.partArguments() ?? [];
  if (index === undefined || separator === undefined || index === 0 || separator === '')
    return { problem: "expected a number that is not 0 and a separator: part(2,':')", position };
  return partOf(index, separator);
}
