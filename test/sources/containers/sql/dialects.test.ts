import { describe, expect, it } from 'vitest';
import { readDump, rowsOf } from './read-dump.ts';

describe('PostgreSQL', () => {
  it('skips bodies of functions, rules, and psql commands', async () => {
    const dump = `--
-- PostgreSQL database dump
--

\\restrict abc
-- \\restrict abc
\\connect shop
SET standard_conforming_strings = on;

CREATE FUNCTION a() RETURNS trigger LANGUAGE plpgsql AS $$ begin insert into t values ('it''s; $'); end; $$;
CREATE FUNCTION b() RETURNS trigger LANGUAGE plpgsql AS $_body$ INSERT INTO t VALUES ($$;$$); $_body$;
CREATE FUNCTION c(begin integer) RETURNS integer LANGUAGE sql AS 'SELECT '';''';
CREATE OR REPLACE FUNCTION d() RETURNS void LANGUAGE sql
    BEGIN ATOMIC
 INSERT INTO t VALUES (1);
 INSERT INTO t VALUES (CASE WHEN true THEN 2 END);
END;
CREATE PROCEDURE e() LANGUAGE sql BEGIN ATOMIC
END;
CREATE RULE r AS ON DELETE TO t DO ALSO (INSERT INTO t VALUES (3); INSERT INTO t VALUES (4););
COMMENT ON TABLE t IS E'it\\'s; INSERT INTO t VALUES (5);';
COMMENT ON TABLE t IS '\\';
SELECT pg_catalog.setval('t_id_seq', 1, true);
INSERT INTO t (id) VALUES ('\\');
/* a ; comment ' */
-- PostgreSQL database dump complete
\\unrestrict abc
`;
    expect(await rowsOf(dump, 't')).toEqual([{ id: '\\' }]);
  });
});

describe('MySQL', () => {
  it('skips routines, version comments and messages of mysqldump', async () => {
    const dump = `mysqldump: [Warning] Using a password on the command line interface can be insecure.
/*M!999999\\- enable the sandbox mode */
-- MariaDB dump 10.19  Distrib 10.11.8-MariaDB, for debian-linux-gnu (x86_64)
# it's a comment; too
/*!50001 CREATE TABLE \`v\` (
  \`id\` tinyint NOT NULL
) ENGINE=MyISAM */;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=\`root\`@\`localhost\`*/ /*!50003 TRIGGER x AFTER INSERT ON t FOR EACH ROW BEGIN
INSERT INTO t (id) VALUES (8);
INSERT INTO t (id) VALUES ("';");
END */;;
DELIMITER ;
CREATE TABLE \`t\` (\`id\` int COMMENT ');');
INSERT INTO \`t\` VALUES (1),
(2);
/*!40000 ALTER TABLE \`t\` ENABLE KEYS */;
-- Dump completed on 2026-03-01 12:00:00
`;
    const { rows, asked, problem } = await readDump(dump);
    expect([problem, asked.map(({ name }) => name)]).toEqual([undefined, ['t']]);
    expect(rows.t).toEqual([{ id: '1' }, { id: '2' }]);
  });

  it('reads dumps of phpMyAdmin', async () => {
    const dump = `-- phpMyAdmin SQL Dump
SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
/*!40101 SET NAMES utf8mb4 */;
CREATE TABLE \`wp_users\` (
  \`ID\` bigint(20) UNSIGNED NOT NULL,
  \`display_name\` varchar(250) NOT NULL DEFAULT ''
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO \`wp_users\` (\`ID\`, \`display_name\`) VALUES
(1, 'O''Hara \\\\ \\'x\\' \\r\\n'),
(2, 'a;b');
INSERT INTO \`wp_users\` (\`ID\`, \`display_name\`) VALUES
(3, '(1, ''x''),');

DELIMITER $$
CREATE PROCEDURE \`p\` () INSERT INTO wp_users VALUES (9, 'x')$$
DELIMITER ;
ALTER TABLE \`wp_users\`
  ADD PRIMARY KEY (\`ID\`);
COMMIT;
`;
    expect(await rowsOf(dump, 'wp_users')).toEqual([
      { ID: '1', display_name: "O'Hara \\ 'x' \r\n" },
      { ID: '2', display_name: 'a;b' },
      { ID: '3', display_name: "(1, 'x')," },
    ]);
  });
});

it('skips triggers of SQLite', async () => {
  const dump = `PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE t(id, note); -- it's
INSERT INTO t VALUES(1,'it''s \\');
CREATE TRIGGER x AFTER INSERT ON t BEGIN
  INSERT INTO t VALUES (8, CASE WHEN 1 THEN 'END;' END);
  UPDATE t SET note = CASE WHEN 1 THEN 2 END; -- ; END;
  INSERT INTO t VALUES (9, ';');
END;
CREATE VIEW v AS SELECT ';';
INSERT INTO t VALUES(2,NULL);
COMMIT;
`;
  expect(await rowsOf(dump, 't')).toEqual([
    { id: '1', note: "it's \\" },
    { id: '2', note: null },
  ]);
});

describe('SQL Server', () => {
  it.each(['\n', '\r\n'])('reads a script with line breaks %j', async (lineBreak) => {
    const dump = `USE [shop]
GO
CREATE PROCEDURE [dbo].[p] AS
BEGIN
  INSERT INTO [dbo].[AspNetUsers] ([Id]) VALUES (N'trap');
  INSERT [dbo].[AspNetUsers] ([Id]) VALUES (N'go
GO-ing')
END
GO
SET IDENTITY_INSERT [dbo].[AspNetUsers] ON
INSERT [dbo].[AspNetUsers] ([Id], [Email], [LockoutEnd]) VALUES (N'1', N'ada@example.com', NULL)
INSERT [dbo].[AspNetUsers] ([Id], [Email], [LockoutEnd]) VALUES (N'2', N'it''s
GO
x', CAST(N'9999-12-31T23:59:59.9999999+00:00' AS DateTimeOffset))
GO
PRINT 'Processed 100 total records'
INSERT [dbo].[AspNetUsers] ([Id], [Email], [LockoutEnd]) VALUES (N'3', N'\\', NULL);
INSERT INTO [dbo].[AspNetUsers] ([Id]) VALUES (N'4'), (N'5')
SET IDENTITY_INSERT [dbo].[AspNetUsers] OFF
GO
ALTER TABLE [dbo].[Others] CHECK CONSTRAINT [c] -- it's
INSERT INTO [dbo].[AspNetUsers] ([Id]) VALUES (N'6') -- it's
GO
ALTER TABLE [dbo].[AspNetUsers] ADD  DEFAULT ((0)) FOR [Email]
`.replaceAll('\n', lineBreak);
    expect(await rowsOf(dump, 'dbo.AspNetUsers')).toEqual([
      { Id: '1', Email: 'ada@example.com', LockoutEnd: null },
      { Id: '2', Email: `it's${lineBreak}GO${lineBreak}x`, LockoutEnd: '9999-12-31T23:59:59.9999999+00:00' },
      { Id: '3', Email: '\\', LockoutEnd: null },
      { Id: '4' },
      { Id: '5' },
      { Id: '6' },
    ]);
  });

  it('needs no line break at the end', async () => {
    const script = "SET ANSI_NULLS ON\nGO\nINSERT [dbo].[t] ([a]) VALUES (N'1')";
    expect(await rowsOf(script, 'dbo.t')).toEqual([{ a: '1' }]);
    expect(await rowsOf(`${script}\nGO`, 'dbo.t')).toEqual([{ a: '1' }]);
  });
});
