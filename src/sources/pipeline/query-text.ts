import { FileProblem } from '../containers/table.ts';
import { shownName } from '../fields/shown-name.ts';

/** A checked query over the tables of an export. */
export interface Query {
  sql: string;
  /** Everything in the query that may be the name of a table, in lower case. */
  names: ReadonlySet<string>;
  /** Words, literals and operators without blanks and comments. Names without quotes, and words, are in lower case. */
  tokens: readonly string[];
}

const TOKENS =
  /--[^\n]*|\/\*.*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[\p{L}_][\p{L}\p{N}_$]*|\.?\d[\w.]*|->>|->|\|\||[<>=!]=|<>|\s+|./gsu;
const BLANK = /^(?:\s|--|\/\*)/;
const QUOTED = /^["`[]/;

/**
 * Checks that a query is one SELECT, and writes tables that are named with their schema (`auth.users`) as the work
 * database names them.
 * @throws {FileProblem}
 */
export function parseQuery(text: string, tables: readonly { name: string; fullName: string }[]): Query {
  const tokens: string[] = text.match(TOKENS) ?? [];
  while (tokens.length > 0 && (BLANK.test(tokens.at(-1) ?? '') || tokens.at(-1) === ';')) tokens.pop();
  const begin = tokens.find((token) => !BLANK.test(token))?.toLowerCase();
  if ((begin !== 'select' && begin !== 'with') || tokens.includes(';'))
    throw new FileProblem('FILE_INVALID', '--query: expected one SELECT, which may begin with WITH.');
  const byFullName = new Map(tables.map(({ name, fullName }) => [fullName.toLowerCase(), name]));
  const parts: string[] = [];
  const names = new Set<string>();
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    const [dot, next = ''] = tokens.slice(at + 1, at + 3);
    const table = dot === '.' ? byFullName.get(`${bare(token)}.${bare(next)}`) : undefined;
    if (table !== undefined) {
      parts.push(`"${table.replaceAll('"', '""')}"`);
      names.add(table.toLowerCase());
      at += 2;
      continue;
    }
    parts.push(token);
    names.add(bare(token));
  }
  const words = parts.filter((token) => !BLANK.test(token));
  return {
    sql: parts.join(''),
    names,
    tokens: words.map((token) => (token.startsWith("'") ? token : bare(token))),
  };
}

const bare = (token: string): string =>
  (QUOTED.test(token) ? token.slice(1, -1).replaceAll('""', '"') : token).toLowerCase();

/** What the engine stores for all values of a column. */
export type ColumnKind = 'number' | 'text';

interface Columns {
  name: string;
  /** Kinds by names in lower case. Columns without values have none. */
  kinds: ReadonlyMap<string, ColumnKind>;
  /** Names in lower case of the columns of true and false, which are 1 and 0. */
  booleans: ReadonlySet<string>;
}

/** What an expression may return, as far as its text shows. */
interface Operand {
  kinds: ReadonlySet<ColumnKind>;
  /** Columns whose values it may return, as messages name them. */
  columns: readonly string[];
  /** A column alone: the engine reads an integer in quotes as a number when it compares it with a column of numbers. */
  isColumn?: boolean;
  isInteger?: boolean;
}

const COMPARES = new Set(['=', '==', '<>', '!=', '<', '>', '<=', '>=', 'is', 'in', 'between']);
const BINDS = new Set(['+', '-', '*', '/', '%', '||', '->', '->>']);
const LOGIC = new Set([
  ...COMPARES,
  'and',
  'or',
  'not',
  'like',
  'glob',
  'regexp',
  'exists',
  'isnull',
  'notnull',
]);
const PATTERNS = new Set(['like', 'glob', 'regexp']);
/** Functions that look for a text in another one. */
const SEARCHES = /^(?:instr|replace|like|glob|regexp|trim|ltrim|rtrim)$/;
const TRUE_OR_FALSE = /^'(?:t|f|true|false)'$/i;
const BEFORE_OPERAND =
  /^(?:select|distinct|all|where|on|having|and|or|not|when|then|else|by|case|in|is|between|from|join|as|with|limit)$/;
