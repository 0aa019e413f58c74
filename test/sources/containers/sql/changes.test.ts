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

/** Statements that change rows which a dump has inserted before. */
const CHANGES: readonly (readonly [head: string, statement: string])[] = [
  ...[POSTGRES, MYSQL, SQLITE, MSSQL, ''].flatMap((head) =>
    [
      'DELETE FROM users WHERE id = 2;',
      "UPDATE users SET name = 'x; y' WHERE id = 2;",
      'DROP TABLE users;',
      'delete from "users";',
    ].map((statement) => [head, statement] as const),
  ),
  [POSTGRES, 'TRUNCATE users;'],
  [POSTGRES, 'TRUNCATE TABLE ONLY public.users, other CASCADE;'],
  [POSTGRES, 'DELETE FROM ONLY users USING other WHERE other.id = users.id;'],
  [POSTGRES, 'ALTER TABLE users RENAME TO old_users;'],
  [POSTGRES, 'ALTER TABLE ONLY public.users RENAME COLUMN name TO id2;'],
  [POSTGRES, 'ALTER TABLE users DROP COLUMN name;'],
  // Columns with the names of words that are about indexes.
  ...['RENAME hash TO h', 'RENAME key TO k', 'DROP key', 'DROP index CASCADE'].map(
    (action) => [POSTGRES, `ALTER TABLE users ${action};`] as const,
  ),
  [POSTGRES, 'ALTER TABLE users ALTER COLUMN name TYPE text USING hash;'],
  [POSTGRES, 'ALTER TABLE users SET SCHEMA archive;'],
  [POSTGRES, 'ALTER TABLE users ALTER COLUMN name TYPE text USING upper(name);'],
  [POSTGRES, 'MERGE INTO users USING other ON other.id = users.id WHEN MATCHED THEN DELETE;'],
  [POSTGRES, "COPY users FROM PROGRAM 'cat';"],
  [POSTGRES, "COPY users (id) FROM '/tmp/x';"],
  [POSTGRES, 'INSERT INTO users SELECT * FROM other;'],
  [POSTGRES, 'WITH gone AS (DELETE FROM users RETURNING *) SELECT count(*) FROM gone;'],
  [POSTGRES, 'DO $$ BEGIN DELETE FROM users; END $$;'],
  [POSTGRES, 'DROP SCHEMA users CASCADE; DROP OWNED BY ada;'],
  [
    POSTGRES,
    "INSERT INTO users (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = excluded.name;",
  ],
  [POSTGRES, 'CREATE TABLE users (id int);'],
  [MYSQL, 'DELETE u FROM users u JOIN other USING (id);'],
  [MYSQL, 'UPDATE LOW_PRIORITY `users`, other SET users.name = other.name;'],
  [MYSQL, 'TRUNCATE TABLE `users`;'],
  [MYSQL, 'RENAME TABLE users TO old_users, new_users TO users;'],
  [MYSQL, 'ALTER TABLE `users` CHANGE name title text;'],
  [MYSQL, 'ALTER TABLE `users` CHANGE hash name text;'],
  [MYSQL, 'ALTER TABLE `users` MODIFY name text FIRST;'],
  [MYSQL, 'ALTER IGNORE TABLE users ADD UNIQUE (name);'],
  [MYSQL, "REPLACE INTO users (id, name) VALUES (1, 'x');"],
  [MYSQL, "INSERT INTO users (id, name) VALUES (1, 'x') ON DUPLICATE KEY UPDATE name = VALUES(name);"],
  [MYSQL, 'INSERT INTO users SET id = 3;'],
  [MYSQL, "LOAD DATA INFILE '/tmp/x' INTO TABLE users;"],
  [MYSQL, '/*!40000 DROP TABLE IF EXISTS `users`*/;'],
  [MYSQL, '/*!50001 DELETE FROM users */;'],
  [SQLITE, "INSERT OR REPLACE INTO users (id, name) VALUES (1, 'x');"],
  [MSSQL, 'TRUNCATE TABLE [dbo].[users]\nGO\n'],
  [MSSQL, "EXEC sp_rename 'users', 'old_users'\nGO\n"],
  [MSSQL, 'MERGE users AS t USING other AS s ON t.id = s.id WHEN MATCHED THEN DELETE;'],
];

