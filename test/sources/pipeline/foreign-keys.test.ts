import { describe, expect, it } from 'vitest';
import { filesOf } from '../containers/read-whole.ts';
import { planOf } from '../samples.ts';

const BCRYPT = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

/** Returns the foreign keys of each table, and the tables that the import asks about. */
async function readDump(
  dump: string,
  options: Record<string, string> = { map: 'email=email,hash=pw', table: 'users' },
) {
  const { surveys, advice } = await planOf({ files: filesOf({ 'dump.sql': dump }), options });
  const references = surveys
    .flatMap(({ tables }) => tables)
    .map((table) => [table.name, (table.references ?? []).map((key) => `${key.column} -> ${key.table}`)]);
  const asked = advice.flatMap(({ question }) => question?.tables ?? []);
  return { references: Object.fromEntries(references), asked };
}

describe('a table with a foreign key to the users is asked about, whatever its columns are called', () => {
  it('SQLite: .dump', async () => {
    const { references, asked } = await readDump(`PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE users (id integer primary key, email text, pw text, boss integer references users);
INSERT INTO users VALUES(1,'ada@example.com','${BCRYPT}',NULL);
CREATE TABLE suspensions (holder integer NOT NULL REFERENCES "Users" ("id") DEFERRABLE INITIALLY DEFERRED, until text);
INSERT INTO suspensions VALUES(1,'2099-01-01');
CREATE TABLE badges (a integer, b integer, why text default 'references', FOREIGN KEY (a, b) REFERENCES kinds(x, y));
INSERT INTO badges VALUES(1,2,'x');
CREATE TABLE IF NOT EXISTS "shop_customer" ("user_ptr_id" integer NOT NULL PRIMARY KEY REFERENCES "users" ("id"), "vip" bool);
INSERT INTO shop_customer VALUES(1,0);
COMMIT;
`);
    expect(references).toEqual({
      shop_customer: ['user_ptr_id -> users'],
      users: ['boss -> users'],
      suspensions: ['holder -> Users'],
      badges: ['a -> kinds', 'b -> kinds'],
    });
    expect(asked).toEqual(['suspensions', 'shop_customer']);
  });

  it('MySQL: mysqldump, and phpMyAdmin after the rows', async () => {
    const dump = `-- MySQL dump 10.13
CREATE TABLE \`users\` (\`id\` int NOT NULL, \`email\` varchar(99), \`pw\` varchar(99), PRIMARY KEY (\`id\`));
INSERT INTO \`users\` VALUES (1,'ada@example.com','${BCRYPT}');
CREATE TABLE \`suspensions\` (
  \`holder\` int NOT NULL,
  KEY \`k\` (\`holder\`),
  CONSTRAINT \`fk\` FOREIGN KEY (\`holder\`) REFERENCES \`users\` (\`id\`) ON DELETE CASCADE
) ENGINE=InnoDB;
INSERT INTO \`suspensions\` VALUES (1);
CREATE TABLE \`strikes\` (\`nr\` int, \`of\` int);
INSERT INTO \`strikes\` VALUES (1,1);
ALTER TABLE \`strikes\`
  ADD CONSTRAINT \`fk1\` FOREIGN KEY (\`nr\`) REFERENCES \`kinds\` (\`id\`),
  ADD CONSTRAINT \`fk2\` FOREIGN KEY \`fk2\` (\`of\`) REFERENCES \`shop\`.\`users\` (\`id\`) ON DELETE SET NULL;
-- Dump completed
`;
    const { references, asked } = await readDump(dump);
    expect(references).toEqual({
      users: [],
      suspensions: ['holder -> users'],
      strikes: ['nr -> kinds', 'of -> shop.users'],
    });
    expect(asked).toEqual(['suspensions', 'strikes']);
  });

  it('PostgreSQL: pg_dump, which states them at the end', async () => {
    const { references, asked } = await readDump(`--
-- PostgreSQL database dump
--
SET standard_conforming_strings = on;
CREATE TABLE public.suspensions (holder integer, until date);
CREATE TABLE public.users (id integer NOT NULL, email text, pw text);
CREATE TABLE public.bans (user_id integer, until date);
COPY public.bans (user_id, until) FROM stdin;
\\.
COPY public.suspensions (holder, until) FROM stdin;
1	2099-01-01
\\.
COPY public.users (id, email, pw) FROM stdin;
1	ada@example.com	${BCRYPT}
\\.
ALTER TABLE ONLY public.users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.suspensions
    ADD CONSTRAINT fk FOREIGN KEY (holder) REFERENCES public.users(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
--
-- PostgreSQL database dump complete
--
`);
    // The table of bans is empty.
    expect(references).toEqual({
      'public.bans': [],
      'public.users': [],
      'public.suspensions': ['holder -> public.users'],
    });
    expect(asked).toEqual(['public.suspensions']);
  });

  it('SQL Server', async () => {
    const { references, asked } = await readDump(`USE [shop]
GO
CREATE TABLE [dbo].[users]([id] [int] NOT NULL, [email] [nvarchar](99), [pw] [nvarchar](99))
GO
CREATE TABLE [dbo].[Suspensions]([Holder] [int] NOT NULL)
GO
INSERT [dbo].[users] ([id], [email], [pw]) VALUES (1, N'ada@example.com', N'${BCRYPT}')
INSERT [dbo].[Suspensions] ([Holder]) VALUES (1)
GO
ALTER TABLE [dbo].[Suspensions]  WITH CHECK ADD  CONSTRAINT [FK] FOREIGN KEY([Holder])
REFERENCES [dbo].[users] ([id])
GO
ALTER TABLE [dbo].[Suspensions] CHECK CONSTRAINT [FK]
GO
`);
    expect(references['dbo.Suspensions']).toEqual(['Holder -> dbo.users']);
    expect(asked).toEqual(['dbo.Suspensions']);
  });
});

