import { type Mode, type Session, setDialect, UNSTATED } from './dialects.ts';
import type { Token } from './tokens.ts';

/** Applies the tokens after SET: `NAMES utf8`, `search_path = a, b`, `@old = @@sql_mode, sql_mode = ''`. */
export function applySet(session: Session, tokens: readonly Token[]): void {
  const [first, second, third] = tokens;
  if (first?.text === 'NAMES' || first?.text === 'CHARSET') setCharset(session, second?.name);
  else if (first?.text === 'CHARACTER' && second?.text === 'SET') setCharset(session, third?.name);
  else for (const item of itemsOf(tokens)) assign(session, item);
}

function assign(session: Session, item: readonly Token[]): void {
  const sign = item.findIndex(({ text }) => text === '=' || text === ':' || text === 'TO');
  const value = item.slice(sign + 1).filter(({ text }) => text !== '=');
  const names = item.slice(0, Math.max(0, sign)).map(({ name }) => name.toLowerCase().replace(/^@@/, ''));
  const name = names.at(-1) ?? '';
  if (names.some((scope) => scope === 'global' || scope.startsWith('persist'))) return;
  if (name.startsWith('@')) session.saved.set(name, modeOf(session, value));
  else if (name === 'sql_mode') setMode(session, modeOf(session, value));
  else applyPostgres(session, name, value[0]?.name);
}

/** @param value undefined for RESET */
export function applyPostgres(session: Session, setting: string, value: string | undefined): void {
  const name = setting.toLowerCase();
  if (name === 'search_path') {
    // pg_dump before 10.3 sets the search path, and names tables without their schema.
    session.schema = value === '' || value === 'pg_catalog' ? undefined : value;
  } else if (name === 'client_encoding') {
    if (value !== undefined) setCharset(session, value);
  } else if (name === 'standard_conforming_strings' || name === 'all') {
    setDialect(session, 'postgres');
    const isOn = /^(?:on|true|yes|1)$/i.test(value ?? '');
    const isKnown = isOn || /^(?:off|false|no|0)$/i.test(value ?? '');
    session.hasEscapes = value === undefined ? session.start.hasEscapes : isKnown ? !isOn : undefined;
  }
}

/** Splits tokens at commas outside of parentheses. */
export function itemsOf(tokens: readonly Token[]): Token[][] {
  const items: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    if (token.text === ',' && depth === 0) items.push([]);
    else items.at(-1)?.push(token);
  }
  return items;
}

/** Returns the SQL mode that a value of SET stands for. Undefined if only the server knows it. */
function modeOf(session: Session, value: readonly Token[]): Mode | undefined {
  const [first] = value;
  const text = value.map((token) => token.name || token.text).join('');
  if (first?.kind === 'word') {
    if (/^@@(?:session\.|local\.)?sql_mode$/i.test(text)) return modeIn(session);
    if (text.startsWith('@')) return session.saved.get(text.toLowerCase());
    if (first.text === 'DEFAULT') return session.start;
  }
  if (value.length !== 1 || first?.kind === 'other') return undefined;
  return {
    hasEscapes: !/\bNO_BACKSLASH_ESCAPES\b/i.test(text),
    hasAnsiQuotes: /\b(?:ANSI_QUOTES|ANSI|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL)\b/i.test(text),
  };
}

const modeIn = ({ hasEscapes, hasAnsiQuotes }: Mode): Mode => ({ hasEscapes, hasAnsiQuotes });

function setMode(session: Session, mode: Mode | undefined): void {
  setDialect(session, 'mysql');
  session.hasEscapes = mode?.hasEscapes;
  session.hasAnsiQuotes = mode?.hasAnsiQuotes ?? false;
  // mysqldump --compatible=ansi does not declare its encoding, which is latin1.
  if (session.saved.has('@old_sql_mode') && session.hasAnsiQuotes) session.charset ??= UNSTATED;
}

function setCharset(session: Session, name = ''): void {
  session.charset = name.toLowerCase();
}

/** Handles `\connect` in a PostgreSQL dump, which opens another session with default settings. */
export function reconnect(session: Session): void {
  session.hasEscapes = session.start.hasEscapes;
  session.charset = undefined;
  session.schema = undefined;
}
