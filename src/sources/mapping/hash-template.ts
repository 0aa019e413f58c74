import { isUtf8 } from 'node:buffer';
import { lowerCase, stripControlAndSpace } from '../../lib/text/characters.ts';
import { hashText, invalidHash } from '../fields/hashes.ts';
import { describesItself } from '../fields/looks-like-hash.ts';
import { bytesOf, fromBase64, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';

/** Type of the input or output of a step: the text of a cell, or bytes. */
type Kind = 'text' | 'bytes';

/** One step of a placeholder: `hex` in `{salt|hex}`. */
interface Step {
  takes: Kind;
  gives: Kind;
  /** Input that the step needs, as the end of the message "is not …". */
  expects: string;
  /** Converts a value. Returns undefined if the value does not have the form that the step expects. */
  run(value: string & Buffer): string | Buffer | undefined;
}

interface Placeholder {
  /** Name that `--map` gives to a column (`salt` in `salt=pw_salt`), or else the name of a column. */
  name: string;
  steps: readonly Step[];
}

/** A parsed template of `--hash`: text, and placeholders for columns. */
export interface HashTemplate {
  parts: readonly (string | Placeholder)[];
}

interface TemplateProblem {
  problem: string;
  /** Position of the wrong character in the template, counted from 1. */
  position: number;
}

/** Base64 as in passlib's hashes, with `.` instead of `+`. */
const AB64 = /^[A-Za-z0-9./]*$/;
const LATIN1 = /^[\0-\xff]*$/;

const unpad = (text: string) => text.replace(/={1,2}$/, '');

function log2(text: string): string | undefined {
  const log = /^\d{1,10}$/.test(text) ? Math.log2(Number(text)) : Number.NaN;
  return Number.isInteger(log) ? String(log) : undefined;
}

const decodes = (expects: string, run: (text: string) => Buffer | undefined): Step => ({
  ...{ takes: 'text', gives: 'bytes', expects, run },
});
const encodes = (run: (bytes: Buffer) => string | undefined, expects = 'bytes'): Step => ({
  ...{ takes: 'bytes', gives: 'text', expects, run },
});
const changes = (run: (text: string) => string | undefined, expects = 'text'): Step => ({
  ...{ takes: 'text', gives: 'text', expects, run },
});

/** Base64 without padding, as in PHC strings. This step is added if the last step of a placeholder results in bytes. */
const TO_PHC = encodes((bytes) => unpad(bytes.toString('base64')));

/** All steps by name, except `part(…)`, which has arguments. */
export const STEPS: ReadonlyMap<string, Step> = new Map([
  // Databases may write a prefix before hexadecimal digits: `\x` for bytea, or `0x`.
  ['hex', decodes('hexadecimal', (text) => bytesOf(text.replace(/^(?:\\x|0x)/i, ''), 'hex'))],
  ['base64', decodes('base64', fromBase64)],
  ['base64url', decodes('base64', fromBase64)],
  ['ab64', decodes('ab64', (text) => (AB64.test(text) ? fromBase64(text.replaceAll('.', '+')) : undefined))],
  ['utf8', decodes('text', (text) => Buffer.from(text, 'utf8'))],
  ['latin1', decodes('Latin-1', (text) => (LATIN1.test(text) ? Buffer.from(text, 'latin1') : undefined))],
  ['utf16le', decodes('text', (text) => Buffer.from(text, 'utf16le'))],
  ['to-phc', TO_PHC],
  ['to-base64', encodes((bytes) => bytes.toString('base64'))],
  ['to-base64url', encodes((bytes) => bytes.toString('base64url'))],
  ['to-hex', encodes((bytes) => bytes.toString('hex'))],
  ['text', encodes((bytes) => (isUtf8(bytes) ? bytes.toString() : undefined), 'text in UTF-8')],
  ['lower', changes(lowerCase)],
  ['upper', changes((text) => text.toUpperCase())],
  ['trim', changes(stripControlAndSpace)],
  ['unpad', changes(unpad)],
  ['log2', changes(log2, 'a power of two')],
]);

/** The step `part(2,':')`: the second part between colons. A negative index counts from the end. */
const partOf = (index: number, separator: string): Step =>
  changes(
    (text) => text.split(separator).at(index > 0 ? index - 1 : index),
    `made of so many parts between "${separator}"`,
  );

const MISMATCH: Record<Kind, string> = {
  bytes: 'needs text, but the step before it results in bytes: encode them first (to-hex, to-base64)',
  text: 'needs bytes, but the step before it results in text: decode it first (hex, base64, utf8)',
};

/** Maximum number of characters of a template. No hash is nearly as long. */
const MAX_LENGTH = 4096;
const MAX_STEPS = 16;

// Tokens of a template. All expressions are sticky, and none can backtrack.
const LITERAL = /\{\{|\}\}|\\\\|\\(?![{}\\])|[^{}\\]+/y;
const ESCAPED = new Map([
  ['{{', '{'],
  ['}}', '}'],
  ['\\\\', '\\'],
]);
const OPEN = /\\?\{/y;
const CLOSE = /\\?\}/y;
const BAR = /\|/y;
const NAME = /"([^"]*)"|([\p{L}\p{N}_. -]*)/uy;
const WORD = /\s*([a-z0-9-]*)\s*/y;
const PART = /\(\s*(-?\d{1,4})\s*,\s*(?:'([^']*)'|"([^"]*)")\s*\)\s*/y;

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
export function parseTemplate(text: string): HashTemplate | TemplateProblem {
  if (text.length > MAX_LENGTH)
    return { problem: `is longer than ${MAX_LENGTH} characters`, position: MAX_LENGTH + 1 };
  let at = 0;
  const take = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at;
    const match = expression.exec(text);
    if (match !== null) at = expression.lastIndex;
    return match;
  };
  const readStep = (): Step | string => {
    const name = take(WORD)?.[1] ?? '';
    if (name !== 'part') return STEPS.get(name) ?? `is none of ${[...STEPS.keys(), 'part(…)'].join(', ')}`;
    const [, index = '0', single, double] = take(PART) ?? [];
    const separator = single ?? double ?? '';
    return Number(index) === 0 || separator === ''
      ? "expected a number that is not 0 and a separator: part(2,':')"
      : partOf(Number(index), separator);
  };
  const parts: (string | Placeholder)[] = [];
  while (at < text.length) {
    const literal = take(LITERAL)?.[0];
    if (literal !== undefined) {
      parts.push(ESCAPED.get(literal) ?? literal);
      continue;
    }
    let position = at + 1;
    if (take(OPEN) === null) return { problem: 'a } without {: write }} for a brace', position };
    position = at + 1;
    const [, quoted, plain = ''] = take(NAME) ?? [];
    const name = quoted ?? plain.trim();
    if (name === '')
      return { problem: text[at] === '"' ? 'a " is missing' : 'expected the name of a column', position };
    const steps: Step[] = [];
    while (take(BAR) !== null) {
      position = at + 1;
      const step = readStep();
      if (typeof step === 'string') return { problem: step, position };
      if (steps.length === MAX_STEPS) return { problem: `more than ${MAX_STEPS} steps`, position };
      const given = steps.at(-1)?.gives ?? 'text';
      if (step.takes !== given) return { problem: MISMATCH[given], position };
      steps.push(step);
    }
    position = at + 1;
    if (take(CLOSE) === null)
      return { problem: at < text.length ? 'expected | and a step, or }' : 'a } is missing', position };
    parts.push({ name, steps: steps.at(-1)?.gives === 'bytes' ? [...steps, TO_PHC] : steps });
  }
  if (parts.every((part) => typeof part === 'string'))
    return { problem: 'uses no column: write one in braces, {hash}', position: 1 };
  return { parts };
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Makes a function that builds the hash of a user from the template. The main column is the one named `hash`,
 * or else the last one; if it is empty, the user has no password. If another column is empty or cannot be
 * converted, the hash is invalid. If the main column may hold a complete hash, its text is returned as `stored`.
 * @param options `cellOf` returns the column of a placeholder, and `familyOf` the hash family that a column names
 */
