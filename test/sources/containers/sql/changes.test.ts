import { describe, expect, it } from 'vitest';
import { readBack } from '../../writers/read-back.ts';
import { readDump } from './read-dump.ts';

const POSTGRES = '-- PostgreSQL database\nSET standard_conforming_strings = on;\n';
const MYSQL = "/*!40101 SET NAMES utf8mb4 */;\nSET sql_mode = '';\n";
const SQLITE = 'PRAGMA foreign_keys=OFF;\n';
const MSSQL = 'SET ANSI_NULLS ON\nGO\n';

const TABLE = 'CREATE TABLE users (id int, name text);\n';
const ROWS = "INSERT INTO users (id, name) VALUES (1, 'Ada'), (2, 'Bob');\n";
const COPY = 'COPY users (id, name) FROM stdin;\n1\tAda\n2\tBob\n\\.\n';

const HEADS = [POSTGRES, MYSQL, SQLITE, MSSQL, ''];

type Statement = readonly [head: string, statement: string];
const of = (head: string, statements: readonly string[]) =>
  statements.map((statement): Statement => [head, statement]);

/** Statements that remove rows, which are harmless before the rows. */
const REMOVALS: readonly Statement[] = [
  ...HEADS.flatMap((head) =>
    of(head, ['DELETE FROM users WHERE id = 2;', 'DROP TABLE users;', 'delete from "users";', 'ROLLBACK;']),
  ),
  ...of(POSTGRES, [
    'TRUNCATE users;',
    'TRUNCATE TABLE ONLY public.users, other CASCADE;',
    'TRUNCATE other CASCADE;',
    'DROP EXTENSION citext CASCADE;',
    'DELETE FROM ONLY users USING other WHERE other.id = users.id;',
    'DROP SCHEMA users CASCADE;',
    'DROP OWNED BY ada;',
  ]),
  ...of(MYSQL, [
    'DELETE u FROM users u JOIN other USING (id);',
    'TRUNCATE TABLE `users`;',
    '/*!40000 DROP TABLE IF EXISTS `users`*/;',
    '/*!50001 DELETE FROM users */;',
  ]),
  ...of(MSSQL, [
    'TRUNCATE TABLE [dbo].[users]\nGO\n',
    "IF OBJECT_ID(N'x') IS NOT NULL DROP TABLE users\nGO\n",
  ]),
];

/** Statements that are not executed, wherever they stand. */
const REFUSED: readonly Statement[] = [
  ...HEADS.flatMap((head) =>
    of(head, ["UPDATE users SET name = 'x; y' WHERE id = 2;", 'UPDATE settings SET a = 1;', 'CALL f();']),
  ),
  ...of(POSTGRES, [
    'ALTER TABLE users RENAME TO old_users;',
    'ALTER TABLE ONLY public.users RENAME COLUMN name TO id2;',
    'ALTER TABLE users ADD COLUMN first text;',
    'ALTER TABLE users ADD first text;',
    'ALTER TABLE users OWNER TO ada, DROP COLUMN name;',
    'ALTER TABLE users ALTER COLUMN name TYPE text USING hash;',
    'ALTER TABLE users SET SCHEMA archive;',
    'ALTER TABLE parent DETACH PARTITION users;',
    "ALTER TYPE mood RENAME VALUE 'a' TO 'b';",
    'ALTER SCHEMA app RENAME TO old;',
    'MERGE INTO users USING other ON other.id = users.id WHEN MATCHED THEN DELETE;',
    "COPY users FROM PROGRAM 'cat';",
    "COPY users (id) FROM '/tmp/x';",
    'INSERT INTO users SELECT * FROM other;',
    'INSERT INTO users (SELECT * FROM other);',
    'WITH gone AS (DELETE FROM users RETURNING *) SELECT count(*) FROM gone;',
    'DO $$ BEGIN DELETE FROM users; END $$;',
    'SELECT delete_users();',
    'EXECUTE gone;',
    "INSERT INTO users (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = excluded.name;",
    // Columns with the names of words that are about indexes.
    ...['RENAME hash TO h', 'RENAME key TO k', 'DROP key', 'DROP index CASCADE'].map(
      (action) => `ALTER TABLE users ${action};`,
    ),
  ]),
  ...of(MYSQL, [
    'UPDATE LOW_PRIORITY `users`, other SET users.name = other.name;',
    'RENAME TABLE users TO old_users, new_users TO users;',
    'ALTER TABLE `users` CHANGE name title text;',
    'ALTER TABLE `users` MODIFY name text FIRST;',
    'ALTER TABLE `users` MODIFY id int AUTO_INCREMENT AFTER name;',
    'ALTER IGNORE TABLE users ADD UNIQUE (name);',
    "INSERT INTO users (id, name) VALUES (1, 'x') ON DUPLICATE KEY UPDATE name = VALUES(name);",
    'INSERT INTO users SET id = 3;',
    "LOAD DATA INFILE '/tmp/x' INTO TABLE users;",
    'DELIMITER ;;\nUPDATE users SET id = 1;;\nDELIMITER ;',
  ]),
  ...of(MSSQL, [
    "EXEC sp_rename 'users', 'old_users'\nGO\n",
    'EXEC [dbo].[delete_users]\nGO\n',
    "IF 1 = 1 EXEC sp_rename 'users', 'old_users'\nGO\n",
    "SET NOCOUNT ON\nUPDATE users SET name = 'x'\nGO\n",
    'MERGE users AS t USING other AS s ON t.id = s.id WHEN MATCHED THEN DELETE;',
  ]),
];

