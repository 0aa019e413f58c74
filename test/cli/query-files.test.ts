import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { BCRYPT, readNdjson, runCli, scratchFile } from './command-line.ts';
import { Tool } from './tool-process.ts';

/** Converts files by a query. Returns the ids of the users, their lines, and what is said. */
async function convert(files: Readonly<Record<string, string>>, query: string, ...flags: string[]) {
  const paths = Object.entries(files).map(([name, text]) => scratchFile(name, text));
  const { code, stdout, stderr } = await runCli(['convert', ...paths, '--query', query, ...flags]);
  const lines = readNdjson(stdout);
  return { code, lines, ids: lines.map(({ externalUserId }) => externalUserId), stderr };
}

const DUMP = `-- PostgreSQL database dump
CREATE TABLE auth.users (id uuid, mail text, banned boolean, deleted_at timestamp, score integer);
COPY auth.users (id, mail, banned, deleted_at, score) FROM stdin;
u1\tada@example.com\tf\t\\N\t9
u2\tbob@example.com\tt\t\\N\t10
u3\teve@example.com\tf\t2024-01-01\t\\N
\\.
COPY public.creds (user_id, secret) FROM stdin;
u1\t${BCRYPT}
u2\t${BCRYPT}
u3\t${BCRYPT}
\\.
-- PostgreSQL database dump complete
`;
const JOIN = 'from users u join creds c on c.user_id = u.id';
const SELECT = 'select u.id, u.mail as email, c.secret as hash';

