import type { Dialect } from './dialect.ts';
import { type Input, indexFrom, LOOKAHEAD, LOOKBEHIND, MORE } from './input.ts';

/** A part of a dump in which no sign ends a statement: a text, a quoted name or a comment. */
export interface Span {
  /** Length of its opening sign. */
  readonly open: number;
  /** Text that ends it. A doubled quote does not. */
  readonly closing: string;
  readonly hasEscapes: boolean;
  /** The dump does not show whether backslashes in it are escapes. */
  readonly isUnsure: boolean;
  /** MySQL's `_binary '…'`, whose bytes have no encoding. */
  readonly holdsBytes: boolean;
  /** Number of comments that are open at `resumed`, as some systems nest comments. */
  depth: number;
  /** Where the search for its end continues when more of the dump is in memory. */
  resumed: number;
}

const DOLLAR_TAG = /\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*)?\$/y;
const IN_WORD = /[\w$\x80-\xff]/;
const BINARY = /_binary\s?$/i;

/** Returns the text, name or comment that begins at `pos`. MySQL's executable comments are code. */
export function spanAt(input: Input, pos: number, dialect: Dialect): Span | undefined {
  const { text } = input;
  switch (text.charAt(pos)) {
    case "'": {
      if (dialect.hasPostgresStrings && /(?:^|\W)U&$/i.test(text.slice(Math.max(0, pos - 3), pos)))
        return span("'", 1);
      const isExtended = hasExtendedPrefix(text, pos, dialect);
      const holdsBytes = BINARY.test(text.slice(Math.max(0, pos - LOOKBEHIND), pos));
      return span(
        "'",
        1,
        isExtended || dialect.hasBackslashEscapes,
        dialect.isUnsure && !isExtended,
        holdsBytes,
      );
    }
    case '"':
      return span('"', 1, dialect.hasDoubleQuotedTexts && dialect.hasBackslashEscapes, dialect.isUnsure);
    case '`':
      return span('`', 1);
    case '[':
      return dialect.hasBracketNames ? span(']', 1) : undefined;
    case '-':
      return isDashComment(text, pos, dialect) ? span('\n', 2) : undefined;
    case '#':
      return dialect.hasHashComments ? span('\n', 1) : undefined;
    case '/':
      return text[pos + 1] === '*' && executableAt(input, pos, dialect) === 0 ? span('*/', 2) : undefined;
    case '$': {
      const tag =
        dialect.hasPostgresStrings && !IN_WORD.test(text.charAt(pos - 1)) && matchAt(DOLLAR_TAG, text, pos);
      return tag ? span(tag, tag.length) : undefined;
    }
    default:
      return undefined;
  }
}

const span = (
  closing: string,
  open: number,
  hasEscapes = false,
  isUnsure = false,
  holdsBytes = false,
): Span => ({
  open,
  closing,
  hasEscapes,
  isUnsure: isUnsure && hasEscapes,
  holdsBytes,
  depth: 1,
  resumed: 0,
});

/** Whether the quote at `pos` is that of E'…', in which backslashes are escapes. */
const hasExtendedPrefix = (text: string, pos: number, dialect: Dialect): boolean =>
  dialect.hasPostgresStrings &&
  (text.charCodeAt(pos - 1) | 0x20) === 0x65 &&
  !IN_WORD.test(text.charAt(pos - 2));

const isDashComment = (text: string, pos: number, dialect: Dialect): boolean =>
  text.startsWith('--', pos) && (!dialect.needsSpaceInComments || !(text.charCodeAt(pos + 2) > 0x20));

const EXECUTABLE = /\/\*M?!(\d{0,6})/y;
/** Version in a comment of MySQL above which no server executes it: `/*!999999\- … *\/`. */
const VERSION_MAX = 200_000;

/** Returns where the code of a comment of MySQL begins: 0 for other comments. */
export function executableAt({ text }: Input, pos: number, dialect: Dialect): number {
  const found = dialect.hasExecutableComments ? matchAt(EXECUTABLE, text, pos) : undefined;
  return found === undefined || Number(found.replace(/\D+/, '')) > VERSION_MAX ? 0 : pos + found.length;
}

