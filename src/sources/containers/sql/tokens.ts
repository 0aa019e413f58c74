import type { Dialect } from './dialect.ts';
import { unreadable, unsureBackslash, type Window } from './window.ts';

/** A token of an SQL statement. Rows are not read as tokens, but by a faster reader. */
export interface Token {
  /** `word`: an unquoted ASCII word. `name`: quoted, or not ASCII. `other`: also a dollar-quoted text. */
  kind: 'word' | 'name' | 'string' | 'other';
  /** Word in upper case, punctuation mark or number. Empty for other SQL tokens. */
  text: string;
  /** Word as written, or content of a quoted name or text. Empty for other SQL tokens. */
  name: string;
  start: number;
  end: number;
}

const WORD = /[A-Za-z_@#\x80-\xff][\w$@#\x80-\xff]*/y;
const NUMBER = /[0-9][\w.]*/y;
const SPACE = /\s*/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*)?\$/y;

const IN_WORD = /[\w$\x80-\xff]/;

/** Returns whether the quote at `pos` is that of E'…', in which backslashes are escapes. */
export const hasExtendedPrefix = (text: string, pos: number, dialect: Dialect): boolean =>
  dialect.hasPostgresStrings &&
  (text.charCodeAt(pos - 1) | 0x20) === 0x65 &&
  !IN_WORD.test(text.charAt(pos - 2));

export const dollarTagAt = (text: string, pos: number): string | undefined =>
  IN_WORD.test(text.charAt(pos - 1)) ? undefined : matchAt(DOLLAR_TAG, text, pos);

const CLOSING: Readonly<Record<string, string>> = { '"': '"', '`': '`', '[': ']' };

/** Returns undefined if more of the SQL dump is needed. */
export function tokenAt(window: Window, pos: number, dialect: Dialect): Token | undefined {
  const { text } = window;
  const start = skipSpace(window, pos, dialect);
  if (start < 0 || start >= text.length) return undefined;
  const sign = text.charAt(start);
  const closing = CLOSING[sign];
  if (closing !== undefined) {
    const isSure = !dialect.isUnsure || sign !== '"';
    return quotedName(window, start, closing, isSure);
  }
  if (sign === "'") {
    const isExtended = hasExtendedPrefix(text, start, dialect);
    const isSure = isExtended || !dialect.isUnsure;
    return string(window, start, isExtended || dialect.hasBackslashEscapes, isSure);
  }
  if (sign === '$' && dialect.hasPostgresStrings) {
    const tag = dollarTagAt(text, start);
    if (tag !== undefined) {
      const end = text.indexOf(tag, start + tag.length);
      return end === -1 ? undefined : other(start, end + tag.length);
    }
  }
  const word = matchAt(WORD, text, start);
  const found = word ?? matchAt(NUMBER, text, start);
  if (found === undefined) return { ...other(start, start + 1), text: sign };
  const end = start + found.length;
  // The SQL token may continue in the rest of the dump.
  if (end === text.length) return undefined;
  if (word === undefined) return { ...other(start, end), text: found };
  const name = utf8(word);
  if (name !== word) return { kind: 'name', text: '', name, start, end };
  return { kind: 'word', text: word.toUpperCase(), name, start, end };
}

export function matchAt(pattern: RegExp, text: string, pos: number): string | undefined {
  pattern.lastIndex = pos;
  return pattern.exec(text)?.[0];
}

const other = (start: number, end: number): Token => ({ kind: 'other', text: '', name: '', start, end });

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();

function quotedName(window: Window, start: number, closing: string, isSure: boolean): Token | undefined {
  const end = closed(window.text, start + 1, closing);
  if (end === -1) return undefined;
  if (!isSure && window.text.slice(start, end).includes('\\')) throw unsureBackslash(window, start);
  const name = utf8(window.text.slice(start + 1, end - 1).replaceAll(closing + closing, closing));
  return { kind: 'name', text: '', name, start, end };
}

/** Returns -1 if more of the SQL dump is needed. A doubled quote does not close the token. */
function closed(text: string, pos: number, closing: string): number {
  for (let at = pos; ; at += 2) {
    at = text.indexOf(closing, at);
    if (at === -1 || at + 1 >= text.length) return -1;
    if (text[at + 1] !== closing) return at + 1;
  }
}

