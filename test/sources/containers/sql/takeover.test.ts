import { describe, expect, it } from 'vitest';
import { readBack } from '../../writers/read-back.ts';
import { readDump } from './read-dump.ts';

const MALLORY = '$2a$10$MALLORYMALLORYMALLORY';
/** A name that ends too late if it is read wrongly, so that the bio becomes a row of boss@. */
const NAME = 'x\\';
const FAKE = `, ${MALLORY.length}), ('boss@x.org', '${MALLORY}`;

/** Lines in cells, each of which once changed how the rest of the file was read. */
const LINES = [
  ...['SET standard_conforming_strings = off;', 'SET standard_conforming_strings = on;'],
  ...['-- MySQL dump 10.13  Distrib 8.0.36', '-- PostgreSQL database dump', 'PRAGMA foreign_keys=OFF;'],
  "/*!40101 SET SQL_MODE='NO_BACKSLASH_ESCAPES' */;",
  ...["/*!40101 SET SQL_MODE='ANSI_QUOTES' */;", 'SET NAMES gbk;', 'GO', 'USE [x]', 'DELIMITER $$'],
  ...['\\connect other', 'COPY t (a) FROM stdin;', 'INSERT INTO `t` VALUES (1);', 'ROLLBACK;'],
  'DELETE FROM users;',
];

const plain = (text: string) => `'${text.replaceAll("'", "''")}'`;
const escaped = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const SYSTEMS: Record<string, readonly [head: string, quote: (text: string) => string]> = {
  pg_dump: ['-- PostgreSQL database dump\nSET standard_conforming_strings = on;\n', plain],
  'pg_dump, standard_conforming_strings off': [
    '-- PostgreSQL database dump\nSET standard_conforming_strings = off;\n',
    (text) => plain(text.replaceAll('\\', '\\\\')),
  ],
  mysqldump: ['-- MySQL dump 10.13\n/*!40101 SET NAMES utf8mb4 */;\n', escaped],
  'mysqldump --compact': ['/*!40101 SET @saved_cs_client     = @@character_set_client */;\n', escaped],
  phpMyAdmin: ['-- phpMyAdmin SQL Dump\nSET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";\n', escaped],
  'MySQL, no backslashes': [`SET sql_mode = 'NO_BACKSLASH_ESCAPES';\n`, plain],
  sqlite3: ['PRAGMA foreign_keys=OFF;\n', plain],
  'SQL Server': ['SET ANSI_NULLS ON\nGO\n', plain],
};

describe.each(Object.entries(SYSTEMS))('%s', (title, [head, quote]) => {
  it.each(LINES)('a cell with the line %s changes nothing', async (line) => {
    for (const wanted of [true, false]) {
      const rows = [
        ['mallory@x.org', `bio\n${line}\n`],
        [NAME, FAKE],
        ['boss@x.org', "it's"],
      ];
      const table = wanted ? 'users' : 'others';
      const last = `INSERT INTO users (email, bio) VALUES ('last', 'row');\n`;
      const inserts = rows.map(
        (row) => `INSERT INTO ${table} (email, bio) VALUES (${row.map(quote).join(', ')});\n`,
      );
      const end = title.startsWith('pg') ? '-- PostgreSQL database dump complete\n' : '-- Dumped\n';
      const dump = `${head}${inserts.join('')}${last}${title === 'mysqldump' ? '-- Dump completed\n' : end}`;
      const read = await readDump(dump, { wanted: ({ name }) => name === 'users' });
      expect(read.problem).toBeUndefined();
      const written = [...(wanted ? rows : []), ['last', 'row']];
      expect(read.rows.users).toEqual(written.map(([email, bio]) => ({ email, bio })));
    }
  });
});

describe('without a head', () => {
  const dump = `INSERT INTO users (name, bio) VALUES ('x\\', ', ''), (''boss@x.org'', ''${MALLORY}');\n`;

  it('a backslash in a text stops the file, and the message says where and what to do', async () => {
    const back = await readBack(`INSERT INTO users (name, bio) VALUES ('a', 'b');\n${dump}`);
    expect(back).toEqual({
      refused: expect.stringMatching(/^The text at line 2 .*--sql-dialect postgres, mysql/),
    });
  });

  it('a backslash in a table that is not wanted stops the file as well', async () => {
    const { problem } = await readDump(dump, { wanted: () => false });
    expect(problem?.code).toBe('FILE_INVALID');
  });

  it('a dump is read if no text has a backslash', async () => {
    const { rows, problem } = await readDump(`INSERT INTO users (a) VALUES ('it''s "b" \n;');\n`);
    expect(problem).toBeUndefined();
    expect(rows.users).toEqual([{ a: 'it\'s "b" \n;' }]);
  });

  it.each(['postgres', 'sqlite', 'mssql', 'mysql-no-backslash'] as const)(
    '--sql-dialect %s makes a backslash text',
    async (sqlDialect) => {
      const { rows } = await readDump(dump, { options: { sqlDialect } });
      expect(rows.users).toEqual([{ name: NAME, bio: `, '), ('boss@x.org', '${MALLORY}` }]);
    },
  );

  it('--sql-dialect mysql makes a backslash an escape', async () => {
    const text = `INSERT INTO users (a) VALUES ('it\\'s \\n');`;
    const { rows } = await readDump(text, { options: { sqlDialect: 'mysql' } });
    expect(rows.users).toEqual([{ a: "it's \n" }]);
  });
});

