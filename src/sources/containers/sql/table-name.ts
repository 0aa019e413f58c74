import type { Dialect } from './dialect.ts';
import { type Token, tokenAt } from './tokens.ts';
import type { Window } from './window.ts';

/** The name of a table: its parts without quotes. */
export interface TableName {
  parts: readonly string[];
  /** The token after it. */
  next: Token;
}

/** Reads `users`, `public."user"`, `[dbo].[Users]`. Undefined: the window ends first; null: it is no name. */
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