function string(
  window: Window,
  start: number,
  hasBackslashEscapes: boolean,
  isSure: boolean,
): Token | undefined {
  const { text } = window;
  let quote = -1;
  for (let pos = start + 1; ; ) {
    if (quote < pos) quote = text.indexOf("'", pos);
    if (quote === -1 || quote + 1 >= text.length) return undefined;
    const backslash = hasBackslashEscapes ? text.slice(pos, quote).indexOf('\\') : -1;
    if (backslash !== -1 && !isSure) throw unsureBackslash(window, start);
    if (backslash !== -1) pos += backslash + 2;
    else if (text[quote + 1] === "'") pos = quote + 2;
    else {
      const name = utf8(text.slice(start + 1, quote).replaceAll("''", "'"));
      return { kind: 'string', text: '', name, start, end: quote + 1 };
    }
  }
}

/**
 * Returns the index after white space and comments, or -1 if the end of an SQL comment is not in memory yet.
 */
export function skipSpace(window: Window, from: number, dialect: Dialect): number {
  const { text } = window;
  for (let pos = from; ; ) {
    pos += matchAt(SPACE, text, pos)?.length ?? 0;
    const sign = text[pos];
    const next = text[pos + 1];
    if ((sign === '-' || sign === '/' || sign === '*') && next === undefined && !window.isEnd) return -1;
    let end: number;
    if (
      (sign === '-' && next === '-' && isDashComment(text, pos, dialect)) ||
      (sign === '#' && dialect.hasHashComments)
    ) {
      end = text.indexOf('\n', pos) + 1;
      if (end === 0) return -1;
    } else if (sign === '/' && next === '*') {
      const executable = executableAt(window, pos, dialect);
      if (executable === undefined) return -1;
      end = executable > 0 ? executable : commentEnd(window, pos, dialect);
      if (end === -1) return -1;
    } else if (sign === '*' && next === '/' && dialect.hasExecutableComments) {
      end = pos + 2;
    } else {
      return pos;
    }
    pos = end;
  }
}

/** In MySQL, `--` begins a comment only if white space follows. */
export const isDashComment = (text: string, pos: number, dialect: Dialect): boolean =>
  !dialect.needsSpaceInComments || !(text.charCodeAt(pos + 2) > 0x20);

const EXECUTABLE = /\/\*M?!(\d{0,6})/y;
/** Version in an executable comment of MySQL above which no server executes it: `/*!999999\- … *\/`. */
const VERSION_MAX = 200_000;

/** Returns where the code of a MySQL comment begins: 0 for other comments, undefined if more is needed. */
export function executableAt(window: Window, pos: number, dialect: Dialect): number | undefined {
  if (!dialect.hasExecutableComments) return 0;
  const found = matchAt(EXECUTABLE, window.text, pos);
  if (found === undefined) return pos + 4 > window.text.length && !window.isEnd ? undefined : 0;
  if (pos + found.length === window.text.length && !window.isEnd) return undefined;
  return Number(found.replace(/\D+/, '')) > VERSION_MAX ? 0 : pos + found.length;
}

function commentEnd(window: Window, pos: number, dialect: Dialect): number {
  const { text } = window;
  let depth = 1;
  for (let at = pos + 2; depth > 0; ) {
    const close = text.indexOf('*/', at);
    if (close === -1) return -1;
    const inner = text.slice(at, close).indexOf('/*');
    const open = at + inner;
    if (inner === -1 || !(dialect.hasNestedComments || dialect.isUnsure)) {
      at = close + 2;
      depth--;
    } else {
      // Only some systems nest SQL comments, so the end of the outer comment is uncertain.
      if (!dialect.hasNestedComments) throw unreadable(window, open, 'The comment within a comment');
      at = open + 2;
      depth++;
    }
    if (depth === 0) return at;
  }
  return -1;
}

/**
 * Returns the tokens of a statement up to its semicolon, and `most` of them at most. Returns undefined if more of
 * the SQL dump must be in memory.
 */
export function tokensOf(window: Window, from: number, dialect: Dialect, most: number): Token[] | undefined {
  const tokens: Token[] = [];
  for (let pos = from; ; ) {
    const token = tokenAt(window, pos, dialect);
    if (token === undefined) return window.isEnd ? tokens : undefined;
    if (token.text === ';' || tokens.length === most) return tokens;
    tokens.push(token);
    pos = token.end;
  }
}
