import { describe, expect, it } from 'vitest';
import { readDump } from './read-dump.ts';

const HEAD = '-- PostgreSQL database\nSET standard_conforming_strings = on;\n';
const TABLE = 'pg_catalog.pg_authid';

const rolesIn = async (text: string) => {
  const { rows, problem } = await readDump(HEAD + text);
  expect(problem).toBeUndefined();
  return rows[TABLE];
};

describe('roles of pg_dumpall', () => {
  it('are rows, each with the options of ALTER ROLE', async () => {
    const text = `CREATE ROLE ada;
ALTER ROLE ada WITH NOSUPERUSER INHERIT LOGIN CONNECTION LIMIT 3 PASSWORD 'md5x' VALID UNTIL '2030-01-01 00:00:00+00';
CREATE ROLE "o'neil ""x""; --";
ALTER ROLE "o'neil ""x""; --" WITH SUPERUSER NOLOGIN CONNECTION LIMIT -1 PASSWORD 'it''s; ALTER ROLE ada';
CREATE ROLE zoë;
ALTER ROLE zoë WITH LOGIN;
`;
    expect(await rolesIn(text)).toEqual([
      {
        rolname: 'ada',
        rolsuper: 'false',
        rolcanlogin: 'true',
        rolconnlimit: '3',
        rolpassword: 'md5x',
        rolvaliduntil: '2030-01-01 00:00:00+00',
      },
      {
        rolname: `o'neil "x"; --`,
        rolsuper: 'true',
        rolcanlogin: 'false',
        rolconnlimit: '-1',
        rolpassword: "it's; ALTER ROLE ada",
      },
      { rolname: 'zoë', rolcanlogin: 'true' },
    ]);
  });

  it('are not created by texts in comments and settings', async () => {
    const text = `COMMENT ON ROLE ada IS 'x';
ALTER ROLE ada WITH LOGIN PASSWORD 'a';
COMMENT ON ROLE ada IS 'CREATE ROLE evil;
ALTER ROLE evil WITH LOGIN PASSWORD ''b'';';
ALTER ROLE ada SET search_path TO 'x; ALTER ROLE evil WITH LOGIN';
ALTER ROLE ada IN DATABASE "login" SET x TO 'y';
ALTER ROLE ALL SET x TO 'y';
CREATE USER MAPPING FOR ada SERVER login OPTIONS (password 'p');
ALTER USER MAPPING FOR ada SERVER s OPTIONS (SET password 'p');
GRANT login TO ada;
`;
    expect(await rolesIn(text)).toEqual([{ rolname: 'ada', rolcanlogin: 'true', rolpassword: 'a' }]);
  });

  it.each(['IN ROLE login', 'ROLE login', 'ADMIN login', "PASSWORD E'a\\'b'", 'SYSID 7', 'RENAME TO bob'])(
    'have an error in their row for an option that pg_dumpall does not write: %s',
    async (option) => {
      const text = `ALTER ROLE ada ${option.startsWith('RENAME') ? '' : 'WITH LOGIN '}${option};\nALTER ROLE bob WITH LOGIN;\n`;
      expect(await rolesIn(text)).toEqual(['SQL_INVALID', { rolname: 'bob', rolcanlogin: 'true' }]);
    },
  );

  it('have an error for a statement with too many options', async () => {
    const text = `ALTER ROLE ada WITH ${'LOGIN '.repeat(250)}NOLOGIN;\nALTER ROLE bob WITH NOLOGIN;\n`;
    expect(await rolesIn(text)).toEqual(['SQL_INVALID', { rolname: 'bob', rolcanlogin: 'false' }]);
  });

  it('may log in after CREATE USER, but not after CREATE ROLE, in scripts of other authors', async () => {
    const text = `CREATE USER ada PASSWORD 'a';\nCREATE ROLE bob WITH PASSWORD 'b';\nCREATE ROLE carl;\n`;
    expect(await rolesIn(text)).toEqual([
      { rolname: 'ada', rolcanlogin: 'true', rolpassword: 'a' },
      { rolname: 'bob', rolpassword: 'b' },
    ]);
  });

  it.each([
    'ALTER ROLE ada NOLOGIN;',
    'ALTER USER ada WITH PASSWORD NULL;',
    'ALTER ROLE ada RENAME TO x;',
    'DROP ROLE ada;',
  ])('are all refused if one of them is changed after it was read: %s', async (statement) => {
    const { problem } = await readDump(`${HEAD}ALTER ROLE ada WITH LOGIN PASSWORD 'a';\n${statement}\n`, {
      wanted: (table) => table.name === TABLE,
    });
    expect(problem?.message).toContain('changes a role before it');
  });

  it('ignore statements before the first role', async () => {
    expect(
      await rolesIn(`DROP ROLE IF EXISTS ada;\nCREATE ROLE ada;\nALTER ROLE ada WITH LOGIN;\n`),
    ).toHaveLength(1);
  });

  it('are not created by accounts of MySQL', async () => {
    const text =
      "/*!40101 SET NAMES utf8mb4 */;\nCREATE USER `ada`@`%` IDENTIFIED BY PASSWORD '*x';\nALTER USER `ada`@`%` ACCOUNT LOCK;\n";
    expect((await readDump(text)).rows[TABLE]).toBeUndefined();
  });
});

it('roles are complete or missing, wherever the file is cut', async () => {
  const text = `${HEAD}ALTER ROLE ada WITH LOGIN PASSWORD 'a';\nALTER ROLE "bob" WITH LOGIN PASSWORD 'it''s';\n`;
  const whole = (await readDump(text)).rows[TABLE] ?? [];
  expect(whole).toHaveLength(2);
  for (let length = HEAD.length; length < text.length; length += 1) {
    const { rows, problem } = await readDump(text.slice(0, length));
    const read = rows[TABLE] ?? [];
    // A row is read as soon as its semicolon is. A truncated statement stops the file.
    if (problem === undefined) expect(whole.slice(0, read.length)).toEqual(read);
  }
  for (const chunkBytes of [1, 7, 64])
    expect((await readDump(text, { chunkBytes })).rows[TABLE]).toEqual(whole);
});