describe('--query', () => {
  it('joins tables of a dump, and its column active says who may sign in', async () => {
    const active = 'not u.banned and u.deleted_at is null as active';
    expect((await convert({ 'dump.sql': DUMP }, `${SELECT}, ${active} ${JOIN}`)).ids).toEqual(['u1']);
    const full = 'from auth.users u join public.creds c on c.user_id = u.id;';
    expect((await convert({ 'dump.sql': DUMP }, `${SELECT}, ${active} ${full} -- end`)).ids).toEqual(['u1']);
    const none = await convert({ 'dump.sql': DUMP }, `${SELECT}, null as active ${JOIN}`);
    expect(none.ids).toEqual([]);
  });

  it('asks who may sign in without a column active', async () => {
    const asked = await convert({ 'dump.sql': DUMP }, `${SELECT} ${JOIN}`);
    expect([asked.ids, asked.stderr]).toEqual([[], expect.stringContaining('--active')]);
    const all = await convert({ 'dump.sql': DUMP }, `${SELECT} ${JOIN}`, '--active', 'everybody');
    expect(all.ids).toEqual(['u1', 'u2', 'u3']);
  });

  it('applies a template to hashes that only look like those of a family, and says to which it is not applied', async () => {
    const digest = '5a8fa4e072b16959e4cbac2cadf91298fbf16e31e8c611a76da088071f0114f5';
    const users = `id,mail,pw,old\n1,ada@example.com,${BCRYPT},\n2,bob@example.com,,sha256$0d53$${digest}\n`;
    const query = "select id, mail as email, coalesce(nullif(pw, ''), old) as hash, 1 as active from users";
    const asked = await convert({ 'users.csv': users }, query);
    expect(asked.ids).toEqual(['1']);
    const template = `$salted-sha256$o=sp\${hash|part(2,"$")|utf8}\${hash|part(3,"$")|hex}`;
    const { lines } = await convert({ 'users.csv': users }, query, '--hash', template);
    const salt = Buffer.from('0d53').toString('base64').replace(/=+$/, '');
    expect(lines).toMatchObject([
      { loginMethods: [{ passwordHash: BCRYPT }] },
      { loginMethods: [{ passwordHash: expect.stringContaining(`$salted-sha256$o=sp$${salt}$`) }] },
    ]);
    const inspect = (...flags: string[]) =>
      runCli(['inspect', scratchFile('users.csv', users), '--query', query, ...flags]);
    expect((await inspect('--hash', template)).stdout).toMatch(/--hash is not applied to\s+them: bcrypt 1\./);
    const hint = (await inspect()).stdout.replaceAll(/\s+/g, ' ');
    expect(hint).toContain(
      'one of werkzeug-legacy. Name it with --algorithm werkzeug-legacy if it is of that',
    );
    expect(hint).toContain('with user-import prove');
  });

  it('reads times of several forms, and none that two forms read differently', async () => {
    const users = `id,email,hash,created_at\n1,a@example.com,${BCRYPT},1347677270\n2,b@example.com,${BCRYPT},21.09.2016 14:47\n`;
    const formats = ['--date-format', 's', '--date-format', 'DD.MM.YYYY HH:mm'];
    const query = 'select *, 1 as active from users';
    const { lines } = await convert({ 'users.csv': users }, query, ...formats);
    expect(lines).toMatchObject([
      { loginMethods: [{ timeJoinedInMSSinceEpoch: 1_347_677_270_000 }] },
      { loginMethods: [{ timeJoinedInMSSinceEpoch: Date.UTC(2016, 8, 21, 14, 47) }] },
    ]);
    const both = await convert({ 'users.csv': users }, query, ...formats, '--date-format', 'ms');
    expect([both.lines, both.stderr]).toEqual([[], expect.stringContaining('cannot be read as times')]);
    const wrong = await convert({ 'users.csv': users }, query, ...formats, '--date-format', 'yy');
    expect(wrong.stderr).toContain('--date-format s, DD.MM.YYYY HH:mm, yy: expected');
  });

  /** Ada has two bans, one of which has expired. Bob has none. */
  const BANNED = {
    'users.csv': `id,mail,pw\n1,ada@example.com,${BCRYPT}\n2,bob@example.com,${BCRYPT}\n`,
    'bans.csv': 'user_id,until\n1,2020-01-31 10:00:00\n1,2999-01-31 10:00:00\n',
  };
  const JOINED =
    'b.until is null or b.until < datetime() as active from users u left join bans b on b.user_id = u.id';

  it.each([
    ['an id', 'u.id, u.mail as email, u.pw as hash', []],
    ['no id', 'u.mail as email, u.pw as hash', []],
    ['no id, and a choice', 'u.mail as email, u.pw as hash', ['--shared-address', 'newest']],
    ['no id, and the disabled are kept', 'u.mail as email, u.pw as hash', ['--disabled', 'keep']],
    [
      'accounts of a provider',
      "u.mail as email, null as hash, 'google' as provider, u.id as provider_user_id",
      [],
    ],
  ])('stops at a join that returns a banned person twice, with %s', async (_, columns, flags) => {
    const { lines, stderr } = await convert(
      BANNED,
      `select ${columns}, ${JOINED} order by b.until`,
      ...flags,
    );
    expect([lines, stderr]).toEqual([
      [],
      expect.stringContaining('Somebody may sign in by one row and must not by another one'),
    ]);
    expect(stderr).toContain('Row 3 has somebody who must not, and who may by row 2.');
    expect(stderr).toContain('not exists (select 1 from bans b');
  });

  it('leaves a query that returns somebody twice out of the next command', async () => {
    const paths = Object.entries(BANNED).map(([name, text]) => scratchFile(name, text));
    const query = `select u.id, u.mail as email, u.pw as hash, ${JOINED}`;
    const { stderr } = await runCli(['inspect', ...paths, '--query', query]);
    expect(stderr).toMatch(/^Next: .*bans\.csv --query …\n$/s);
  });

  it('lets nobody in by one of several rows whatever the order, and tells people with ids apart', async () => {
    const { 'users.csv': users } = BANNED;
    const columns = 'select u.mail as email, u.pw as hash';
    expect((await convert(BANNED, `${columns}, ${JOINED} order by b.until desc`)).stderr).toContain(
      'Row 1 has somebody who must not',
    );
    const twice = users.replace('bob@', 'ada@');
    const query = 'select id, mail as email, pw as hash, id <> 1 as active from users';
    expect((await convert({ 'users.csv': twice }, query)).ids).toEqual(['2']);
  });

  it('reads people with the condition that the question recommends', async () => {
    const condition =
      'not exists (select 1 from bans b where b.user_id = u.id and (b.until is null or b.until > current_timestamp))';
    const query = `select u.id, u.mail as email, u.pw as hash, ${condition} as active from users u`;
    expect((await convert(BANNED, query)).ids).toEqual(['2']);
  });

  it.each(['active', '"Active"'])('adds --active to its column %s, and never ignores it', async (name) => {
    const query = `${SELECT}, u.score, not u.banned as ${name} ${JOIN}`;
    const flags = ['--active', 'score=9,10', '--ignore-rest'];
    expect((await convert({ 'dump.sql': DUMP }, query, ...flags)).ids).toEqual(['u1']);
    const all = await convert({ 'dump.sql': DUMP }, query, '--active', 'everybody', '--ignore-rest');
    expect(all.ids).toEqual(['u1', 'u3']);
    const ignored = await convert({ 'dump.sql': DUMP }, query, '--ignore', 'score,active,Active');
    expect(ignored.ids).toEqual(['u1', 'u3']);
    const words = `${SELECT}, iif(u.banned, 'gone', 'here') as ${name} ${JOIN}`;
    const rule = `${name.replaceAll('"', '')}=here`;
    expect((await convert({ 'dump.sql': DUMP }, words, '--active', rule)).ids).toEqual(['u1', 'u3']);
  });

  it('joins CSV and JSON, whose tables have the names of the files', async () => {
    const people = `nr,mail,quit\n1,ada@example.com,\n2,bob@example.com,2024-01-01\n3,eve@example.com,\n`;
    const logins = JSON.stringify([
      { user: 1, login: { hash: BCRYPT, scheme: 'bcrypt' }, confirmed: true, plan: 'gold' },
      { user: 2, login: { hash: BCRYPT, scheme: 'bcrypt' }, confirmed: true },
      { user: 3, login: { hash: BCRYPT, scheme: 'bcrypt' }, confirmed: false, extra: 'in one record only' },
    ]);
    const { lines } = await convert(
      { 'people.csv': people, 'logins.json': logins },
      `select nr as id, mail as email, login ->> 'hash' as hash, login ->> 'scheme' as algorithm, confirmed as verified,
        quit is null as active, plan, extra from people join logins on user = nr order by nr`,
      ...['--keep', 'plan', '--ignore', 'extra'],
    );
    expect(lines).toMatchObject([
      { externalUserId: '1', userMetadata: { plan: 'gold' }, loginMethods: [{ isVerified: true }] },
      { externalUserId: '3', loginMethods: [{ isVerified: false, hashingAlgorithm: 'bcrypt' }] },
    ]);
    expect(lines[1]).not.toHaveProperty('userMetadata');
  });

  it('takes the algorithm and the provider of each row from columns', async () => {
    const users = `id,email,digest,kind,google\n1,a@example.com,5f4dcc3b5aa765d61d8327deb882cf99,hex-md5,\n2,b@example.com,,,g-2\n`;
    const { lines } = await convert(
      { 'users.csv': users },
      "select id, email, digest as hash, kind as algorithm, 'google' as provider, google as provider_user_id, 1 as active from users",
    );
    expect(lines).toMatchObject([
      { loginMethods: [{ recipeId: 'emailpassword', hashingAlgorithm: 'hex-md5' }] },
      { loginMethods: [{ recipeId: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId: 'g-2' }] },
    ]);
  });

  it.each([
    ['select nosuch from users', 'no such column: nosuch', 'users: id, mail, banned, deleted_at, score'],
    ['select "nosuch" from users', 'no such column: "nosuch"', 'users: id'],
    ['select id from bans', 'no such table: bans', 'Other tables: users, creds'],
    ['select id, id from users', 'two columns of the result are called id', 'as'],
    ["select id, mail as email from users where banned = 't'", "not with 't'", 'in banned'],
    ["select id, mail as email from users where banned <> 'TRUE'", "not with 'TRUE'", 'in banned'],
    ['delete from users', 'expected one SELECT', ''],
    ['with gone as (select 1) delete from users', 'syntax error', ''],
    ['select 1; drop table users', 'expected one SELECT', ''],
    ['select 1 as id; select 2', 'expected one SELECT', ''],
    ['pragma database_list', 'expected one SELECT', ''],
    ["vacuum into '/tmp/stolen'", 'expected one SELECT', ''],
    ["select load_extension('/tmp/x.so') as id", 'no such function', ''],
    ["select readfile('/etc/passwd') as id", 'no such function', ''],
    ["select writefile('/tmp/x', 'y') as id", 'no such function', ''],
    ["select * from fsdir('/etc')", 'no such table: fsdir', ''],
  ])('%s: stops', async (query, ...said) => {
    const { code, ids, stderr } = await convert({ 'dump.sql': DUMP }, query);
    expect([code, ids]).toEqual([1, []]);
    for (const text of said) expect(stderr).toContain(text);
  });

  it('opens no other database', async () => {
    const other = `${scratchFile('x', '')}.db`;
    for (const query of [`attach '${other}' as x`, `select 1 as id; attach '${other}' as x`])
      expect((await convert({ 'dump.sql': DUMP }, query)).stderr).toContain('expected one SELECT');
    expect(existsSync(other)).toBe(false);
  });

  it('stops at a row that cannot be read, because it may be a ban', async () => {
    const bans = '{"user":"u1"}\n{"user":\n{"user":"u2"}\n';
    const { code, stderr } = await convert(
      { 'dump.sql': DUMP, 'bans.ndjson': bans },
      `${SELECT}, u.id not in (select user from bans) as active ${JOIN}`,
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('Row 2 of bans cannot be read')]);
  });

  it('stops at names that the engine takes for one', async () => {
    const twice = await convert({ 'a.json': '[{"id":1,"Id":2,"email":"a@b.c"}]' }, 'select id, email from a');
    expect(twice.stderr).toContain('differ in case only');
  });

  /** Users 1 (no ban, null), 2 (0) and 3 (1), or with the values of a case. */
  const dumpOf = (values: readonly string[]) =>
    `-- MySQL dump\nCREATE TABLE \`users\` (\`id\` int, \`mail\` varchar(9), \`b\` varchar(20), \`word\` varchar(9));
INSERT INTO \`users\` VALUES ${values.map((b, at) => `(${at + 1},'u${at + 1}@example.com',${b},'x${at}')`)};
-- Dump completed\n`;
  const INTEGERS = ['NULL', '0', '1'];
  const WORDS = ["'f'", "'f'", "'t'"];
  const MIXED = ['NULL', "'0'", "'1'", "'x'"];
  const REFUSED = 'compares numbers with text';

  it.each<[string, readonly string[], string, string[] | string]>([
    ['integers', INTEGERS, 'ifnull(b, 0) <> 1', ['1', '2']],
    ['integers', INTEGERS, 'coalesce(b, false) <> true', ['1', '2']],
    ['integers', INTEGERS, 'case when max(b) = 1 then 0 else 1 end', ['1', '2']],
    ['integers', INTEGERS, 'b is not 1', ['1', '2']],
    ['integers', INTEGERS, "b is not '1'", ['1', '2']],
    ['integers', INTEGERS, 'b = 0', ['2']],
    ['integers', INTEGERS, "b = '0'", ['2']],
    ['integers', INTEGERS, "'0' = u.b", ['2']],
    ['integers', INTEGERS, "b in ('0', '7')", ['2']],
    ['integers', INTEGERS, 'b not in (1)', ['2']],
    ['integers', INTEGERS, "case b when '1' then 0 else 1 end", ['1', '2']],
    ['integers', INTEGERS, 'not ifnull(b, 0)', ['1', '2']],
    ['integers', INTEGERS, "coalesce(b, '') = ''", ['1']],
    ['integers', INTEGERS, "cast(b as text) = '0'", ['2']],
    ['integers', INTEGERS, 'b + 1 < 2', ['2']],
    ['integers', INTEGERS, "ifnull(b, '0') <> '1'", REFUSED],
    ['integers', INTEGERS, "ifnull(b, '1') <> 1", REFUSED],
    ['integers', INTEGERS, "max(b) <> '1'", REFUSED],
    ['integers', INTEGERS, "case max(b) when '1' then 0 else 1 end", REFUSED],
    ['integers', INTEGERS, "b <> 'banned'", REFUSED],
    ['integers', INTEGERS, "ifnull(b, 0) not in ('1')", REFUSED],
    ['integers', INTEGERS, 'b <> word', REFUSED],
    ['integers', INTEGERS, "count(b) = '0'", 'count ( b )'],
    ['integers', INTEGERS, "(select ifnull(b, 0) as c) <> '1'", REFUSED],
    ['integers', INTEGERS, "(id, b) = ('1', '0')", 'one by one'],
    ['booleans', WORDS, 'ifnull(b, 0) <> 1', ['1', '2']],
    ['booleans', WORDS, 'coalesce(b, false) <> true', ['1', '2']],
    ['booleans', WORDS, "b <> '1'", ['1', '2']],
    ['booleans', WORDS, 'not b', ['1', '2']],
    ['booleans', WORDS, "ifnull(b, 0) <> '1'", REFUSED],
    ['booleans', WORDS, "word || 'T' <> ' t'", ['1', '2', '3']],
    ['booleans', WORDS, "word <> 't' and not b", ['1', '2']],
    ['booleans', WORDS, "ifnull(cast(b as text), 'f') <> 't'", "not with 't'"],
    ['booleans', WORDS, "b not like 't'", "not with 't'"],
    ['booleans', WORDS, "b not in (1, 'T')", "not with 'T'"],
    ['booleans', WORDS, "instr(b, 't') = 0", "not with 't'"],
    ['booleans', WORDS, "case max(b) when 't' then 0 else 1 end", "not with 't'"],
    ['booleans', WORDS, "nullif(max(b), 't') is not null", "not with 't'"],
    ['booleans', WORDS, "(select cast(b as text) as flag) <> 't'", "not with 't'"],
    ['leading zeros', ["'00'", "'01'"], "b = '00'", ['1']],
    ['leading zeros', ["'00'", "'01'"], "ifnull(b, '') <> '01'", ['1']],
    ['leading zeros', ["'00'", "'01'"], 'b <> 1', 'users.b'],
    ['decimals', ['0.0', '1.0'], 'b <> 1', 'users.b'],
    ['decimals', ['0.0', '1.0'], 'cast(b as integer) <> 1', ['1']],
    ['15 digits', ['999999999999999', '-999999999999999'], 'b > 0', ['1']],
    ['16 digits', ['9999999999999999', '1'], "b = '9999999999999999'", ['1']],
    ['16 digits', ['9999999999999999', '1'], 'b > 0', 'users.b'],
    ['mixed', MIXED, "ifnull(b, '0') <> '1'", ['1', '2', '4']],
    ['mixed', MIXED, 'ifnull(b, 0) <> 1', 'users.b'],
    ['mixed', MIXED, 'coalesce(u.b, false) <> true', 'users.b'],
    ['mixed', MIXED, 'b is not true', 'users.b'],
    ['mixed', MIXED, 'b not in (1, 2)', 'users.b'],
    ['mixed', MIXED, 'b not between 1 and 2', 'users.b'],
    ['mixed', MIXED, 'b collate nocase <> 1', 'users.b'],
    ['mixed', MIXED, 'case max(b) when 1 then 0 else 1 end', 'users.b'],
    ['mixed', MIXED, '1 <> trim(b)', REFUSED],
    ['mixed', MIXED, 'nullif(max(b), 1) is null', 'users.b'],
    ['mixed', MIXED, 'max(b) over () <> 1', 'users.b'],
    ['mixed', MIXED, 'likely(b) <> 1', 'users.b'],
    ['words', ["'N'", "'Y'"], 'not b', 'users.b'],
    ['words', ["'N'", "'Y'"], 'case when b then 0 else 1 end', 'users.b'],
    ['words', ["'N'", "'Y'"], 'iif(b, 0, 1)', 'users.b'],
    ['words', ["'N'", "'Y'"], "b <> 'Y'", ['1']],
    ['words', ["'N'", "'Y'"], "'Y' is not b", ['1']],
    ['words', ["'N'", "'Y'"], "iif(b = 'Y', 't', 'f') = 'f'", ['1']],
    ['words', ["'N'", "'Y'"], "not b = 'Y'", ['1']],
    ['words', ["'N'", "'Y'"], 'length(b) = 1', ['1', '2']],
    ['nulls', ['NULL', 'NULL'], 'ifnull(b, 0) <> 1', ['1', '2']],
    ['nulls', ['NULL', 'NULL'], "ifnull(b, '0') <> '1'", ['1', '2']],
  ])('%s %j: %s', async (_, values, active, expected) => {
    const query = `select id, mail as email, '${BCRYPT}' as hash, ${active} as active from users u group by id, mail order by id`;
    const { code, ids, stderr } = await convert({ 'dump.sql': dumpOf(values) }, query);
    if (typeof expected === 'string')
      expect([code, ids, stderr]).toEqual([1, [], expect.stringContaining(expected)]);
    else expect([ids, stderr]).toEqual([expected, expect.not.stringContaining(REFUSED)]);
  });

  it('compares what a subquery names as what it is', async () => {
    const inner = 'select id, mail, ifnull(b, 0) as flag from users';
    const outer = `select id, mail as email, '${BCRYPT}' as hash, flag <> 1 as active from`;
    const files = (values: readonly string[]) => ({ 'dump.sql': dumpOf(values) });
    expect((await convert(files(INTEGERS), `${outer} (${inner}) order by id`)).ids).toEqual(['1', '2']);
    for (const query of [`${outer} (${inner})`, `with x as (${inner}) ${outer} x`])
      expect((await convert(files(MIXED), query)).stderr).toContain('users.b');
  });

  it('keeps ids as they are written, and joins no text with numbers', async () => {
    const people = 'nr,mail\n007,ada@example.com\n7,bob@example.com\n12345678901234567890,eve@example.com\n';
    const query = `select nr as id, mail as email, '${BCRYPT}' as hash, 1 as active from people`;
    expect((await convert({ 'people.csv': people }, query)).ids).toEqual([
      '007',
      '7',
      '12345678901234567890',
    ]);
    const files = { 'people.csv': people, 'logins.csv': `who,pw\n7,${BCRYPT}\n8,${BCRYPT}\n` };
    const join = (on: string) =>
      `select nr as id, mail as email, pw as hash, 1 as active from people join logins ${on}`;
    for (const on of ['on who = nr', 'where nr in (select who from logins)'])
      expect((await convert(files, join(on))).stderr).toMatch(/compares numbers with text.*people\.nr/);
    expect((await convert(files, join('on cast(who as text) = nr'))).ids).toEqual(['7']);
    const except = 'select nr as id, 1 as active from people except select who, 1 from logins';
    expect((await convert(files, except)).stderr).toContain('not] in (select');
  });

  it('asks about tables that refer to users and that the query does not read', async () => {
    const bans = '[{"user_id":"u1","until":null}]';
    const files = { 'dump.sql': DUMP, 'bans.json': bans };
    const query = `${SELECT}, not u.banned as active ${JOIN}`;
    const asked = await convert(files, query);
    expect([asked.ids, asked.stderr]).toEqual([[], expect.stringContaining('bans: user_id, until')]);
    for (const flags of [['--ignore-table', 'bans'], ['--ignore-rest']])
      expect((await convert(files, query, ...flags)).ids).toEqual(['u1', 'u3']);
    const alone = await convert(
      { 'dump.sql': DUMP },
      `select id, mail as email, '${BCRYPT}' as hash, not banned as active from users`,
    );
    expect(alone.stderr).toContain('public.creds: user_id, secret');
  });
});

it('a query that never ends, ends by Ctrl-C', { timeout: 200_000 }, async () => {
  const endless =
    'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) as id from n';
  const command = [process.execPath, join(inject('compiled').directory, 'dist/cli.js'), 'convert'];
  const run = new Tool([...command, scratchFile('dump.sql', DUMP), '--query', endless]);
  const { pid } = run.child;
  const hasDatabase = () =>
    readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkOf(`/proc/${pid}/fd/${fd}`).includes('/work-'));
  /** CPU time of the process, in hundredths of a second. */
  const ticks = () => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[13]);
  await expect.poll(hasDatabase, { timeout: 90_000 }).toBe(true);
  const before = ticks();
  // Loading the dump takes a fraction of this, also on a slow machine.
  await expect.poll(ticks, { timeout: 90_000 }).toBeGreaterThan(before + 150);
  run.child.kill('SIGINT');
  await run.ended();
  expect([run.child.signalCode, run.output]).toEqual(['SIGINT', '']);
});

function readlinkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
