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
  kinds: readonly ColumnKind[];
  /** Columns whose values it may return, as messages name them. */
  columns?: readonly string[];
  /** Columns of true and false that it is made of, and words for these: `'t'`. */
  booleans?: readonly string[];
  words?: readonly string[];
  /** A column alone: the engine reads an integer in quotes as a number when it compares it with a column of numbers. */
  isColumn?: boolean;
  isInteger?: boolean;
  /** Several expressions in parentheses. */
  isRow?: boolean;
}

/** Operators behind an expression, by how strongly they bind. */
const BINDINGS = new Map(
  [
    ['or'],
    ['and'],
    // Here binds `not` before an expression.
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
/** Operators that may have a `not` before them. */
const NEGATED = new Set([...PATTERNS, 'in', 'between', 'null']);
const SIGNS = new Set(['+', '-', '~']);
/** Words and signs between the expressions of a statement. Others are read as names of columns that do not exist. */
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

/** Names may stand for expressions with names that come later, so a query is read once for each level of them. */
const PASSES = 3;

/**
 * Refuses comparisons of numbers with text. They are false for all rows (and `<>` is true for all), and the engine
 * does not say so.
 * @throws {FileProblem}
 */
export function checkComparisons(tokens: readonly string[], tables: readonly Columns[]): void {
  const scope = new Scope(tokens, tables);
  for (let pass = 0; pass < PASSES; pass += 1) new Expressions(tokens, scope).readAll();
}

class Scope {
  readonly tables: readonly Columns[];
  readonly #aliases = new Map<string, Columns[]>();
  /** Expressions by the names that "as" gives them, also in a subquery. */
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

  /** Columns of this name, in all tables if the qualifier is none of a table. */
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
class Expressions {
  readonly #tokens: readonly string[];
  readonly #scope: Scope;
  #at = 0;

  constructor(tokens: readonly string[], scope: Scope) {
    this.#tokens = tokens;
    this.#scope = scope;
  }

  readAll(): void {
    while (this.#at < this.#tokens.length) {
      this.#readUntilClosed();
      this.#at += 1;
    }
  }

  #token(ahead = 0): string {
    return this.#tokens[this.#at + ahead] ?? '';
  }

  #next(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? '';
  }

  #shown(start: number): string {
    return this.#tokens.slice(start, this.#at).join(' ');
  }

  /** Reads up to a closing parenthesis. Returns the first columns of a SELECT, or else all expressions. */
  #readUntilClosed(): Operand[] {
    const all: Operand[] = [];
    const selected: Operand[] = [];
    let isFirst = false;
    while (this.#at < this.#tokens.length && this.#token() !== ')') {
      const token = this.#token();
      if (token === 'except' || token === 'intersect')
        throw problem(`${token} takes 1 and '1' for different values: write [not] in (select …).`);
      if (token === 'natural')
        for (const { kinds } of this.#scope.tables) for (const name of kinds.keys()) this.#checkShared(name);
      if (token === 'using')
        for (let at = 2; this.#token(at) !== ')' && this.#token(at) !== ''; at += 1)
          this.#checkShared(this.#token(at));
      if (BETWEEN_EXPRESSIONS.has(token)) {
        isFirst = token === 'select' || (isFirst && token === 'distinct');
        this.#at += 1;
        continue;
      }
      const operand = this.#expression();
      all.push(operand);
      if (isFirst) selected.push(operand);
      isFirst = false;
      const name = this.#token(1);
      if (this.#token() === 'as' && /^\w/.test(name)) {
        this.#scope.nameExpression(name, operand);
        this.#at += 2;
      }
    }
    if (selected.length === 0) return all;
    return selected.length === 1 ? selected : [anyOf(selected)];
  }

  /** Reads what is in parentheses, of which the first has been read. */
  #readParenthesis(): Operand[] {
    const found = this.#readUntilClosed();
    this.#at += 1;
    return found;
  }

  #expression(binds = 0): Operand {
    const start = this.#at;
    let left = this.#operand();
    for (;;) {
      const isNegated = this.#token() === 'not' && NEGATED.has(this.#token(1));
      const operator = this.#token(isNegated ? 1 : 0);
      const binding = BINDINGS.get(operator) ?? 0;
      if (binding <= binds) return left;
      this.#at += isNegated ? 2 : 1;
      left = this.#applied(operator, binding, left, start);
    }
  }

  /** Reads what follows an operator, and returns what the whole may return. */
  #applied(operator: string, binding: number, left: Operand, start: number): Operand {
    if (['isnull', 'notnull', 'null'].includes(operator)) return NUMBER;
    if (operator === 'collate') {
      this.#at += 1;
      return left;
    }
    if (operator === 'in') {
      if (this.#next() === '(') for (const one of this.#readParenthesis()) this.#compare(left, one, start);
      return NUMBER;
    }
    if (operator === 'is' && this.#token() === 'not') this.#at += 1;
    if (operator === 'is' && this.#token() === 'distinct') this.#at += 2;
    const right = this.#expression(binding);
    if (PATTERNS.has(operator)) {
      checkWords(left, right, this.#shown(start));
      if (this.#token() === 'escape') this.#at += 2;
      return NUMBER;
    }
    if (operator === 'and' || operator === 'or') return NUMBER;
    if (binding > (BINDINGS.get('<') ?? 0)) {
      const kind = operator === '->>' ? UNKNOWN : operator === '||' || operator === '->' ? TEXT : NUMBER;
      return madeOf([left, right], kind);
    }
    this.#compare(left, right, start);
    if (operator === 'between' && this.#token() === 'and') {
      this.#at += 1;
      this.#compare(left, this.#expression(binding), start);
    }
    return NUMBER;
  }

  #operand(): Operand {
    const start = this.#at;
    const token = this.#next();
    if (SIGNS.has(token)) return madeOf([this.#operand()], NUMBER);
    // Words are false to the engine: `not banned` is true for all.
    if (token === 'not') return this.#tested(this.#expression(NOT_BINDS), start);
    if (token === 'case') return this.#case();
    if (token === '(') {
      const found = this.#readParenthesis();
      const [one = UNKNOWN] = found;
      return found.length === 1 ? one : { ...anyOf(found), isRow: true };
    }
    if (this.#token() === '.') {
      let qualifier = token;
      while (this.#token() === '.' && this.#token(2) === '.') {
        this.#at += 1;
        qualifier = this.#next();
      }
      this.#at += 1;
      return this.#scope.column(this.#next(), qualifier);
    }
    return this.#token() === '(' ? this.#call(token, start) : this.#single(token);
  }

  #single(token: string): Operand {
    if (/^\.?\d/.test(token) || token === 'true' || token === 'false') return NUMBER;
    // No number is empty, so comparing one with '' is permitted.
    if (token === "''" || token === 'null') return UNKNOWN;
    if (!token.startsWith("'")) return this.#scope.column(token);
    const isInteger = /^'(?:0|-?[1-9]\d{0,14})'$/.test(token);
    return { ...TEXT, isInteger, words: TRUE_OR_FALSE.test(token) ? [token] : [] };
  }

  #call(name: string, start: number): Operand {
    this.#at += 1;
    if (name === 'cast') {
      const value = this.#expression();
      const isText = /^(?:text|varchar|char)/.test(this.#token(1));
      this.#readParenthesis();
      return madeOf([value], isText ? TEXT : NUMBER);
    }
    const values = this.#readParenthesis();
    const [first = UNKNOWN, second = UNKNOWN, ...others] = values;
    // `instr(banned, 't')` is 0 for all rows, and `nullif(x, 1)` is a comparison.
    if (SEARCHES.test(name)) checkWords(anyOf(values), anyOf(values), this.#shown(start));
    if (name === 'nullif') this.#compare(first, second, start);
    if (name === 'iif') this.#tested(first, start);
    while (/^(?:over|filter)$/.test(this.#token())) {
      this.#at += 2;
      if (this.#token(-1) === '(') this.#readParenthesis();
    }
    if (NUMBER_FUNCTIONS.test(name)) return NUMBER;
    if (TEXT_FUNCTIONS.test(name)) return madeOf(values, TEXT);
    if (name === 'iif') return anyOf([second, ...others]);
    if (name === 'nullif') return anyOf([first]);
    return name.startsWith('json') ? madeOf(values, UNKNOWN) : anyOf(values);
  }

  /** `case x when 1` is a comparison, and `case when x` a test. */
  #case(): Operand {
    const start = this.#at - 1;
    const base = this.#token() === 'when' ? undefined : this.#expression();
    const results: Operand[] = [];
    while (/^(?:when|then|else)$/.test(this.#token())) {
      const isWhen = this.#next() === 'when';
      const [at, value] = [this.#at - 1, this.#expression()];
      if (!isWhen) results.push(value);
      else if (base === undefined) this.#tested(value, at);
      else this.#compare(base, value, start);
    }
    this.#at += 1;
    return anyOf(results);
  }

  #tested(value: Operand, start: number): Operand {
    if (value.kinds.includes('text') && value.columns?.length) throw mixed([value], this.#shown(start));
    return NUMBER;
  }

  #compare(left: Operand, right: Operand, start: number): void {
    const shown = this.#shown(start);
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

  /** Tables are joined by columns of the same name, which must be of the same kind. */
  #checkShared(name: string): void {
    const shared = this.#scope.column(name);
    if (new Set(shared.kinds).size > 1) throw mixed([shared], `using (${name})`);
  }
}

/** One of several expressions. */
const anyOf = (values: readonly Operand[]): Operand => ({
  ...madeOf(values, { kinds: values.flatMap(({ kinds }) => kinds) }),
  columns: values.flatMap(({ columns = [] }) => columns),
});

/** Returns the operand that is computed from several expressions. */
const madeOf = (values: readonly Operand[], { kinds }: Operand): Operand => ({
  kinds,
  booleans: values.flatMap(({ booleans = [] }) => booleans),
  words: values.flatMap(({ words = [] }) => words),
});

/** True and false are 1 and 0, also as text, so that no row has the word `t`, and `<> 't'` is true for all. */
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

const problem = (text: string) => new FileProblem('FILE_INVALID', `--query: ${text}`);
