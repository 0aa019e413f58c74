/** Rows of a table to write as a dump. */
export interface TableToWrite {
  name: string;
  columns: readonly string[];
  rows: readonly (readonly (string | null)[])[];
}

/** Writes a dump as the tools of one database do. Shares no code with the reader. */
export interface DumpWriter {
  title: string;
  /** Whether texts can contain U+0000. */
  takesNul: boolean;
  write(tables: readonly TableToWrite[]): string;
}

const doubled = (text: string, quote: string) => `${quote}${text.split(quote).join(quote + quote)}${quote}`;

const escaped = (text: string, map: Record<string, string>) =>
  [...text].map((sign) => map[sign] ?? sign).join('');

const rowOf = (row: readonly (string | null)[], value: (text: string) => string, comma = ',') =>
  `(${row.map((cell) => (cell === null ? 'NULL' : value(cell))).join(comma)})`;

const postgresCopy: DumpWriter = {
  title: 'pg_dump',
  takesNul: false,
  write: (tables) => {
    const map = {
      '\\': '\\\\',
      '\t': '\\t',
      '\n': '\\n',
      '\r': '\\r',
      '\b': '\\b',
      '\f': '\\f',
      '\v': '\\v',
    };
    const cell = (text: string | null) => (text === null ? '\\N' : escaped(text, map));
    const copies = tables.map(
      ({ name, columns, rows }) =>
        `COPY public.${doubled(name, '"')} (${columns.map((column) => doubled(column, '"')).join(', ')}) FROM stdin;\n${rows
          .map((row) => `${row.map(cell).join('\t')}\n`)
          .join('')}\\.\n\n`,
    );
    return `--\n-- PostgreSQL database dump\n--\n\n\\restrict abc\n\nSET standard_conforming_strings = on;\n${copies.join('')}--\n-- PostgreSQL database dump complete\n--\n\n\\unrestrict abc\n\n`;
  },
};

const postgresInserts: DumpWriter = {
  title: 'pg_dump --column-inserts',
  takesNul: false,
  write: (tables) => {
    const inserts = tables.flatMap(({ name, columns, rows }) =>
      rows.map(
        (row) =>
          `INSERT INTO public.${doubled(name, '"')} (${columns.map((column) => doubled(column, '"')).join(', ')}) VALUES ${rowOf(row, (text) => doubled(text, "'"), ', ')};\n`,
      ),
    );
    return `--\n-- PostgreSQL database dump\n--\n\nSET standard_conforming_strings = on;\n${inserts.join('')}--\n-- PostgreSQL database dump complete\n--\n`;
  },
};

const mysql: DumpWriter = {
  title: 'mysqldump',
  takesNul: true,
  write: (tables) => {
    const map = {
      '\\': '\\\\',
      "'": "\\'",
      '"': '\\"',
      '\n': '\\n',
      '\r': '\\r',
      '\0': '\\0',
      '\x1a': '\\Z',
    };
    const parts = tables.map(({ name, columns, rows }) => {
      const create = `CREATE TABLE ${doubled(name, '`')} (\n${columns.map((column) => `  ${doubled(column, '`')} varchar(255) DEFAULT ';'''`).join(',\n')},\n  KEY \`k\` (\`x\`)\n) ENGINE=InnoDB;\n`;
      const values = rows.map((row) => rowOf(row, (text) => `'${escaped(text, map)}'`));
      // A statement has as many rows as fit into a buffer.
      const statements = Array.from({ length: Math.ceil(values.length / 3) }, (_, index) =>
        values.slice(index * 3, index * 3 + 3),
      );
      return (
        create +
        statements.map((some) => `INSERT INTO ${doubled(name, '`')} VALUES ${some.join(',')};\n`).join('')
      );
    });
    return `-- MySQL dump 10.13  Distrib 8.0.36\n\n/*!40101 SET NAMES utf8mb4 */;\n${parts.join('')}\n-- Dump completed on 2026-03-01 12:00:00\n`;
  },
};

const sqlite: DumpWriter = {
  title: 'sqlite3 .dump',
  takesNul: false,
  write: (tables) => {
    const parts = tables.map(
      ({ name, columns, rows }) =>
        `CREATE TABLE ${doubled(name, '"')} (${columns.map((column) => doubled(column, '"')).join(', ')});\n${rows
          .map(
            (row) => `INSERT INTO ${doubled(name, '"')} VALUES${rowOf(row, (text) => doubled(text, "'"))};\n`,
          )
          .join('')}`,
    );
    return `PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n${parts.join('')}COMMIT;\n`;
  },
};

const bracketed = (name: string) => `[${name.split(']').join(']]')}]`;

const sqlServer: DumpWriter = {
  title: 'SQL Server script',
  takesNul: true,
  write: (tables) => {
    const parts = tables.map(({ name, columns, rows }) => {
      const table = `[dbo].${bracketed(name)}`;
      const inserts = rows.map(
        (row, index) =>
          `INSERT ${table} (${columns.map(bracketed).join(', ')}) VALUES ${rowOf(row, (text) => `N${doubled(text, "'")}`, ', ')}\r\n${index % 3 === 2 ? 'GO\r\n' : ''}`,
      );
      return `SET ANSI_NULLS ON\r\nGO\r\nCREATE TABLE ${table}(\r\n\t${columns.map((column) => `${bracketed(column)} [nvarchar](max) NULL`).join(',\r\n\t')}\r\n) ON [PRIMARY]\r\nGO\r\nSET IDENTITY_INSERT ${table} ON\r\n${inserts.join('')}SET IDENTITY_INSERT ${table} OFF\r\nGO\r\n`;
    });
    return `USE [shop]\r\nGO\r\n${parts.join('')}`;
  },
};

export const DUMP_WRITERS: readonly DumpWriter[] = [postgresCopy, postgresInserts, mysql, sqlite, sqlServer];