/** Statements of dumps that do not change earlier rows. */
const HARMLESS: readonly (readonly [head: string, statements: string])[] = [
  [POSTGRES, 'ALTER TABLE ONLY public.users ADD CONSTRAINT users_pkey PRIMARY KEY (id);'],
  [POSTGRES, 'ALTER TABLE users OWNER TO ada; ALTER TABLE users ENABLE ROW LEVEL SECURITY;'],
  [POSTGRES, 'ALTER TABLE users DISABLE TRIGGER ALL; ALTER TABLE users CLUSTER ON users_pkey;'],
  [POSTGRES, 'ALTER TABLE users DROP CONSTRAINT x; ALTER TABLE users ALTER COLUMN id DROP DEFAULT;'],
  [POSTGRES, "SELECT pg_catalog.setval('users_id_seq', 2, true); ANALYZE users; VACUUM users;"],
  [
    POSTGRES,
    'CREATE TRIGGER t BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION f(); COMMENT ON TABLE users IS $$DELETE FROM users;$$;',
  ],
  [POSTGRES, 'CREATE RULE r AS ON DELETE TO users DO INSTEAD (DELETE FROM other; UPDATE users SET id = 1);'],
  [POSTGRES, 'GRANT SELECT, UPDATE, DELETE ON users TO ada; REVOKE DELETE ON users FROM ada;'],
  [POSTGRES, 'DELETE FROM sessions WHERE user_id NOT IN (SELECT id FROM users);'],
  [POSTGRES, "UPDATE settings SET value = 'users'; DROP TABLE IF EXISTS other; TRUNCATE other;"],
  [POSTGRES, "INSERT INTO users (id, name) VALUES (3, 'x') ON CONFLICT DO NOTHING;"],
  [POSTGRES, 'BEGIN; COMMIT;'],
  [POSTGRES, 'ALTER TABLE users ADD CONSTRAINT u UNIQUE USING INDEX i; ALTER TABLE users ADD first text;'],
  [MYSQL, 'ALTER TABLE users RENAME INDEX a TO b, DROP KEY c, ADD KEY k (name) USING HASH;'],
  [POSTGRES, 'CREATE TABLE IF NOT EXISTS users (id int, name text);'],
  [
    MYSQL,
    '/*!40000 ALTER TABLE `users` DISABLE KEYS */;\n/*!40000 ALTER TABLE `users` ENABLE KEYS */;\nUNLOCK TABLES;',
  ],
  [
    MYSQL,
    'ALTER TABLE `users` ADD PRIMARY KEY (`id`), ADD KEY `k` (`name`) USING BTREE; ALTER TABLE users MODIFY id int NOT NULL AUTO_INCREMENT;',
  ],
  [
    MYSQL,
    'DELIMITER ;;\n/*!50003 CREATE*/ /*!50003 TRIGGER t BEFORE DELETE ON users FOR EACH ROW BEGIN DELETE FROM users; END */;;\nDELIMITER ;\n',
  ],
  [SQLITE, 'DELETE FROM sqlite_sequence;\nINSERT INTO sqlite_sequence VALUES(1, 2);'],
  [SQLITE, 'CREATE TRIGGER t AFTER DELETE ON users BEGIN DELETE FROM users; UPDATE users SET id = 1; END;'],
  [MSSQL, 'UPDATE STATISTICS [dbo].[users]\nGO\n'],
  [MSSQL, "EXEC sys.sp_addextendedproperty @name=N'Update', @level1name=N'people'\nGO\n"],
];

