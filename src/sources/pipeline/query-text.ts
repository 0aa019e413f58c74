import { FileProblem } from '../containers/table.ts';

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