/** Statements that are refused only after rows, and that have or describe rows themselves. */
const REFUSED_AFTER_ROWS: readonly Statement[] = [
  ...of(POSTGRES, ['CREATE TABLE users (id int);']),
  ...of(MYSQL, ["REPLACE INTO users (id, name) VALUES (1, 'x');"]),
  ...of(SQLITE, ["INSERT OR REPLACE INTO users (id, name) VALUES (1, 'x');"]),
];

/** Statements of dumps that do not change earlier rows. */
const HARMLESS: readonly Statement[] = [
  ...of(POSTGRES, [
    'ALTER TABLE ONLY public.users ADD CONSTRAINT users_pkey PRIMARY KEY (id);',
    'ALTER TABLE users OWNER TO ada; ALTER TABLE users ENABLE ROW LEVEL SECURITY;',
    'ALTER TABLE users DISABLE TRIGGER ALL; ALTER TABLE users CLUSTER ON users_pkey;',
    'ALTER TABLE users DROP CONSTRAINT x; ALTER TABLE users ALTER COLUMN id DROP DEFAULT;',
    'ALTER TABLE ONLY users ALTER COLUMN id SET DEFAULT nextval($$s$$), REPLICA IDENTITY FULL;',
    'ALTER TABLE users ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME s);',
    'ALTER TABLE ONLY users ATTACH PARTITION users_1 FOR VALUES FROM (1) TO (2);',
    'ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT,INSERT,UPDATE ON TABLES TO ada;',
    "SELECT pg_catalog.setval('users_id_seq', 2, true); ANALYZE users; VACUUM users;",
    "SELECT pg_catalog.lo_create('1'); SELECT pg_catalog.lowrite(0, '\\x00');",
    'CREATE TRIGGER t BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION f(); COMMENT ON TABLE users IS $$DELETE FROM users;$$;',
    'CREATE RULE r AS ON DELETE TO users DO INSTEAD (DELETE FROM other; UPDATE users SET id = 1);',
    'GRANT SELECT, UPDATE, DELETE ON users TO ada; REVOKE DELETE ON users FROM ada;',
    'DROP TABLE IF EXISTS other; TRUNCATE other; DELETE FROM sessions; DROP INDEX users;',
    'CREATE ROLE ada; ALTER ROLE ada WITH LOGIN; CREATE MATERIALIZED VIEW v AS SELECT * FROM users;',
    "INSERT INTO users (id, name) VALUES (3, 'x') ON CONFLICT DO NOTHING;",
    'BEGIN; COMMIT; LOCK TABLE users; COPY users TO stdout;',
    'CREATE TABLE IF NOT EXISTS users (id int, name text);',
  ]),
  ...of(MYSQL, [
    'ALTER TABLE `users` RENAME INDEX a TO b, DROP KEY c, ADD KEY k (name) USING HASH;',
    '/*!40000 ALTER TABLE `users` DISABLE KEYS */;\n/*!40000 ALTER TABLE `users` ENABLE KEYS */;\nUNLOCK TABLES;',
    'ALTER TABLE `users` ADD PRIMARY KEY (`id`), ADD KEY `k` (`name`) USING BTREE; ALTER TABLE users MODIFY `id` int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=12;',
    'DELIMITER ;;\n/*!50003 CREATE*/ /*!50003 TRIGGER t BEFORE DELETE ON users FOR EACH ROW BEGIN DELETE FROM users; END */;;\nDROP PROCEDURE IF EXISTS p;;\nDELIMITER ;\n',
    'DELIMITER $$\nCREATE PROCEDURE p() BEGIN DELETE FROM users; END$$\nDELIMITER ;\n',
    "/*!50112 SELECT COUNT(*) INTO @is_rocksdb_supported FROM x */;\n/*!50112 SET @save_rocksdb = IF(@is_rocksdb_supported, 'SET a = 1', 'SET b = 0') */;\n/*!50112 PREPARE s FROM @save_rocksdb */;\n/*!50112 EXECUTE s */;\n/*!50112 DEALLOCATE PREPARE s */;",
  ]),
  ...of(SQLITE, [
    'DELETE FROM sqlite_sequence;\nINSERT INTO sqlite_sequence VALUES(1, 2);',
    'CREATE TRIGGER t AFTER DELETE ON users BEGIN DELETE FROM users; UPDATE users SET id = 1; END;',
  ]),
  ...of(MSSQL, [
    'UPDATE STATISTICS [dbo].[users]\nGO\n',
    "EXEC sys.sp_addextendedproperty @name=N'Update', @level1name=N'people'\nGO\n",
    "IF NOT EXISTS (SELECT 1)\nBEGIN\nEXEC dbo.sp_executesql @statement = N'CREATE VIEW v AS SELECT 1'\nEND\nGO\n",
    'CREATE PROCEDURE p AS\nDELETE FROM users\nUPDATE users SET id = 1\nGO\nALTER PROCEDURE p AS\nDELETE FROM users\nGO\n',
    'ALTER TABLE [dbo].[users]  WITH CHECK ADD  CONSTRAINT [c] FOREIGN KEY([id])\nREFERENCES [dbo].[o] ([id])\nON DELETE CASCADE\nGO\nALTER TABLE [dbo].[users] CHECK CONSTRAINT [c]\nGO\n',
  ]),
];

