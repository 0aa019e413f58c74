import { invalidFile } from '../table.ts';
import type { StyleName } from './bytes.ts';
import { indexFrom, LOOKBEHIND, MORE, notRead, type Script } from './script.ts';

/** A part of a dump in which semicolons do not end the statement: a text, a quoted name or a comment. */
export interface Span {
  /** Length of its opening sign. */
  readonly open: number;
  /** Sign that ends it. A doubled quote does not end it. */
  readonly closing: string;
  /** Kind of escapes in its content. */
  readonly style: StyleName;
  /** Whether backslashes are escapes, so that a quote after one does not end it. */
  readonly hasEscapes: boolean;
  /** The dump does not show whether backslashes in it are escapes. */
  readonly isUnsure: boolean;
  /** Whether its content is bytes without an encoding, as in MySQL's `_binary '…'`. */
  readonly holdsBytes: boolean;
  /** Number of comments that are open at `resumed`: in some systems, comments may contain comments. */
  depth: number;
  /** Index at which the search for its end continues when more of the dump is in memory. */
  resumed: number;
}

const DOLLAR_TAG = /\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*)?\$/y;
const IN_WORD = /[\w$\x80-\xff]/;
const EXTENDED = /(?:^|[^\w$\x80-\xff])E$/i;
const UNICODE = /(?:^|\W)U&$/i;
const BINARY = /_binary\s?$/i;

/** Returns the text, name or comment that begins at `pos`. Executable comments of MySQL are code, and not returned. */
export function spanAt(script: Script, pos: number): Span | undefined {
  const { text, session } = script;
  const { dialect } = session;
  const sign = text.charAt(pos);
  switch (sign) {
    case "'":
      return textAt(script, pos);
    case '"':
      return dialect.hasDoubleQuotedTexts && !session.hasAnsiQuotes && session.hasEscapes !== false
        ? span('"', 1, { style: 'mysql', isUnsure: session.hasEscapes === undefined })
        : span('"', 1);
    case '`':
      return span('`', 1);
    case '[':
      return dialect.hasBracketNames ? span(']', 1) : undefined;
    case '-': {
      const isComment =
        text.startsWith('--', pos) && (!dialect.hasMysqlComments || !(text.charCodeAt(pos + 2) > 0x20));
      return isComment ? span('\n', 2) : undefined;
    }
    case '#':
      return dialect.hasMysqlComments ? span('\n', 1) : undefined;
    case '/':
      return text[pos + 1] === '*' && executableAt(script, pos) === 0 ? span('*/', 2) : undefined;
    case '$': {
      const isTag = dialect.hasPostgresTexts && !IN_WORD.test(text.charAt(pos - 1));
      const tag = isTag ? script.matches(DOLLAR_TAG, pos) : undefined;
      return tag === undefined ? undefined : span(tag, tag.length);
    }
    default:
      return undefined;
  }
}

function textAt({ text, session }: Script, pos: number): Span {
  const before = text.slice(Math.max(0, pos - LOOKBEHIND), pos);
  if (session.dialect.hasPostgresTexts) {
    if (UNICODE.test(before)) return span("'", 1, { style: 'unicode', hasEscapes: false });
    if (EXTENDED.test(before)) return span("'", 1, { style: 'extended' });
  }
  if (session.hasEscapes === false) return span("'", 1);
  return span("'", 1, {
    style: session.dialect.name === 'mysql' ? 'mysql' : 'extended',
    isUnsure: session.hasEscapes === undefined,
    holdsBytes: BINARY.test(before),
  });
}

const span = (
  closing: string,
  open: number,
  {
    style = 'plain',
    hasEscapes = style !== 'plain',
    isUnsure = false,
    holdsBytes = false,
  }: Partial<Pick<Span, 'style' | 'hasEscapes' | 'isUnsure' | 'holdsBytes'>> = {},
): Span => ({ open, closing, style, hasEscapes, isUnsure, holdsBytes, depth: 1, resumed: 0 });

/** Returns a span for the rest of a line, without its line break. In rows of COPY, a backslash escapes a line break. */
export const restOfLine = (style: 'plain' | 'copy'): Span => span('\n', 0, { style, holdsBytes: true });

const EXECUTABLE = /\/\*M?!(\d{0,6})/y;
/**
 * Maximum version in an executable comment of MySQL. No server executes a comment with a higher one: `/*!999999\- …
 * *\/`.
 */
