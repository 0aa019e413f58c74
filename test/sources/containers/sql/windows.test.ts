import { describe, expect, it } from 'vitest';
import { readDump } from './read-dump.ts';

/** Size of the part of a dump that the reader has in memory. A chunk of `readDump` fills it. */
const WINDOW_BYTES = 64 * 1024;

/** Heads that show the dialect, and parts that must be read the same if a window ends in them. */
const PARTS: Record<string, readonly [head: string, part: string]> = {
  COPY: [
    '-- PostgreSQL database\n',
    'COPY t (a, b) FROM stdin;\n1\té\\\\\n\\N\t\\\\.\n\\.\nCOPY t (a, b) FROM stdin;\r\n😀\t\r\n\\.\r\nINSERT INTO u (a) VALUES (1);\n',
  ],
  'INSERT of PostgreSQL': [
    '-- PostgreSQL database\n',
    `INSERT INTO "t" ("a", b) VALUES (12, E'it\\'s\\\\ \\u00e9é'), (NULL, '''x'''::text), (U&'\\0061', 'y');
CREATE FUNCTION f() AS $f$ ; ' $f$; COMMENT ON TABLE t IS E'\\';';
-- it's
INSERT INTO u (a) VALUES (1.5);
`,
  ],
  MySQL: [
    '-- MySQL dump\n',
    `CREATE TABLE \`t\` (\`a\` int, \`b\` bit(1)); /* ' */
INSERT INTO \`t\` VALUES ('\\'\\\\',_binary '\\0'),('é''',0x01), (now(),1);
DELIMITER ;;
CREATE PROCEDURE p() INSERT INTO t VALUES (';;');;
DELIMITER ;
# '
-- Dump completed
INSERT INTO u (a) VALUES (-1);
`,
  ],
  SQLite: [
    'PRAGMA x;\n',
    `INSERT INTO t(a,b) VALUES(replace('a\\n','\\n',char(10)),X'00ff');
CREATE TRIGGER x BEGIN INSERT INTO t(a) VALUES (';'); END;
INSERT INTO t(a,b) VALUES('''','');
INSERT INTO u(a) VALUES(1);
`,
  ],
  'SQL Server': [
    'GO\r\n',
    `INSERT [dbo].[t] ([a], [b]) VALUES (N'''', CAST(N'1' AS [int]))\r
INSERT [dbo].[t] ([a], [b]) VALUES (N'\r
GO\r
', 0xFF)\r
GO\r
SET IDENTITY_INSERT [dbo].[t] OFF\r
CREATE PROCEDURE p AS INSERT t (a) VALUES (1);\r
GO\r
INSERT [u] ([a]) VALUES (1)\r
`,
  ],
};

/** Padding so that a window may end as far behind a part as the reader looks ahead. */
const TAIL = `-- ${'x'.repeat(130)}\n`;

describe.each(Object.entries(PARTS))('%s', (_title, [head, itsPart]) => {
  const part = itsPart + TAIL;
  const length = Buffer.byteLength(part);
  const rowsWith = async (before: number, wanted: (name: string) => boolean) => {
    const space = WINDOW_BYTES - Buffer.byteLength(head) - before - 1;
    const { rows, problem } = await readDump(`${head}${' '.repeat(space)}\n${part}`, {
      wanted: ({ name }) => wanted(name),
    });
    expect(problem).toBeUndefined();
    return rows;
  };

  it('is read the same wherever a window ends', async () => {
    const whole = await rowsWith(length, () => true);
    expect(Object.values(whole).flat().length).toBeGreaterThan(2);
    for (let before = 0; before < length; before++) {
      expect([before, await rowsWith(before, () => true)]).toEqual([before, whole]);
    }
  });

  it('is skipped the same wherever a window ends', async () => {
    const { u } = await rowsWith(length, () => true);
    expect(u).toHaveLength(1);
    for (let before = 0; before < length; before++) {
      expect([before, await rowsWith(before, (name) => name === 'u')]).toEqual([before, { u }]);
    }
  });
});

it('a table is skipped the same from the first row on', async () => {
  const lines = `${'x\n'.repeat(100)}\\\\.\n`;
  const part = `COPY t (a) FROM stdin;\n${lines}\\.\nINSERT INTO u (a) VALUES (1);\n${TAIL}`;
  for (let before = 0; before < part.length; before++) {
    const { rows, problem } = await readDump(`${' '.repeat(WINDOW_BYTES - before - 1)}\n${part}`, {
      wanted: ({ name }) => name === 'u',
    });
    expect(problem).toBeUndefined();
    expect([before, rows]).toEqual([before, { u: [{ a: '1' }] }]);
  }
});

it('counts the bytes of all windows', async () => {
  const row = `INSERT INTO t (a) VALUES ('é');\n`;
  const dump = Buffer.from(`${row.repeat(30_000)}INSERT INTO t (a) VALUES ('x`);
  const { rows, problem } = await readDump(dump);
  expect(rows.t).toHaveLength(30_000);
  expect(problem?.message).toContain(`byte ${dump.length},`);
  const notUtf8 = Buffer.concat([dump, Buffer.from([0x80]), Buffer.from("');\n")]);
  expect((await readDump(notUtf8)).problem).toMatchObject({
    code: 'ENCODING_INVALID',
    message: expect.stringContaining(`byte ${dump.length - 1} `),
  });
});