const refusal = expect.stringMatching(/ at line \d+ is not read: .* Load the dump into a database/);

describe.each([...REMOVALS, ...REFUSED, ...REFUSED_AFTER_ROWS])('%s%s', (head, statement) => {
  it('stops the import after rows, with its line', async () => {
    for (const rows of head === '' || head === POSTGRES ? [ROWS, COPY] : [ROWS]) {
      const before = `${head}${TABLE}${rows}`;
      for (const wanted of ['users', 'none']) {
        const back = await readBack(`${before}${statement}\n${ROWS}`, {}, (name) => name === wanted);
        expect(back).toEqual({ refused: refusal });
      }
    }
  });
});

describe('before the rows', () => {
  it.each(REMOVALS)('%s%s changes no rows', async (head, statement) => {
    const { rows, problem } = await readDump(`${head}${statement}\n${TABLE}${ROWS}`);
    expect(problem).toBeUndefined();
    expect(rows.users).toHaveLength(2);
  });

  it.each(REFUSED.filter(([head]) => head !== ''))('%s%s stops the import', async (head, statement) => {
    expect(await readBack(`${head}${statement}\n${TABLE}${ROWS}`)).toEqual({ refused: refusal });
  });
});

describe.each(HARMLESS)('%s%s', (head, statements) => {
  it('changes no rows', async () => {
    const { rows, problem } = await readDump(`${head}${TABLE}${ROWS}${statements}\n`);
    expect(problem).toBeUndefined();
    expect(rows.users?.slice(0, 2)).toEqual([
      { id: '1', name: 'Ada' },
      { id: '2', name: 'Bob' },
    ]);
  });
});

it('the tables of each database of mysqldump may be dropped first', async () => {
  const part = (name: string) =>
    `DROP DATABASE IF EXISTS \`${name}\`;\nCREATE DATABASE \`${name}\`;\nUSE \`${name}\`;\nDROP TABLE IF EXISTS \`users\`;\n${TABLE}${ROWS}`;
  const { rows, problem } = await readDump(`${MYSQL}${part('a')}${part('b')}`);
  expect(problem).toBeUndefined();
  expect(rows['a.users']).toEqual(rows['b.users']);
  const again = await readDump(`${MYSQL}${part('a')}DROP DATABASE \`a\`;\n`);
  expect(again.problem?.code).toBe('FILE_INVALID');
});