export function templateRenderer(
  { parts }: HashTemplate,
  options: {
    cellOf: (name: string) => { column: string; valueOf(record: Row): unknown };
    algorithm: string | undefined;
    familyOf(record: Row): string | undefined;
  },
): (record: Row) => SourcePassword | undefined {
  const { cellOf, algorithm, familyOf } = options;
  const pieces = parts.map((part) =>
    typeof part === 'string' ? part : { ...part, cell: cellOf(part.name) },
  );
  const placeholders = pieces.filter((piece) => typeof piece !== 'string');
  const main = placeholders.find(({ name }) => name === 'hash') ?? placeholders.at(-1);
  // A template such as `$wp{hash}` only adds a prefix, so its column always looks like a complete hash.
  const addsMark = placeholders.length === 1 && main?.steps.length === 0;
  const build = (record: Row): SourcePassword => {
    let encoded = '';
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        encoded += piece;
        continue;
      }
      const { cell, steps } = piece;
      let value: string | Buffer | undefined = textOf(cell.valueOf(record));
      if (value === undefined) return invalidHash(`column ${cell.column} is empty`);
      for (const step of steps) {
        // The parser has checked that each step accepts the output of the previous one.
        value = step.run(value as string & Buffer);
        if (value === undefined) return invalidHash(`column ${cell.column} is not ${step.expects}`);
      }
      encoded += value;
    }
    return { encoded, algorithm: familyOf(record) ?? algorithm };
  };
  return (record) => {
    const stored = main && hashText(main.cell.valueOf(record));
    if (stored === undefined) return undefined;
    // A former system that upgraded hashes later stored complete hashes of a new family in the same column.
    return addsMark || !describesItself(stored) ? build(record) : { ...build(record), stored };
  };
}
