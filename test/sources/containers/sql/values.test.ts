import { describe, expect, it } from 'vitest';
import { rowsOf } from './read-dump.ts';

/** Heads that show each dialect. */
const POSTGRES = '-- PostgreSQL database\nSET standard_conforming_strings = on;\n';
const MYSQL = '/*!40101 SET NAMES utf8mb4 */;\n';
const SQLITE = 'PRAGMA foreign_keys=OFF;\n';
const MSSQL = 'SET ANSI_NULLS ON\nGO\n';
const NONE = '';

/** Reads a value between two others, so that its end is tested, too. */
async function readValue(head: string, literal: string, create = ''): Promise<unknown> {
  const rows = await rowsOf(
    `${head}${create}INSERT INTO t (a, b, c) VALUES (1,${literal},3), (1 , ${literal} , 3);\n`,
    't',
  );
  expect(rows).toHaveLength(2);
  expect(rows[1]).toEqual(rows[0]);
  const [row] = rows;
  if (typeof row === 'string') return row;
  expect(row).toMatchObject({ a: '1', c: '3' });
  return row?.b;
}

describe('values of any dialect', () => {
  it.each([
    ['NULL', null],
    ['null', null],
    ['true', 'true'],
    ['FALSE', 'false'],
    ['DEFAULT', undefined],
    ['0', '0'],
    ['-1', '-1'],
    ['+7', '+7'],
    ['12345678901234567890123', '12345678901234567890123'],
    ['1.50', '1.50'],
    ['-0.5e-10', '-0.5e-10'],
    ['.5', '.5'],
    ['1.', '1.'],
    ["''", ''],
    ["''''", "'"],
    ["'it''s'", "it's"],
    ["'a;b),(c'", 'a;b),(c'],
    ["'-- no /* comment'", '-- no /* comment'],
    ["'two\nlines'", 'two\nlines'],
    ["'😀 é'", '😀 é'],
    ["'NULL'", 'NULL'],
    ["X'c3a9'", 'é'],
    ["x'FF00'", 'ff00'],
    ["X''", ''],
    ['0x616263', 'abc'],
    ['0x', ''],
    ["B'101'", '101'],
    ["CAST('5' AS integer)", '5'],
    ["DATE '2021-01-02'", '2021-01-02'],
    ["timestamp with time zone '2021-01-02 03:04:05+00'", '2021-01-02 03:04:05+00'],
    ["UUID '5e012292-6c76-49dd-bdaf-d01f8ff16683'", '5e012292-6c76-49dd-bdaf-d01f8ff16683'],
    ["/* why */ 'x' -- so\n", 'x'],
  ])('%s', async (literal, expected) => {
    for (const head of [NONE, POSTGRES, MYSQL, SQLITE, MSSQL])
      expect(await readValue(head, literal)).toBe(expected);
  });

  it.each([
    ...['now()', 'gen_random_uuid()', "a.b('x')", 'CURRENT_TIMESTAMP', 'TIMESTAMP'],
    ...["TIMESTAMP WITH TIME 'x'", 'SYSTEM_COMBINE_CLOB(0)', "'a' || 'b'", '1 + 1', '1-2', '(1)', '-', '1e'],
    ...["X'1'", "X'zz'", '0xabc', "replace('a','a','bb')", "replace('a','','')", "replace('a','b')"],
    ...['char(99999999)', "'a'::'b'"],
    `${'CAST('.repeat(20)}1${' AS int)'.repeat(20)}`,
  ])('refuses %s as unknown', async (literal) => {
    for (const head of [NONE, POSTGRES, MYSQL, SQLITE, MSSQL])
      expect(await readValue(head, literal)).toBe('SQL_INVALID');
  });
});

describe('PostgreSQL', () => {
  it.each([
    ["'C:\\dir\\'", 'C:\\dir\\'],
    ["E'a\\'b\\\\\\n\\t\\101\\x41\\u00e9\\U0001F600\\q'", "a'b\\\n\tAAé😀q"],
    ["e'it''s'", "it's"],
    ["E'\\uD83D\\uDE00'", '😀'],
    ["E'\\uD83D'", '\ufffd'],
    ["E'\\xc3\\xa9'", 'é'],
    ["U&'d\\0061t\\+000061 \\\\'", 'data \\'],
    [`'{"a": "it''s"}'::jsonb`, '{"a": "it\'s"}'],
    ["'x'::character varying(20)", 'x'],
    ["'2021-01-01'::timestamp(3) with time zone", '2021-01-01'],
    [`'ok'::"public"."mood"`, 'ok'],
    ["'{1,2}'::integer[]", '{1,2}'],
    ['NULL::text', null],
    ["'1'::numeric(10,2)", '1'],
    ["'\\x00ff'", '\\x00ff'],
  ])('%s', async (literal, expected) => {
    expect(await readValue(POSTGRES, literal)).toBe(expected);
  });

  it('treats backslashes as escapes if standard_conforming_strings is off', async () => {
    const head = `${POSTGRES}SET standard_conforming_strings = off;\n`;
    expect(await readValue(head, "'a\\'b\\\\'")).toBe("a'b\\");
  });
});