describe('a table with and without its default schema is one table', () => {
  const NAMES = [
    [POSTGRES, 'public.users', 'users'],
    ['', 'users', 'public.users'],
    [MSSQL, '[dbo].[users]', '[users]'],
  ] as const;

  it.each(NAMES)('%s%s, %s: all rows are read', async (head, first, second) => {
    const dump = `${head}CREATE TABLE ${first} (id int, name text);\nINSERT INTO ${first} VALUES (1, 'Ada');\nINSERT INTO ${second} VALUES (2, 'Bob');\n`;
    const back = await readBack(dump);
    expect(back).toMatchObject({
      records: [
        { id: '1', name: 'Ada' },
        { id: '2', name: 'Bob' },
      ],
    });
  });

  it.each(NAMES)('%s%s, %s: rows that cannot be read are noticed', async (head, first, second) => {
    const dump = `${head}CREATE TABLE ${first} (id int, name text);\nINSERT INTO ${first} VALUES (1, 'Ada');\nINSERT INTO ${second} SELECT * FROM more;\n`;
    expect(await readBack(dump)).toEqual({
      refused: expect.stringContaining('INSERT without VALUES at line'),
    });
  });

  it('the same name in another schema is another table', async () => {
    const dump = `${POSTGRES}CREATE TABLE old.users (id int);\nINSERT INTO users (id) VALUES (1);\nINSERT INTO old.users VALUES (2);\n`;
    const { rows } = await readDump(dump);
    expect(rows).toEqual({ users: [{ id: '1' }], 'old.users': [{ id: '2' }] });
  });
});

describe('transactions', () => {
  it.each(['ROLLBACK;', 'ABORT;', 'rollback to savepoint a;', 'ROLLBACK; -- due to errors'])(
    'rows before %s are refused',
    async (end) => {
      for (const head of [POSTGRES, MYSQL, SQLITE, '']) {
        const back = await readBack(`${head}${TABLE}BEGIN;\n${ROWS}${end}\nCOMMIT;\n`);
        expect(back).toEqual({ refused: refusal });
      }
    },
  );

  it.each([POSTGRES, MYSQL, SQLITE, ''])(
    '%s: a transaction without COMMIT means that the file is truncated',
    async (head) => {
      const { problem } = await readDump(`${head}BEGIN;\n${ROWS}`);
      expect(problem?.code).toBe('FILE_TRUNCATED');
    },
  );
});

it('tables of a second database of PostgreSQL are named after it', async () => {
  const part = (name: string) =>
    `\\connect ${name}\nSET standard_conforming_strings = on;\nDROP TABLE IF EXISTS users;\n${TABLE}${COPY}COPY public.${name} (id) FROM stdin;\n1\n\\.\n`;
  const { rows, problem } = await readDump(`${POSTGRES}\\connect template1\n${part('a')}${part('b')}`);
  expect(problem).toBeUndefined();
  expect(Object.keys(rows)).toEqual(['users', 'public.a', 'b.users', 'b.public.b']);
  expect(rows.users).toEqual(rows['b.users']);
});

it('mysqldump --replace is read', async () => {
  const dump = `-- MySQL dump 10.13\n${MYSQL}${TABLE}REPLACE INTO users VALUES (1,'Ada');\nREPLACE INTO users VALUES (2,'Bob');\n-- Dump completed\n`;
  expect((await readDump(dump)).rows.users).toHaveLength(2);
});

describe('unreadable statements', () => {
  it.each([
    [POSTGRES, "INSERT INTO users (id) VALUES ('a'b'c');"],
    [POSTGRES, "INSERT INTO users (id) VALUES ('a\\'', 'b');"],
    [MYSQL, "INSERT INTO users (id) VALUES (b'c'd');"],
    [POSTGRES, 'INSERT INTO users (id) VALUES (now(; 1);'],
    [POSTGRES, "INSERT INTO users (id) VALUES (1) '2';"],
    [POSTGRES, "', 'b');"],
    [POSTGRES, 'boss@example.org'],
    [POSTGRES, '\\i other.sql'],
    [POSTGRES, "\\copy users from 'x'"],
  ])('%s%s stops the file before any later row', async (head, torn) => {
    for (const want of [true, false]) {
      const { rows, problem } = await readDump(`${head}${ROWS}${torn}\n${ROWS}${ROWS}`, {
        wanted: () => want,
      });
      expect(problem?.code).toBe('FILE_INVALID');
      expect(rows.users?.length ?? 0).toBeLessThanOrEqual(3);
    }
  });

  it('a line of COPY that ends in a backslash continues in the next line', async () => {
    const { rows } = await readDump(`${POSTGRES}COPY t (a, b) FROM stdin;\n1\tx\\\n2\ty\\\\\n3\tz\n\\.\n`);
    expect(rows.t).toEqual(['COLUMNS_MISSING', { a: '3', b: 'z' }]);
  });
});