const NUMBER_FUNCTIONS =
  /^(?:count|length|instr|sum|total|avg|abs|round|sign|unixepoch|julianday|json_array_length|unicode)$/;
const TEXT_FUNCTIONS =
  /^(?:lower|upper|trim|ltrim|rtrim|replace|substr|substring|hex|printf|format|date|time|datetime|strftime|group_concat)$/;
const UNKNOWN: Operand = { kinds: new Set(), columns: [] };
const NUMBER: Operand = { kinds: new Set(['number']), columns: [] };
const TEXT: Operand = { kinds: new Set(['text']), columns: [] };

/**
 * Refuses comparisons of numbers with text. They are false for all rows (and `<>` is true for all), and the engine
 * does not say so.
 * @throws {FileProblem}
 */
export function checkComparisons(tokens: readonly string[], tables: readonly Columns[]): void {
  const scope = new Scope(tokens, tables);
  scope.readNames(tokens);
  for (const [at, token] of tokens.entries()) {
    if (token === 'except' || token === 'intersect')
      throw problem(`${token} takes 1 and '1' for different values: write [not] in (select …).`);
    if (token === 'using' && tokens[at + 1] === '(')
      for (const name of tokens.slice(at + 2, closing(tokens, at + 1))) scope.checkShared(name);
    if (token === 'natural')
      for (const { kinds } of tables) for (const name of kinds.keys()) scope.checkShared(name);
    if (token === 'not') checkTruth(scope, tokens, at + 1);
    if (token === 'case') checkCase(scope, tokens, at);
    if (token === 'nullif') checkNullIf(scope, tokens, at);
    if (token === 'iif') checkTruth(scope, tokens, at + 2);
    if (COMPARES.has(token) || PATTERNS.has(token)) checkComparison(scope, tokens, at);
    if (SEARCHES.test(token) && tokens[at + 1] === '(') checkSearch(scope, tokens, at);
  }
}

class Scope {
  readonly #tables: readonly Columns[];
  readonly #aliases = new Map<string, Columns[]>();
  /** Expressions by the names that "as" gives them, also in a subquery. */
  readonly #named = new Map<string, Operand>();
  /** Names of columns of true and false, and of expressions that have one. */
  readonly #booleans: Set<string>;

  constructor(tokens: readonly string[], tables: readonly Columns[]) {
    this.#tables = tables;
    this.#booleans = new Set(tables.flatMap(({ booleans }) => [...booleans]));
    for (const table of tables) {
      const name = table.name.toLowerCase();
      for (const [at, token] of tokens.entries()) {
        if (token !== name) continue;
        const alias = tokens[at + 1] === 'as' ? tokens[at + 2] : tokens[at + 1];
        for (const known of [name, alias ?? name])
          this.#aliases.set(known, [...(this.#aliases.get(known) ?? []), table]);
      }
    }
  }

  /** Reads what "as" names. A name may stand for an expression with a name that comes later, hence the second pass. */
  readNames(tokens: readonly string[]): void {
    for (const pass of [tokens, tokens])
      for (const [at, token] of pass.entries()) {
        const name = tokens[at + 1] ?? '';
        if (token !== 'as' || !/^\w/.test(name)) continue;
        const expression = tokens.slice(operandStart(tokens, at - 1), at);
        if (this.booleanIn(expression) !== undefined) this.#booleans.add(name);
        const operand = operandOf(this, expression);
        const known = this.#named.get(name);
        this.#named.set(name, known === undefined ? operand : anyOf([known, operand]));
      }
  }