export function matchAt(pattern: RegExp, text: string, pos: number): string | undefined {
  pattern.lastIndex = pos;
  return pattern.exec(text)?.[0];
}

/**
 * Returns the index after a span, or MORE if its end is not in memory. The line break after a comment does not
 * belong to the comment, because a statement may end there.
 * @param from where the search begins: after the opening sign, or at `resumed`
 * @throws ProblemAt if a backslash may or may not be an escape
 */
export function spanEnd(input: Input, open: Span, from: number, dialect: Dialect): number {
  const { text } = input;
  const { closing } = open;
  if (closing === '*/') return commentEnd(input, open, from, dialect);
  let found = -1;
  for (let pos = from; ; ) {
    if (found < pos) found = indexFrom(text, closing, pos);
    const backslash = open.hasEscapes ? input.backslashFrom(pos) : Number.POSITIVE_INFINITY;
    if (backslash < Math.min(found, text.length)) {
      if (open.isUnsure) throw input.unsureBackslash(backslash);
      if (!open.holdsBytes) input.checkEscape(backslash);
      if (backslash + 1 < text.length) {
        pos = backslash + 2;
        continue;
      }
      open.resumed = backslash;
      return MORE;
    }
    if (found === Number.POSITIVE_INFINITY) {
      // The last comment of a dump may end with the file instead of a line break.
      if (input.isEnd && closing === '\n') return text.length;
      open.resumed = Math.max(pos, text.length - closing.length + 1);
      return MORE;
    }
    if (closing === '\n') return found;
    if (closing.length > 1) return found + closing.length;
    // The next character shows whether the quote is doubled.
    if (found + 1 === text.length && !input.isEnd) {
      open.resumed = found;
      return MORE;
    }
    if (text[found + 1] !== closing) return found + 1;
    pos = found + 2;
  }
}

const COMMENT_SIGN = /\/\*|\*\//g;

function commentEnd(input: Input, open: Span, from: number, dialect: Dialect): number {
  const { text } = input;
  for (let pos = from; ; ) {
    COMMENT_SIGN.lastIndex = pos;
    const found = COMMENT_SIGN.exec(text);
    if (found === null) {
      open.resumed = Math.max(pos, text.length - 1);
      return MORE;
    }
    pos = found.index + 2;
    if (found[0] === '*/') open.depth--;
    else if (dialect.hasNestedComments) open.depth++;
    // Only some systems nest comments, so the end of the outer comment is uncertain.
    else if (dialect.isUnsure) throw input.unreadable(found.index, 'The comment within a comment');
    if (open.depth === 0) return pos;
  }
}

const SPACE = /\s*/y;

/** Returns the index after white space and comments, or MORE. */
export function skipSpace(input: Input, from: number, dialect: Dialect): number {
  const { text } = input;
  for (let pos = from; ; ) {
    pos += matchAt(SPACE, text, pos)?.length ?? 0;
    if (pos + LOOKAHEAD > text.length && !input.isEnd) return MORE;
    const sign = text[pos];
    const executable = sign === '/' ? executableAt(input, pos, dialect) : 0;
    if (executable > 0) pos = executable;
    else if (sign === '*' && text[pos + 1] === '/' && dialect.hasExecutableComments) pos += 2;
    else if (sign !== '-' && sign !== '/' && sign !== '#') return pos;
    else {
      const comment = spanAt(input, pos, dialect);
      if (comment === undefined) return pos;
      pos = spanEnd(input, comment, pos + comment.open, dialect);
      if (pos === MORE) return MORE;
    }
  }
}

/** A token of a statement. Rows are not read as tokens, but by a faster reader. */
export interface Token {
  /**
   * `word`: an unquoted ASCII word. `name`: quoted, or not ASCII. `end`: end of the statement or of the file.
   * `other`: a sign, a number or a text in dollars.
   */
  kind: 'word' | 'name' | 'string' | 'other' | 'end';
  /** Word in upper case, sign or number. Empty for others. */
  text: string;
  /** Word as written, or content of a quoted name or text. Empty for others. */
  name: string;
  start: number;
  end: number;
}