const VERSION_MAX = 200_000;

/** Returns the index of the code in an executable comment of MySQL. 0 for other comments. */
export function executableAt(script: Script, pos: number): number {
  const found = script.session.dialect.hasMysqlComments && script.matches(EXECUTABLE, pos);
  return !found || Number(found.replace(/\D+/, '')) > VERSION_MAX ? 0 : pos + found.length;
}

/**
 * Returns the index after a span. The line break after a comment or row is not part of the span, because a statement
 * may end there.
 * @param from where the search begins: after the opening sign, or at `resumed`
 * @throws FileProblem if a backslash may or may not be an escape; MORE if the end is not in memory
 */
export function spanEnd(script: Script, open: Span, from: number): number {
  const { text } = script;
  const { closing } = open;
  if (closing === '*/') return commentEnd(script, open, from);
  let found = -1;
  for (let pos = from; ; ) {
    if (found < pos) found = indexFrom(text, closing, pos);
    const backslash = open.hasEscapes ? script.backslashFrom(pos) : Number.POSITIVE_INFINITY;
    if (backslash < Math.min(found, text.length)) {
      if (open.isUnsure) throw unsureBackslash(script, backslash);
      if (!open.holdsBytes) script.checkEscape(backslash);
      if (backslash + 1 < text.length) {
        pos = backslash + 2;
        continue;
      }
      throw resumedAt(open, backslash);
    }
    if (found === Number.POSITIVE_INFINITY) {
      // The last comment of a dump may end with the file instead of a line break.
      if (script.isEnd && closing === '\n') return text.length;
      throw resumedAt(open, Math.max(pos, text.length - closing.length + 1));
    }
    if (closing === '\n') return found;
    if (closing.length > 1) return found + closing.length;
    // The next character shows whether the quote is doubled.
    if (found + 1 === text.length && !script.isEnd) throw resumedAt(open, found);
    if (text[found + 1] !== closing) return found + 1;
    pos = found + 2;
  }
}

function resumedAt(open: Span, pos: number): typeof MORE {
  open.resumed = pos;
  return MORE;
}

/** A backslash in a text is an escape in MySQL, and text in most other systems. */
const unsureBackslash = (script: Script, pos: number) =>
  invalidFile(
    `The text at line ${script.lineAt(pos)} has a backslash, and nothing before it shows whether backslashes are escapes. ` +
      'Name the system that wrote the dump: --sql-dialect postgres, mysql, mysql-no-backslash, sqlite or mssql.',
  );

const COMMENT_SIGN = /\/\*|\*\//g;

function commentEnd(script: Script, open: Span, from: number): number {
  const { text, session } = script;
  for (let pos = from; ; ) {
    COMMENT_SIGN.lastIndex = pos;
    const found = COMMENT_SIGN.exec(text);
    if (found === null) throw resumedAt(open, Math.max(pos, text.length - 1));
    pos = found.index + 2;
    if (found[0] === '*/') open.depth--;
    else if (session.dialect.hasNestedComments) open.depth++;
    // Only some systems nest comments, so the end of the outer comment is uncertain.
    else if (session.dialect.name === 'standard')
      throw script.unreadable(found.index, 'The comment within a comment');
    if (open.depth === 0) return pos;
  }
}

/** Skips white space and comments, and keeps the new position if more must be loaded afterwards. */
export function* passSpace(script: Script): Generator<void> {
  const next = yield* script.whole(() => skipSpace(script, script.pos));
  if (next === undefined) throw script.unreadable(script.pos, 'The text between rows');
  script.pos = next;
}

/** Skips a span of any length. */
export function* skipSpan(script: Script, open: Span): Generator<void> {
  script.pos += open.open;
  for (;;) {
    try {
      script.pos = spanEnd(script, open, script.pos);
      return;
    } catch (problem) {
      if (problem !== MORE) throw problem;
    }
    script.pos = open.resumed;
    yield* script.more();
  }
}

const SPACE = /\s*/y;