describe('settings change the dialect in the order of the file', () => {
  it.each([
    [
      'PostgreSQL',
      `SET standard_conforming_strings = on;
INSERT INTO t (a) VALUES ('\\');
SET standard_conforming_strings = off;
INSERT INTO t (a) VALUES ('\\'');
SELECT pg_catalog.set_config('standard_conforming_strings', 'on', false);
INSERT INTO t (a) VALUES ('\\');`,
      ['\\', "'", '\\'],
    ],
    [
      'MySQL',
      `/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
INSERT INTO t (a) VALUES ('\\'');
/*!50003 SET @saved_sql_mode = @@sql_mode */ ;
/*!50003 SET sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES' */ ;
INSERT INTO t (a) VALUES ('\\');
/*!50003 SET sql_mode = @saved_sql_mode */ ;
INSERT INTO t (a) VALUES ('\\'');
SET SESSION sql_mode = 'ANSI_QUOTES';
INSERT INTO t (a) VALUES ('\\'');
SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES';
INSERT INTO t (a) VALUES ('\\'');`,
      ["'", '\\', "'", "'", "'"],
    ],
  ])('%s', async (_title, dump, values) => {
    const { rows, problem } = await readDump(`${dump}\n`);
    expect(problem).toBeUndefined();
    expect(rows.t).toEqual(values.map((a) => ({ a })));
  });

  it.each([
    ['a mode that only the server knows', "SET sql_mode = CONCAT(@@sql_mode, ',x');"],
    ['a variable that the dump does not set', 'SET sql_mode = @other;'],
    ['another session', '\\connect other'],
  ])('asks for the dialect after %s', async (_title, statement) => {
    const head = statement.startsWith('\\') ? 'SET standard_conforming_strings = on;' : "SET sql_mode = '';";
    const { problem } = await readDump(`${head}\n${statement}\nINSERT INTO t (a) VALUES ('\\\\');\n`);
    expect(problem?.message).toContain('--sql-dialect');
  });
});

describe('encodings', () => {
  const latin1 = (head: string) => Buffer.from(`${head}\nINSERT INTO t (a) VALUES ('é');\n`);

  it.each([
    "SET client_encoding = 'LATIN1';",
    '-- MySQL dump 10\n/*!40101 SET NAMES latin1 */;',
    "/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO,ANSI' */;",
  ])('%s: bytes that may be UTF-8 by chance need --encoding', async (head) => {
    expect((await readDump(latin1(head))).problem?.code).toBe('ENCODING_INVALID');
    const { rows } = await readDump(latin1(head), { options: { encoding: 'utf-8' } });
    expect(rows.t).toEqual([{ a: 'é' }]);
  });

  it('a MySQL dump in Shift_JIS that does not say so is refused, even if its tables are not wanted', async () => {
    const fake = "); INSERT INTO users (a) VALUES (1), (\\'', '";
    const dump = Buffer.concat([
      Buffer.from('/*!40014 SET UNIQUE_CHECKS=0 */;\n'),
      Buffer.from("INSERT INTO logs (a, b) VALUES ('"),
      // The second byte of the character is a backslash.
      Buffer.from([0x83, 0x5c]),
      Buffer.from(`', '${fake}');\n`),
    ]);
    for (const want of ['users', 'logs', 'none']) {
      const { rows, problem } = await readDump(dump, { wanted: ({ name }) => name === want });
      expect(problem?.code).toBe('ENCODING_INVALID');
      expect(rows.users).toBeUndefined();
    }
  });

  it.each(['gbk', 'cp932', 'big5', 'gb18030'])(
    'SET NAMES %s needs --encoding, because a character may end in a backslash',
    async (charset) => {
      const dump = Buffer.from(
        `/*!40101 SET NAMES ${charset} */;\nINSERT INTO t (a) VALUES ('\xbf\\', 'x');\n`,
        'latin1',
      );
      expect((await readDump(dump)).problem?.message).toContain('--encoding');
    },
  );
});