const WORD = /[A-Za-z_@#\x80-\xff][\w$@#\x80-\xff]*/y;
const NUMBER = /[0-9][\w.]*/y;

/** Returns undefined if more of the dump must be in memory. */
export function tokenAt(input: Input, from: number, dialect: Dialect): Token | undefined {
  const { text } = input;
  const start = skipSpace(input, from, dialect);
  if (start === MORE) return undefined;
  const token = (kind: Token['kind'], end: number, itsText = '', name = '') => ({
    kind,
    text: itsText,
    name,
    start,
    end,
  });
  if (start >= text.length) return token('end', start);
  if (text.startsWith(dialect.delimiter, start)) return token('end', start + dialect.delimiter.length, ';');
  // Heads of statements have no arrays, so brackets are names there in any dialect.
  const quoted = spanAt(input, start, dialect) ?? (text[start] === '[' ? span(']', 1) : undefined);
  if (quoted !== undefined) {
    const end = spanEnd(input, quoted, start + quoted.open, dialect);
    if (end === MORE) return undefined;
    if (quoted.open > 1) return token('other', end);
    const content = text.slice(start + 1, end - 1).replaceAll(quoted.closing.repeat(2), quoted.closing);
    return token(quoted.closing === "'" ? 'string' : 'name', end, '', utf8(content));
  }
  const word = matchAt(WORD, text, start);
  const found = word ?? matchAt(NUMBER, text, start) ?? text.charAt(start);
  if (start + found.length === text.length && !input.isEnd) return undefined;
  // A delimiter such as `$$` may directly follow a word.
  const cut = dialect.delimiter === ';' ? -1 : found.indexOf(dialect.delimiter);
  const part = cut > 0 ? found.slice(0, cut) : found;
  const end = start + part.length;
  if (word === undefined) return token('other', end, part);
  const name = utf8(part);
  return name === part ? token('word', end, part.toUpperCase(), name) : token('name', end, '', name);
}

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();

/** Returns the tokens between two places of a statement that is in memory. */
export function tokensBetween(input: Input, from: number, limit: number, dialect: Dialect): Token[] {
  const tokens: Token[] = [];
  for (let token = tokenAt(input, from, dialect); token !== undefined && token.start < limit; ) {
    if (token.kind === 'end') break;
    tokens.push(token);
    token = tokenAt(input, token.end, dialect);
  }
  return tokens;
}

/** Reads the head of a statement token by token. */
export class Cursor {
  pos: number;
  readonly #input: Input;
  readonly #dialect: Dialect;

  constructor(input: Input, pos: number, dialect: Dialect) {
    this.#input = input;
    this.pos = pos;
    this.#dialect = dialect;
  }

  /** @throws NeedsMore if the token is not in memory, or if the file ends before it or with its word */
  peek(): Token {
    const token = tokenAt(this.#input, this.pos, this.#dialect);
    if (token === undefined) throw new NeedsMore();
    const { kind, start, end } = token;
    const endsWithFile = this.#input.endsAt(kind === 'word' || kind === 'name' ? end : start);
    if (endsWithFile) throw new NeedsMore();
    return token;
  }

  next(): Token {
    const token = this.peek();
    this.pos = token.end;
    return token;
  }

  /** Reads a token if it has the text. */
  takes(...texts: readonly string[]): boolean {
    const token = this.peek();
    const isOne = token.kind !== 'name' && texts.includes(token.text);
    if (isOne) this.pos = token.end;
    return isOne;
  }

  /** Reads the name of a table, split at dots. Undefined if the next token begins no name. */
  takeName(): string[] | undefined {
    const parts: string[] = [];
    do {
      const { kind, name } = this.next();
      if (kind === 'other' || kind === 'end') return undefined;
      parts.push(name);
    } while (this.takes('.'));
    return parts;
  }

  /** Reads names in parentheses. Undefined if the parentheses contain anything else. */
  takeNames(): string[] | undefined {
    const names: string[] = [];
    if (!this.takes('(')) return undefined;
    do {
      const { kind, name } = this.next();
      if (kind === 'other' || kind === 'end' || names.length === NAMES_MAX) return undefined;
      names.push(name);
    } while (this.takes(','));
    return this.takes(')') ? names : undefined;
  }
}

/** No database permits more columns. */
const NAMES_MAX = 32_767;

/** Thrown while the head of a statement is read, which then begins again with more of the dump in memory. */
export class NeedsMore extends Error {}
