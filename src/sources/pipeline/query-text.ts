import { type FileProblem, invalidFile } from '../containers/table.ts';
import { shownName } from '../fields/shown-name.ts';

/** A checked query over the tables of an export. */
export interface Query {
  sql: string;
  /** Everything in the query that may be the name of a table, in lower case. */
  names: ReadonlySet<string>;
  /** Tokens without blanks and comments. All but text literals are in lower case, and names have no quotes. */
  tokens: readonly string[];
}

const TOKENS =
  /--[^\n]*|\/\*.*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[\p{L}_][\p{L}\p{N}_$]*|\.?\d[\w.]*|->>|->|\|\||[<>=!]=|<>|\s+|./gsu;
const BLANK = /^(?:\s|--|\/\*)/;
const QUOTED = /^["`[]/;

/**
 * Checks that a query is one SELECT, and replaces table names with a schema (`auth.users`) by the names in the work
 * database.
 * @throws {FileProblem}
 */
export function parseQuery(text: string, tables: readonly { name: string; fullName: string }[]): Query {
  const tokens: string[] = text.match(TOKENS) ?? [];
  while (tokens.length > 0 && (BLANK.test(tokens.at(-1) ?? '') || tokens.at(-1) === ';')) tokens.pop();
  const begin = tokens.find((token) => !BLANK.test(token))?.toLowerCase();
  if ((begin !== 'select' && begin !== 'with') || tokens.includes(';'))
    throw problem('expected one SELECT, which may begin with WITH.');
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

/** Type in which SQLite stores all values of a column. */
export type ColumnKind = 'number' | 'text';

interface Columns {
  name: string;
  /** Kind of each column that has values, by its name in lower case. */
  kinds: ReadonlyMap<string, ColumnKind>;
  /** Names, in lower case, of the columns of true and false, which are 1 and 0 in the database. */
  booleans: ReadonlySet<string>;
}

/** What is known from the text of an expression about the values that it may return. */
interface Operand {
  kinds: readonly ColumnKind[];
  /** Names, for messages, of the columns whose values the expression may return. */
  columns?: readonly string[];
  /** Columns of true and false in the expression. */
  booleans?: readonly string[];
  /** Literals in the expression that are words for true or false: `'t'`. */
  words?: readonly string[];
  /** The expression is a column. SQLite compares a column of numbers with a quoted integer as with a number. */
  isColumn?: boolean;
  isInteger?: boolean;
  /** Several expressions in parentheses. */
  isRow?: boolean;
}

/** Precedence of the operators that follow an expression. The higher, the more strongly an operator binds. */
const BINDINGS = new Map(
  [
    ['or'],
    ['and'],
    // `not` before an expression has this precedence (`NOT_BINDS`).
    [],
    ['=', '==', '<>', '!=', 'is', 'in', 'between', 'like', 'glob', 'regexp', 'isnull', 'notnull', 'null'],
    ['<', '>', '<=', '>='],
    ['+', '-'],
    ['*', '/', '%'],
    ['||', '->', '->>'],
    ['collate'],
  ].flatMap((names, at) => names.map((name) => [name, at + 1] as const)),
);
const NOT_BINDS = 3;
const PATTERNS = new Set(['like', 'glob', 'regexp']);
/** Operators that `not` may precede: `not in`, `not null`. */
const NEGATED = new Set([...PATTERNS, 'in', 'between', 'null']);
const SIGNS = new Set(['+', '-', '~']);
/** Words and signs that separate expressions. Other keywords count as names of unknown columns, which have no kind. */
const BETWEEN_EXPRESSIONS = new Set(
  'select distinct all where on having by when then else from join as with limit , ;'.split(' '),
);
/** Functions that look for a text in another one. */
const SEARCHES = /^(?:instr|replace|like|glob|regexp|trim|ltrim|rtrim)$/;
const TRUE_OR_FALSE = /^'(?:t|f|true|false)'$/i;
const NUMBER_FUNCTIONS =
  /^(?:count|length|instr|sum|total|avg|abs|round|sign|unixepoch|julianday|json_array_length|unicode|exists)$/;
const TEXT_FUNCTIONS =
  /^(?:lower|upper|trim|ltrim|rtrim|replace|substr|substring|hex|printf|format|date|time|datetime|strftime|group_concat)$/;
const UNKNOWN: Operand = { kinds: [] };
const NUMBER: Operand = { kinds: ['number'] };
const TEXT: Operand = { kinds: ['text'] };

/** Number of readings of a query. An `as` name may be used before its definition; each reading resolves one level. */
const PASSES = 3;

/**
 * Refuses comparisons of numbers with text. SQLite reports no error, but they are false for all rows (`<>` is true), so
 * a condition that should leave out banned users would have no effect.
 * @throws {FileProblem}
 */
export function checkComparisons(tokens: readonly string[], tables: readonly Columns[]): void {
  const scope = new Scope(tokens, tables);
  for (let pass = 0; pass < PASSES; pass += 1) checkExpressions(tokens, scope);
}

class Scope {
  readonly tables: readonly Columns[];
  readonly #aliases = new Map<string, Columns[]>();
  /** Expressions by the names that `as` gives them, in the whole query including its subqueries. */
  readonly #named = new Map<string, Operand>();

  constructor(tokens: readonly string[], tables: readonly Columns[]) {
    this.tables = tables;
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

  nameExpression(name: string, operand: Operand): void {
    const known = this.#named.get(name);
    this.#named.set(name, known === undefined ? operand : anyOf([known, operand]));
  }

  /** Returns the columns of this name. If the qualifier is no table or alias of the query, all tables are searched. */
  column(name: string, qualifier?: string): Operand {
    const tables = (qualifier !== undefined && this.#aliases.get(qualifier)) || this.tables;
    const found = [...new Set(tables)].flatMap((table) => {
      const kind = table.kinds.get(name);
      return kind === undefined ? [] : [{ kind, shown: shownName(`${table.name}.${name}`) }];
    });
    const column: Operand = {
      kinds: found.map(({ kind }) => kind),
      columns: found.map(({ shown }) => shown),
      booleans: this.tables.some(({ booleans }) => booleans.has(name)) ? [name] : [],
      isColumn: true,
    };
    const named = qualifier !== undefined && this.#aliases.has(qualifier) ? undefined : this.#named.get(name);
    if (named === undefined) return column;
    return found.length === 0 ? named : anyOf([column, named]);
  }
}

/** Reads the expressions of a query, by the precedence of the operators, and checks each comparison. */
function checkExpressions(tokens: readonly string[], scope: Scope): void {
  let place = 0;

  const peek = (ahead = 0): string => tokens[place + ahead] ?? '';

  function next(): string {
    place += 1;
    return tokens[place - 1] ?? '';
  }

  const shownFrom = (start: number): string => tokens.slice(start, place).join(' ');

  /** Reads up to a closing parenthesis. Returns the first columns of all SELECTs as one, or else all expressions. */
  function readUntilClosed(): Operand[] {
    const all: Operand[] = [];
    const selected: Operand[] = [];
    let isFirst = false;
    while (place < tokens.length && peek() !== ')') {
      const token = peek();
      if (token === 'except' || token === 'intersect')
        throw problem(`${token} takes 1 and '1' for different values: write [not] in (select …).`);
      if (token === 'natural')
        for (const { kinds } of scope.tables) for (const name of kinds.keys()) checkShared(name);
      if (token === 'using')
        for (let at = 2; peek(at) !== ')' && peek(at) !== ''; at += 1) checkShared(peek(at));
      if (BETWEEN_EXPRESSIONS.has(token)) {
        isFirst = token === 'select' || (isFirst && token === 'distinct');
        place += 1;
        continue;
      }
      const operand = expression();
      all.push(operand);
      if (isFirst) selected.push(operand);
      isFirst = false;
      const name = peek(1);
      if (peek() === 'as' && /^\w/.test(name)) {
        scope.nameExpression(name, operand);
        place += 2;
      }
    }
    if (selected.length === 0) return all;
    return selected.length === 1 ? selected : [anyOf(selected)];
  }

  /** Reads up to and including the closing parenthesis. The opening one has been read. */
  function readParenthesis(): Operand[] {
    const found = readUntilClosed();
    place += 1;
    return found;
  }

  function expression(binds = 0): Operand {
    const start = place;
    let left = operandAt();
    for (;;) {
      const isNegated = peek() === 'not' && NEGATED.has(peek(1));
      const operator = peek(isNegated ? 1 : 0);
      const binding = BINDINGS.get(operator) ?? 0;
      if (binding <= binds) return left;
      place += isNegated ? 2 : 1;
      left = applied(operator, binding, left, start);
    }
  }

  /** Reads the right side of an operator, checks a comparison, and returns the operand that both sides make. */
  function applied(operator: string, binding: number, left: Operand, start: number): Operand {
    if (['isnull', 'notnull', 'null'].includes(operator)) return NUMBER;
    if (operator === 'collate') {
      place += 1;
      return left;
    }
    if (operator === 'in') {
      if (next() === '(') for (const one of readParenthesis()) compare(left, one, start);
      return NUMBER;
    }
    if (operator === 'is' && peek() === 'not') place += 1;
    if (operator === 'is' && peek() === 'distinct') place += 2;
    const right = expression(binding);
    if (PATTERNS.has(operator)) {
      checkWords(left, right, shownFrom(start));
      if (peek() === 'escape') place += 2;
      return NUMBER;
    }
    if (operator === 'and' || operator === 'or') return NUMBER;
    if (binding > (BINDINGS.get('<') ?? 0)) {
      const kind = operator === '->>' ? UNKNOWN : operator === '||' || operator === '->' ? TEXT : NUMBER;
      return madeOf([left, right], kind);
    }
    compare(left, right, start);
    if (operator === 'between' && peek() === 'and') {
      place += 1;
      compare(left, expression(binding), start);
    }
    return NUMBER;
  }

  function operandAt(): Operand {
    const start = place;
    const token = next();
    if (SIGNS.has(token)) return madeOf([operandAt()], NUMBER);
    // SQLite takes every word for false, so `not banned` would be true for all rows of a text column.
    if (token === 'not') return tested(expression(NOT_BINDS), start);
    if (token === 'case') return caseOf();
    if (token === '(') {
      const found = readParenthesis();
      const [one = UNKNOWN] = found;
      return found.length === 1 ? one : { ...anyOf(found), isRow: true };
    }
    if (peek() === '.') {
      let qualifier = token;
      while (peek() === '.' && peek(2) === '.') {
        place += 1;
        qualifier = next();
      }
      place += 1;
      return scope.column(next(), qualifier);
    }
    return peek() === '(' ? call(token, start) : single(token);
  }

  function single(token: string): Operand {
    if (/^\.?\d/.test(token) || token === 'true' || token === 'false') return NUMBER;
    // A comparison of numbers with '' is permitted, because its result is right: no number is empty.
    if (token === "''" || token === 'null') return UNKNOWN;
    if (!token.startsWith("'")) return scope.column(token);
    const isInteger = /^'(?:0|-?[1-9]\d{0,14})'$/.test(token);
    return { ...TEXT, isInteger, words: TRUE_OR_FALSE.test(token) ? [token] : [] };
  }

  function call(name: string, start: number): Operand {
    place += 1;
    if (name === 'cast') {
      const value = expression();
      const isText = /^(?:text|varchar|char)/.test(peek(1));
      readParenthesis();
      return madeOf([value], isText ? TEXT : NUMBER);
    }
    const values = readParenthesis();
    const [first = UNKNOWN, second = UNKNOWN, ...others] = values;
    // `instr(banned, 't')` would be 0 for all rows, because true is stored as 1. `nullif(x, 1)` compares x with 1.
    if (SEARCHES.test(name)) checkWords(anyOf(values), anyOf(values), shownFrom(start));
    if (name === 'nullif') compare(first, second, start);
    if (name === 'iif') tested(first, start);
    while (/^(?:over|filter)$/.test(peek())) {
      place += 2;
      if (peek(-1) === '(') readParenthesis();
    }
    if (NUMBER_FUNCTIONS.test(name)) return NUMBER;
    if (TEXT_FUNCTIONS.test(name)) return madeOf(values, TEXT);
    if (name === 'iif') return anyOf([second, ...others]);
    if (name === 'nullif') return anyOf([first]);
    return name.startsWith('json') ? madeOf(values, UNKNOWN) : anyOf(values);
  }

  /** Reads `case … end` after `case`. `case x when 1` compares x with 1; in `case when x`, x is a condition. */
  function caseOf(): Operand {
    const start = place - 1;
    const base = peek() === 'when' ? undefined : expression();
    const results: Operand[] = [];
    while (/^(?:when|then|else)$/.test(peek())) {
      const isWhen = next() === 'when';
      const [at, value] = [place - 1, expression()];
      if (!isWhen) results.push(value);
      else if (base === undefined) tested(value, at);
      else compare(base, value, start);
    }
    place += 1;
    return anyOf(results);
  }

  function tested(value: Operand, start: number): Operand {
    if (value.kinds.includes('text') && value.columns?.length) throw mixed([value], shownFrom(start));
    return NUMBER;
  }

  function compare(left: Operand, right: Operand, start: number): void {
    const shown = shownFrom(start);
    if (left.isRow)
      throw problem(`"${shown}": compare columns one by one, so that their kinds can be checked.`);
    checkWords(left, right, shown);
    const isRead = (column: Operand, literal: Operand) =>
      column.isColumn && new Set(column.kinds).size === 1 && literal.isInteger;
    if (left.kinds.length === 0 || right.kinds.length === 0) return;
    if (new Set([...left.kinds, ...right.kinds]).size < 2 || isRead(left, right) || isRead(right, left))
      return;
    throw mixed([left, right], shown);
  }

  /** Checks a column of `using` or `natural`. It joins tables, so it must be of the same kind in all of them. */
  function checkShared(name: string): void {
    const shared = scope.column(name);
    if (new Set(shared.kinds).size > 1) throw mixed([shared], `using (${name})`);
  }

  while (place < tokens.length) {
    readUntilClosed();
    place += 1;
  }
}

/** Returns the operand of an expression that returns the value of one of several others. */
const anyOf = (values: readonly Operand[]): Operand => ({
  ...madeOf(values, { kinds: values.flatMap(({ kinds }) => kinds) }),
  columns: values.flatMap(({ columns = [] }) => columns),
});

/** Returns the operand of an expression that is computed from several others. */
const madeOf = (values: readonly Operand[], { kinds }: Operand): Operand => ({
  kinds,
  booleans: values.flatMap(({ booleans = [] }) => booleans),
  words: values.flatMap(({ words = [] }) => words),
});

/** Refuses to compare a column of true and false with `'t'`. It holds 1 and 0, so `<> 't'` would be true for all. */
function checkWords(left: Operand, right: Operand, shown: string): void {
  for (const [{ booleans: [column] = [] }, { words: [word] = [] }] of [
    [left, right],
    [right, left],
  ] as const)
    if (column !== undefined && word !== undefined)
      throw problem(
        `"${shown}": true and false are 1 and 0 in ${shownName(column)}, so compare it with these, and not with ${word}.`,
      );
}

function mixed(operands: readonly Operand[], shown: string): FileProblem {
  const columns = [...new Set(operands.flatMap((one) => one.columns ?? []))];
  const kinds = columns.length === 0 ? '' : ` Columns: ${columns.join(', ')}.`;
  return problem(
    `"${shown}" compares numbers with text, which never are equal.${kinds} Columns that have only integers or booleans are numbers (write 1, not '1'; true is 1), all others are text (write '1'). Or write cast(… as text) or cast(… as integer).`,
  );
}

const problem = (text: string) => invalidFile(`--query: ${text}`);