/** Returns the index after white space and comments. @throws MORE */
export function skipSpace(script: Script, from: number): number {
  const { text, session } = script;
  for (let pos = from; ; ) {
    pos += script.matches(SPACE, pos)?.length ?? 0;
    script.look(pos);
    const sign = text[pos];
    const executable = sign === '/' ? executableAt(script, pos) : 0;
    if (executable > 0) pos = executable;
    else if (sign === '*' && text[pos + 1] === '/' && session.dialect.hasMysqlComments) pos += 2;
    else if (sign !== '-' && sign !== '/' && sign !== '#') return pos;
    else {
      const comment = spanAt(script, pos);
      if (comment === undefined) return pos;
      pos = spanEnd(script, comment, pos + comment.open);
    }
  }
}

const GO = /[ \t]*GO[ \t]*\r?(?:\n|$)/iy;
const NEXT_STATEMENT = /[ \t]*(?:INSERT[ \t[]|CREATE[ \t])/iy;
/** First words of statements at the beginning of a line in scripts of SQL Server, where semicolons are optional. */
const NEXT_IN_BATCH =
  /[ \t]*(?:ALTER|BEGIN|BULK|COMMIT|CREATE|DBCC|DECLARE|DELETE|DENY|DROP|END|EXEC|EXECUTE|GRANT|IF|INSERT|MERGE|PRINT|REVOKE|ROLLBACK|SET|TRUNCATE|UPDATE|USE|WHILE)\b/iy;

/** Returns whether a statement without a semicolon ends before the line at `pos`. A routine ends before GO only. */
export function beginsStatement(script: Script, pos: number, isRoutine = false): boolean {
  const { dialect, delimiter } = script.session;
  if (delimiter !== ';' || !(dialect.hasGoLines || dialect.name === 'standard')) return false;
  if (script.matches(GO, pos) !== undefined) return true;
  const next = dialect.hasGoLines ? NEXT_IN_BATCH : NEXT_STATEMENT;
  return !isRoutine && script.matches(next, pos) !== undefined;
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
  /** Number of parentheses around it that are open since the beginning of the statement. */
  depth: number;
  /** Whether only blanks and comments are before it on its line. */
  beginsLine: boolean;
}

const WORD = /[A-Za-z_@#\x80-\xff][\w$@#\x80-\xff]*/y;
const NUMBER = /[0-9][\w.]*/y;

/** Returns the next token. @throws MORE */
function tokenAt(script: Script): Token {
  const { text, session } = script;
  const start = skipSpace(script, script.pos);
  const beginsLine = text.slice(script.pos, start).includes('\n');
  const token = (kind: Token['kind'], end: number, itsText = '', name = ''): Token => ({
    kind,
    text: itsText,
    name,
    start,
    end,
    depth: 0,
    beginsLine,
  });
  if (start >= text.length) return token('end', start);
  const { delimiter } = session;
  if (text.startsWith(delimiter, start)) return token('end', start + delimiter.length, ';');
  // Statements that are read as tokens have no arrays, so brackets are names there in any dialect.
  const quoted = spanAt(script, start) ?? (text[start] === '[' ? span(']', 1) : undefined);
  if (quoted !== undefined) {
    const end = spanEnd(script, quoted, start + quoted.open);
    if (quoted.open > 1) return token('other', end);
    const content = text.slice(start + 1, end - 1).replaceAll(quoted.closing.repeat(2), quoted.closing);
    return token(quoted.closing === "'" ? 'string' : 'name', end, '', utf8(content));
  }
  const word = script.matches(WORD, start);
  const found = word ?? script.matches(NUMBER, start) ?? text.charAt(start);
  if (start + found.length === text.length && !script.isEnd) throw MORE;
  // A delimiter such as `$$` may directly follow a word.
  const cut = delimiter === ';' ? -1 : found.indexOf(delimiter);
  const part = cut > 0 ? found.slice(0, cut) : found;
  const end = start + part.length;
  if (word === undefined) return token('other', end, part);
  const name = utf8(part);
  return name === part ? token('word', end, part.toUpperCase(), name) : token('name', end, '', name);
}

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();

/** Maximum size of a token. In PostgreSQL, the body of a function is a single token. */
const TOKEN_MAX_BYTES = 32 * 1024 * 1024;

/** Reads the next token. */
export function* takeToken(script: Script): Generator<void, Token> {
  const token = yield* script.whole(() => tokenAt(script), TOKEN_MAX_BYTES);
  if (token === undefined) throw notRead(script.lineAt(script.pos), 'The long statement');
  script.pos = token.end;
  return token;
}