describe.each(CHANGES)('%s%s', (head, statement) => {
  it('makes the table that it changes unreadable from the first row on, and no other table', async () => {
    for (const rows of head === '' || head === POSTGRES ? [ROWS, COPY] : [ROWS]) {
      const other = "INSERT INTO logins (id) VALUES ('1');\n";
      const dump = `${head}${TABLE}${other}${rows}${statement}\n`;
      const back = await readBack(dump, {}, (name) => name === 'users');
      expect(back).toEqual({ refused: expect.stringContaining('Table users: ') });
      if (/CASCADE|OWNED/.test(statement)) continue;
      const all = await readDump(dump, { wanted: ({ name }) => name === 'logins' });
      expect(all.problem).toBeUndefined();
      expect(all.rows.logins).toEqual([{ id: '1' }]);
    }
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

describe('before the rows', () => {
  it.each(
    CHANGES.filter(
      ([, statement]) => !/SELECT \*|SET id = 3|^REPLACE|COPY|CREATE TABLE|^INSERT|LOAD/.test(statement),
    ),
  )('%s%s changes no rows', async (head, statement) => {
    const { rows, problem } = await readDump(`${head}${statement}\n${TABLE}${ROWS}`);
    expect(problem).toBeUndefined();
    expect(rows.users?.slice(-2)).toEqual([
      { id: '1', name: 'Ada' },
      { id: '2', name: 'Bob' },
    ]);
  });
});

describe('between CREATE TABLE and its rows', () => {
  it.each([
    [POSTGRES, 'ALTER TABLE users RENAME COLUMN name TO old; ALTER TABLE users RENAME id TO name;'],
    [POSTGRES, 'ALTER TABLE IF EXISTS ONLY public.users RENAME COLUMN name TO old;'],
    [POSTGRES, 'ALTER TABLE users DROP COLUMN id, ADD COLUMN other text;'],
    [MYSQL, 'ALTER TABLE `users` ADD COLUMN other text FIRST;'],
    [MYSQL, 'ALTER TABLE `users` CHANGE name hash text;'],
    [MYSQL, 'ALTER TABLE `users` MODIFY name text FIRST;'],
    [SQLITE, 'ALTER TABLE users RENAME name TO old;'],
  ])('%s%s numbers the columns of rows that name none', async (head, statement) => {
    const { rows, problem } = await readDump(
      `${head}${TABLE}${statement}\nINSERT INTO users VALUES (1, 'Ada');\n`,
    );
    expect(problem).toBeUndefined();
    expect(rows.users).toEqual([{ 0: '1', 1: 'Ada' }]);
    const named = await readDump(`${head}${TABLE}${statement}\n${ROWS}`);
    expect(named.rows.users?.[0]).toEqual({ id: '1', name: 'Ada' });
  });

  it.each([
    [POSTGRES, 'ALTER TABLE users ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY;'],
    [POSTGRES, 'ALTER TABLE ONLY users ADD CONSTRAINT c CHECK (id > 0); ALTER TABLE other DROP COLUMN id;'],
    [MYSQL, '/*!40000 ALTER TABLE `users` DISABLE KEYS */;'],
  ])('%s%s leaves them their names', async (head, statement) => {
    const { rows } = await readDump(`${head}${TABLE}${statement}\nINSERT INTO users VALUES (1, 'Ada');\n`);
    expect(rows.users).toEqual([{ id: '1', name: 'Ada' }]);
  });
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
    expect(await readBack(dump)).toEqual({ refused: expect.stringContaining('users: INSERT') });
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
        expect(back).toEqual({ refused: expect.stringContaining('ROLLBACK') });
      }
    },
  );

  it('committed rows are kept', async () => {
    const { rows, problem } = await readDump(`${SQLITE}BEGIN;\n${ROWS}COMMIT;\nBEGIN;\nROLLBACK;\n`);
    expect(problem).toBeUndefined();
    expect(rows.users).toHaveLength(2);
  });

  it.each([POSTGRES, MYSQL, SQLITE, ''])(
    '%s: a transaction without COMMIT means that the file is truncated',
    async (head) => {
      const { problem } = await readDump(`${head}BEGIN;\n${ROWS}`);
      expect(problem?.code).toBe('FILE_TRUNCATED');
    },
  );
});

it('rows of tables with the same name in two databases are refused', async () => {
  const part = (name: string) => `\\connect ${name}\nSET standard_conforming_strings = on;\n${COPY}`;
  const back = await readBack(`${POSTGRES}${part('a')}${part('b')}`);
  expect(back).toEqual({ refused: expect.stringContaining('several databases') });
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