describe('MySQL', () => {
  it.each([
    ["'a\\'b\\\"c\\\\d\\n\\r\\t\\b\\0\\Z\\q'", 'a\'b"c\\d\n\r\t\b\0\x1aq'],
    ["'50\\%\\_'", '50\\%\\_'],
    ["'\\\\'", '\\'],
    ["'é\\'😀'", "é'😀"],
    ['"it\'s ""x"" \\"y\\""', 'it\'s "x" "y"'],
    ["_binary 'abc'", 'abc'],
    ["_binary '\\0\\'é'", '0027c3a9'],
    ["_utf8mb4'é'", 'é'],
    ['_utf8mb4 0xC3A9', 'é'],
    ["_binary ''", ''],
    ["b'0'", '0'],
    ['0b1', '1'],
    ["UNHEX('616263')", 'abc'],
    ["CONVERT('x' USING utf8mb4)", 'x'],
    ["CAST('{}' AS JSON)", '{}'],
  ])('%s', async (literal, expected) => {
    expect(await readValue(MYSQL, literal)).toBe(expected);
  });

  it.each([
    ['bit(1)', "_binary '\\0'", '0'],
    ['bit(1)', "b'1'", '1'],
    ['bit(1)', '1', '1'],
    ['bit(1)', "'\x01'", '1'],
    ['bit(16)', '0x0102', '258'],
    ['binary(16)', "'abcdefghijklmnop'", '6162636465666768696a6b6c6d6e6f70'],
    ['binary(16)', 'NULL', null],
    ['varbinary(255)', "'ada@example.com'", 'ada@example.com'],
    ['longblob', "'\\0a'", '0061'],
    ['varchar(20)', "'\\0a'", '\0a'],
  ])('%s %s', async (type, literal, expected) => {
    const create = `CREATE TABLE t (\`a\` int, \`b\` ${type} DEFAULT NULL, c int) ENGINE=InnoDB;\n`;
    expect(await readValue(MYSQL, literal, create)).toBe(expected);
  });

  it('treats backslashes as text with NO_BACKSLASH_ESCAPES', async () => {
    const head =
      "/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES' */;\n";
    expect(await readValue(head, "'C:\\'")).toBe('C:\\');
  });
});

describe('SQLite', () => {
  it.each([
    ["'C:\\dir\\'", 'C:\\dir\\'],
    ["replace('a\\nb','\\n',char(10))", 'a\nb'],
    ["replace(replace('a\\r\\nb','\\r',char(13)),'\\n',char(10))", 'a\r\nb'],
    ["unistr('a\\u000ab\\\\c')", 'a\nb\\c'],
    ["replace(NULL,'a','b')", null],
    ['1e999', '1e999'],
    ['"text"', 'text'],
  ])('%s', async (literal, expected) => {
    expect(await readValue(SQLITE, literal)).toBe(expected);
  });
});

describe('SQL Server', () => {
  it.each([
    ["N'Zoë ''x'''", "Zoë 'x'"],
    ["N''", ''],
    ["CAST(N'2021-01-01T00:00:00.0000000+00:00' AS DateTimeOffset)", '2021-01-01T00:00:00.0000000+00:00'],
    ["CAST(N'2021-01-01T00:00:00.123' AS [datetime2](7))", '2021-01-01T00:00:00.123'],
    ['CAST(1.50 AS Decimal(18, 2))', '1.50'],
    ["CONVERT(datetime, N'2021-01-01', 120)", '2021-01-01'],
    ["CONVERT([varchar](20), N'x')", 'x'],
    ['CAST(0x0000901A00000000 AS DateTime)', '2001-01-01T00:00:00.000Z'],
    ['CAST(0x0000000000000000 AS DateTime)', '1900-01-01T00:00:00.000Z'],
    ['CAST(0x0000901A00C5C100 AS DateTime)', '2001-01-01T12:00:00.000Z'],
    ['CAST(0xFFFFFFFF00000000 AS DateTime)', '1899-12-31T00:00:00.000Z'],
    ['CAST(0x901A02D0 AS SmallDateTime)', '2001-01-01T12:00:00.000Z'],
    ['CAST(0x5B950A AS Date)', '1900-01-01T00:00:00.000Z'],
    ['CAST(0x0700E03495645B950A AS DateTime2)', '1900-01-01T12:00:00.000Z'],
    ['CAST(0x00C0A8005B950A AS DateTime2)', '1900-01-01T12:00:00.000Z'],
    ['CAST(0x0700E03495645B950A7800 AS DateTimeOffset)', '1900-01-01T12:00:00.000Z'],
    // Bytes that no time of the type has are no time.
    ['CAST(0x00 AS DateTime)', '00'],
    ['CAST(0x0800E03495645B950A AS DateTime2)', '0800e03495645b950a'],
    ['CAST(0x0700E03495645B950A AS DateTimeOffset)', '0700e03495645b950a'],
    ['CAST(0x00000001 AS int)', '00000001'],
    ['CAST(0x00000001 AS constructor)', '00000001'],
    ['0x01FF', '01ff'],
    ['NULL', null],
  ])('%s', async (literal, expected) => {
    expect(await readValue(MSSQL, literal)).toBe(expected);
  });
});
