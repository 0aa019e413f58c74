import type { Dialect } from './dialect.ts';
import { type Token, tokenAt } from './tokens.ts';
import type { Window } from './window.ts';

/** Name of an SQL table, split at dots, without quotes. */
export interface TableName {
  parts: readonly string[];
  /** First SQL token after the name. */
  next: Token;
}

/** Returns undefined if more of the SQL dump is needed, or null if the token does not begin a name. */
export function tableNameAt(window: Window, first: Token, dialect: Dialect): TableName | undefined | null {
  const parts: string[] = [];
  for (let token: Token | undefined = first; token !== undefined; ) {
    if (token.kind === 'other') return null;
    parts.push(token.name);
    const next = tokenAt(window, token.end, dialect);
    if (next?.text !== '.') return next === undefined ? undefined : { parts, next };
    token = tokenAt(window, next.end, dialect);
  }
  return undefined;
}