  /** Columns of this name, in all tables if the qualifier is none of a table. */
  column(name: string, qualifier?: string): Operand {
    const tables = (qualifier !== undefined && this.#aliases.get(qualifier)) || this.#tables;
    const found = [...new Set(tables)].flatMap((table) => {
      const kind = table.kinds.get(name);
      return kind === undefined ? [] : [{ kind, shown: shownName(`${table.name}.${name}`) }];
    });
    const column: Operand = {
      kinds: new Set(found.map(({ kind }) => kind)),
      columns: found.map(({ shown }) => shown),
      isColumn: true,
    };
    const named = qualifier !== undefined && this.#aliases.has(qualifier) ? undefined : this.#named.get(name);
    if (named === undefined) return column;
    return found.length === 0 ? named : anyOf([column, named]);
  }

  /** Name of a column of true and false in an expression. */
  booleanIn(tokens: readonly string[]): string | undefined {
    return tokens.find((token) => this.#booleans.has(token));
  }

  /** Tables are joined by columns of the same name, which must be of the same kind. */
  checkShared(name: string): void {
    const shared = this.column(name);
    if (shared.kinds.size > 1) throw mixed([shared], `using (${name})`);
  }
}

function checkComparison(scope: Scope, tokens: readonly string[], at: number): void {
  const operator = tokens[at];
  const isNot = tokens[at - 1] === 'not';
  const start = operandStart(tokens, isNot ? at - 2 : at - 1);
  const before = tokens.slice(start, isNot ? at - 1 : at);
  if (before[0] === '(' && before[1] !== 'select' && splitAt(before.slice(1, -1), ',').length > 1)
    throw problem(`"${before.join(' ')}": compare columns one by one, so that their kinds can be checked.`);
  let next = at + 1;
  if (operator === 'is' && tokens[next] === 'not') next += 1;
  if (tokens[next] === 'distinct') next += 2;
  const end = operandEnd(tokens, next);
  const shown = tokens.slice(start, end).join(' ');
  const operand = tokens.slice(next, end);
  if (operator === 'in') {
    const inner = operand.slice(1, -1);
    const list = inner[0] === 'select' ? [inner] : splitAt(inner, ',');
    for (const one of list) compare(scope, before, one, shown);
    return;
  }
  if (PATTERNS.has(operator ?? '')) {
    checkWords(scope, before, operand, shown);
    return;
  }
  compare(scope, before, operand, shown);
  if (operator === 'between' && tokens[end] === 'and')
    compare(scope, before, tokens.slice(end + 1, operandEnd(tokens, end + 1)), shown);
}

/** `instr(banned, 't')` is 0 for all rows. */
function checkSearch(scope: Scope, tokens: readonly string[], at: number): void {
  const end = closing(tokens, at + 1);
  const inner = tokens.slice(at + 2, end);
  checkWords(scope, inner, inner, tokens.slice(at, end + 1).join(' '));
}

/** `case x when 1` is a comparison, and `case when x` a test. */
function checkCase(scope: Scope, tokens: readonly string[], at: number): void {
  if (tokens[at + 1] === 'when') {
    for (const [word, value] of branches(tokens.slice(at + 1, closing(tokens, at))))
      if (word === 'when' && operandEnd(value, 0) === value.length) checkTruth(scope, value, 0);
    return;
  }
  const first = operandEnd(tokens, at + 1);
  const left = tokens.slice(at + 1, first);
  const inner = tokens.slice(first, closing(tokens, at));
  for (const [when, value] of branches(inner))
    if (when === 'when') compare(scope, left, value, `case … when ${value.join(' ')}`);
}

/** `nullif(x, 1)` is a comparison. */
function checkNullIf(scope: Scope, tokens: readonly string[], at: number): void {
  const end = closing(tokens, at + 1);
  const [left = [], right = []] = splitAt(tokens.slice(at + 2, end), ',');
  compare(scope, left, right, tokens.slice(at, end + 1).join(' '));
}

/** Words are false to the engine: `not banned` is true for all. */
function checkTruth(scope: Scope, tokens: readonly string[], at: number): void {
  const end = operandEnd(tokens, at);
  if (LOGIC.has(tokens[at] ?? '') || LOGIC_AFTER.test(tokens[end] ?? '')) return;
  const value = operandOf(scope, tokens.slice(at, end));
  if (value.kinds.has('text') && value.columns.length > 0)
    throw mixed([value], tokens.slice(Math.max(at - 1, 0), end).join(' '));
}

const LOGIC_AFTER = /^(?:[=<>!]=?|<>|is|in|between|like|glob|regexp|isnull|notnull|not)$/;

function compare(
  scope: Scope,
  leftTokens: readonly string[],
  rightTokens: readonly string[],
  shown: string,
): void {
  checkWords(scope, leftTokens, rightTokens, shown);
  const [left, right] = [operandOf(scope, leftTokens), operandOf(scope, rightTokens)];
  if (left.kinds.size === 0 || right.kinds.size === 0) return;
  if (new Set([...left.kinds, ...right.kinds]).size < 2) return;
  const isRead = (column: Operand, literal: Operand) =>
    column.isColumn === true && column.kinds.size === 1 && literal.isInteger === true;
  if (isRead(left, right) || isRead(right, left)) return;
  throw mixed([left, right], shown);
}

/** True and false are 1 and 0, also as text, so that no row has the word `t`, and `<> 't'` is true for all. */
function checkWords(scope: Scope, left: readonly string[], right: readonly string[], shown: string): void {
  const wordIn = (tokens: readonly string[]) => tokens.find((token) => TRUE_OR_FALSE.test(token));
  for (const [column, word] of [
    [scope.booleanIn(left), wordIn(right)],
    [scope.booleanIn(right), wordIn(left)],
  ])
    if (column !== undefined && word !== undefined)
      throw problem(
        `"${shown}": true and false are 1 and 0 in ${shownName(column)}, so compare it with these, and not with ${word}.`,
      );
}

/** Reads what an expression may return. */
function operandOf(scope: Scope, tokens: readonly string[]): Operand {
  if (tokens.at(-2) === 'collate') return operandOf(scope, tokens.slice(0, -2));
  const window = Math.max(indexAtTop(tokens, 'over'), indexAtTop(tokens, 'filter'));
  if (window > 0 && tokens[window + 1] === '(') return operandOf(scope, tokens.slice(0, window));
  const [first = '', second, third] = tokens;
  if (tokens.length === 1) return oneToken(scope, first);
  if (tokens.length === 3 && second === '.' && third !== undefined) return scope.column(third, first);
  if (first === 'select') return selected(scope, tokens);
  if (first === 'case' && closing(tokens, 0) === tokens.length - 1) {
    const start = second === 'when' ? 1 : operandEnd(tokens, 1);
    const values = branches(tokens.slice(start, -1)).filter(([word]) => word !== 'when');
    return anyOf(values.map(([, value]) => operandOf(scope, value)));
  }
  if (first === '(' && closing(tokens, 0) === tokens.length - 1) return operandOf(scope, tokens.slice(1, -1));
  if (second === '(' && closing(tokens, 1) === tokens.length - 1)
    return called(scope, first, tokens.slice(2, -1));
  const top = topLevel(tokens);
  if (top.some((token) => LOGIC.has(token))) return NUMBER;
  if (top.includes('->>')) return UNKNOWN;
  if (top.includes('||') || top.includes('->')) return TEXT;
  return top.some((token) => BINDS.has(token)) ? NUMBER : UNKNOWN;
}

function oneToken(scope: Scope, token: string): Operand {
  if (/^\.?\d/.test(token) || token === 'true' || token === 'false') return NUMBER;
  // No number is empty, so a comparison with '' says what it seems to say.
  if (token === "''" || token === 'null') return UNKNOWN;
  if (token.startsWith("'")) return { ...TEXT, isInteger: /^'(?:0|-?[1-9]\d{0,14})'$/.test(token) };
  return scope.column(token);
}

/** Reads the first column of a SELECT. */
function selected(scope: Scope, tokens: readonly string[]): Operand {
  const start = tokens[1] === 'distinct' || tokens[1] === 'all' ? 2 : 1;
  const ends = [',', 'as', 'from'].map((word) => indexAtTop(tokens, word)).filter((at) => at > 0);
  return operandOf(scope, tokens.slice(start, Math.min(...ends, tokens.length)));
}

function called(scope: Scope, name: string, inner: readonly string[]): Operand {
  if (name === 'cast')
    return /^(?:text|varchar|char)/.test(inner[indexAtTop(inner, 'as') + 1] ?? '') ? TEXT : NUMBER;
  if (name === 'exists' || name === 'not' || NUMBER_FUNCTIONS.test(name)) return NUMBER;
  if (TEXT_FUNCTIONS.test(name)) return TEXT;
  const values = splitAt(inner, ',');
  if (name === 'iif') return anyOf(values.slice(1).map((value) => operandOf(scope, value)));
  if (name === 'nullif') return anyOf(values.slice(0, 1).map((value) => operandOf(scope, value)));
  if (name.startsWith('json')) return UNKNOWN;
  return anyOf(values.map((value) => operandOf(scope, value)));
}

const anyOf = (values: readonly Operand[]): Operand => ({
  kinds: new Set(values.flatMap(({ kinds }) => [...kinds])),
  columns: values.flatMap(({ columns }) => columns),
});

/** The parts of a CASE behind its first operand: each `when`, `then` and `else` with its expression. */
function branches(tokens: readonly string[]): [string, readonly string[]][] {
  const found: [string, string[]][] = [];
  let depth = 0;
  for (const token of tokens) {
    if (depth === 0 && /^(?:when|then|else)$/.test(token)) found.push([token, []]);
    else found.at(-1)?.[1].push(token);
    depth += nesting(token);
  }
  return found;
}

const nesting = (token: string): number =>
  token === '(' || token === 'case' ? 1 : token === ')' || token === 'end' ? -1 : 0;

/** Index of the token that closes the parenthesis or CASE at an index. */
function closing(tokens: readonly string[], at: number): number {
  let depth = 0;
  for (let index = at; index < tokens.length; index += 1) {
    depth += nesting(tokens[index] ?? '');
    if (depth === 0) return index;
  }
  return tokens.length;
}

/** Index of the first token of the operand whose last token is at an index. */
function operandStart(tokens: readonly string[], last: number): number {
  if (tokens[last - 1] === 'collate') return operandStart(tokens, last - 2);
  let at = last;
  let depth = 0;
  for (; at >= 0; at -= 1) {
    depth -= nesting(tokens[at] ?? '');
    if (depth === 0) break;
  }
  const before = tokens[at - 1] ?? '';
  if (tokens[at] === '(' && /^(?:over|filter)$/.test(before)) return operandStart(tokens, at - 2);
  if (tokens[at] === '(' && /^\w+$/.test(before) && !BEFORE_OPERAND.test(before)) at -= 1;
  while (tokens[at - 1] === '.') at -= 2;
  return BINDS.has(tokens[at - 1] ?? '') ? operandStart(tokens, at - 2) : Math.max(at, 0);
}

/** Index behind the operand that begins at an index. */
function operandEnd(tokens: readonly string[], first: number): number {
  let at = first;
  while (/^[-+~]$/.test(tokens[at] ?? '')) at += 1;
  while (tokens[at + 1] === '.') at += 2;
  if (tokens[at + 1] === '(' && nesting(tokens[at] ?? '') === 0) at += 1;
  const end = closing(tokens, at) + 1;
  return BINDS.has(tokens[end] ?? '') ? operandEnd(tokens, end + 1) : Math.min(end, tokens.length);
}

function topLevel(tokens: readonly string[]): string[] {
  let depth = 0;
  return tokens.filter((token) => {
    const isTop = depth === 0;
    depth += nesting(token);
    return isTop;
  });
}

function indexAtTop(tokens: readonly string[], word: string): number {
  let depth = 0;
  return tokens.findIndex((token) => {
    if (depth === 0 && token === word) return true;
    depth += nesting(token);
    return false;
  });
}

function splitAt(tokens: readonly string[], separator: string): string[][] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (depth === 0 && token === separator) parts.push([]);
    else parts.at(-1)?.push(token);
    depth += nesting(token);
  }
  return parts;
}

function mixed(operands: readonly Operand[], shown: string): FileProblem {
  const columns = [...new Set(operands.flatMap((one) => one.columns))];
  const kinds = columns.length === 0 ? '' : ` Columns: ${columns.join(', ')}.`;
  return problem(
    `"${shown}" compares numbers with text, which never are equal.${kinds} Columns that have only integers or booleans are numbers (write 1, not '1'; true is 1), all others are text (write '1'). Or write cast(… as text) or cast(… as integer).`,
  );
}

const problem = (text: string) => new FileProblem('FILE_INVALID', `--query: ${text}`);
