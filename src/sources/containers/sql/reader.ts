import type { Dialect } from './dialect.ts';
import type { Input } from './input.ts';
import { dialectOf, foreignCharset, lacksCharset, type Session } from './settings.ts';
import type { Table, Tables } from './tables.ts';
import type { Token } from './tokens.ts';
import type { RowShape } from './values.ts';

/** State of reading a dump. */
export interface Reader {
  readonly input: Input;
  readonly session: Session;
  /** Dialect of the current statement, derived from the session. */
  dialect: Dialect;
  readonly tables: Tables;
  readonly isEncodingGiven: boolean;
  /** Number of dumps in the file whose closing comment is still missing. */
  dumps: number;
  /** SQLite and phpMyAdmin put the whole dump into one transaction. */
  isInTransaction: boolean;
  /** PostgreSQL database of the current statement, set by `\connect`. */
  database: string | undefined;
  /** Database of the first table. Names of tables of other databases begin with their database. */
  firstDatabase: string | undefined;
  /** An INSERT followed another one without a semicolon. The last statement may lack one, too. */
  hasNoSemicolons: boolean;
  /** Whether settings (SET) precede the rows, as in all dumps. If not, lines may have been filtered out. */
  hasHead: boolean;
  lastInsert: Insert | undefined;
}

/** An INSERT up to VALUES. Most statements of a dump begin like the one before them. */
export interface Insert {
  text: string;
  table: Table;
  shapes: readonly RowShape[];
  replaces: boolean;
}

export function sessionChanged(reader: Reader): void {
  const { input, session, isEncodingGiven } = reader;
  const dialect = dialectOf(session);
  if (dialect !== reader.dialect) {
    reader.dialect = dialect;
    reader.lastInsert = undefined;
    if (dialect.hasGoLines) reader.hasNoSemicolons = true;
  }
  input.foreignCharset = isEncodingGiven ? undefined : foreignCharset(session);
  input.mayEmbedBackslashes = !isEncodingGiven && lacksCharset(session);
}

/** Returns the table with a name, and creates it if the dump has not named it before. */
export function tableOf(reader: Reader, parts: readonly string[]): Table {
  const { tables, session, database = '' } = reader;
  reader.firstDatabase ??= database;
  const schema = parts.at(-2) ?? session.schema;
  const name = parts.length === 1 && schema !== undefined ? `${schema}.${parts[0]}` : parts.join('.');
  const prefix = database === reader.firstDatabase ? '' : `${database}.`;
  for (const candidate of [name, ...twinsOf(reader, name)]) {
    const known = tables.find(prefix + candidate);
    if (known !== undefined) return known;
  }
  return tables.add({ name: prefix + name, base: parts.at(-1) ?? '', schema, database });
}

/** Schemas of table names that have none, unless the dump sets another schema. */
const DEFAULT_SCHEMAS = [
  ['public', 'postgres'],
  ['dbo', 'mssql'],
] as const;

/** Returns other names of a table: `users` and `public.users` are the same. */
const twinsOf = ({ dialect }: Reader, name: string): string[] =>
  DEFAULT_SCHEMAS.filter(([, family]) => dialect.name === family || dialect.name === 'standard')
    .map(([schema]) => (name.startsWith(`${schema}.`) ? name.slice(schema.length + 1) : `${schema}.${name}`))
    .filter((twin) => twin.includes('.') !== name.includes('.'));

/** Whether a statement that removes rows, tables or databases may concern rows that the dump has had before. */
export function removesRows({ tables, session, database = '' }: Reader, tokens: readonly Token[]): boolean {
  const { filled } = tables;
  // Only the database server knows what CASCADE removes.
  const isWide = tokens.some(({ text }) => /^(?:ABORT|CASCADE|OWNED|ROLLBACK)$/.test(text));
  if (filled.length === 0 || isWide) return filled.length > 0;
  const isOfWhole = tokens.some(({ text }) => text === 'DATABASE' || text === 'SCHEMA');
  return filled.some((table) =>
    tokens.some(({ kind, name }, index) => {
      if (kind !== 'word' && kind !== 'name') return false;
      if (isOfWhole && (name === table.schema || name === table.database)) return true;
      const schema = tokens[index - 1]?.text === '.' ? tokens[index - 2]?.name : session.schema;
      const isOfSchema = schema === undefined || table.schema === undefined || schema === table.schema;
      return name.toLowerCase() === table.base.toLowerCase() && isOfSchema && table.database === database;
    }),
  );
}