it('does not count who wrote a row as a reference', async () => {
  const { asked } = await readDump(`-- MySQL dump 10.13
CREATE TABLE \`users\` (\`id\` int NOT NULL, \`email\` varchar(99), \`pw\` varchar(99));
INSERT INTO \`users\` VALUES (1,'ada@example.com','${BCRYPT}');
CREATE TABLE \`pages\` (\`id\` int, \`create_uid\` int, \`created_by_id\` int, FOREIGN KEY (\`created_by_id\`) REFERENCES \`users\` (\`id\`));
INSERT INTO \`pages\` VALUES (1,1,1);
CREATE TABLE \`holds\` (\`id\` int, \`created_by_id\` int, \`whom\` int, FOREIGN KEY (\`whom\`) REFERENCES \`users\` (\`id\`));
INSERT INTO \`holds\` VALUES (1,1,1);
-- Dump completed
`);
  expect(asked).toEqual(['holds']);
});

it.each(['wp_', 'blog_wp_'])('knows tables of a system behind the prefix %s', async (prefix) => {
  const table = (name: string, columns: string, values: string) =>
    `CREATE TABLE \`${prefix}${name}\` (${columns});\nINSERT INTO \`${prefix}${name}\` VALUES (${values});\n`;
  const columns = 'ID int, user_login text, user_pass text, user_email text';
  const dump = [
    table('users', columns, "1,'ada','x','ada@example.com'"),
    table('usermeta', 'umeta_id int, user_id int, meta_key text, meta_value text', "1,1,'nickname','ada'"),
    ...['comments', '2_comments', 'x_comments'].map((name) => table(name, 'user_id int', '1')),
  ];
  const { asked } = await readDump(`-- MySQL dump 10.13\n${dump.join('')}-- Dump completed\n`, {});
  expect(asked).toEqual([`${prefix}x_comments`]);
});

it.each([
  ['teams', 'id, user_id, personal_team', []],
  ['teams', 'id, user_id, blocked', ['teams']],
  ['sessions', 'id, user_id, payload', []],
  ['sessions', 'user_id, closed', ['sessions']],
  ['subscriptions', 'id, user_id, stripe_id', []],
  ['subscriptions', 'user_id, blocked', ['subscriptions']],
])('knows a table %s of Laravel by a column of its own: %s', async (name, columns, expected) => {
  const values = columns.replaceAll(/\w+/g, '1');
  const { asked } = await readDump(
    `PRAGMA foreign_keys=OFF;
CREATE TABLE users (id integer, name text, email text, email_verified_at text, password text, remember_token text, created_at text, updated_at text);
INSERT INTO users VALUES(1,'Ada','ada@example.com',NULL,'${BCRYPT}',NULL,NULL,NULL);
CREATE TABLE ${name} (${columns});
INSERT INTO ${name} VALUES(${values});
`,
    {},
  );
  expect(asked).toEqual(expected);
});

it.each([
  ['member_no', ['suspensions']],
  ['id', []],
])(
  'a table is asked about if it has the column of the ids of users, unless any table may have it: %s',
  async (id, tables) => {
    const { asked } = await readDump(
      `CREATE TABLE users (${id} int, email text, pw text);
INSERT INTO users VALUES (1,'ada@example.com','${BCRYPT}');
CREATE TABLE suspensions (${id} int, why text);
INSERT INTO suspensions VALUES (1,'spam');
`,
      { map: `id=${id},email=email,hash=pw`, table: 'users' },
    );
    expect(asked).toEqual(tables);
  },
);
