import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BCRYPT, readNdjson, runCli, scratch, scratchFile } from './command-line.ts';

/** Converts the file, and returns the ids of the imported users and the messages of the other rows. */
async function convert(name: string, text: string, ...flags: string[]) {
  const report = join(scratch(), 'report.ndjson');
  const isOwn = name === 'users.csv';
  const all = [
    ...flags,
    ...(isOwn ? ['--active', text.includes('deleted_at') ? 'deleted_at is null' : 'everybody'] : []),
    ...(name === 'mediawiki.csv' ? ['--without-table', 'ipblocks,blocks,block'] : []),
  ];
  const { stdout } = await runCli(['convert', scratchFile(name, text), '--report', report, ...all]);
  const lines = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const users = lines.filter(({ export: end }) => end === undefined);
  return {
    users: users.map(({ externalUserId, loginMethods: [login] }) => [externalUserId, login.isVerified]),
    ids: users.map(({ externalUserId }) => externalUserId as string),
    messages: readNdjson(readFileSync(report, 'utf8')).flatMap(({ message }) => message ?? []),
  };
}

const csv = (...rows: [id: string, email: string, verified: string][]) =>
  ['id,email,email_verified,password_hash', ...rows.map((row) => [...row, BCRYPT].join(','))].join('\n');

describe('users with one address', () => {
  it('lose it to the one who confirmed it, in any order', async () => {
    const users: [string, string, string][] = [
      ['mallory', 'Boss@example.com', 'false'],
      ['boss', 'boss@example.com', 'true'],
      ['eve', 'boss@example.com ', 'false'],
    ];
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [2, 0, 1],
    ]) {
      const rows = order.flatMap((index) => users.slice(index, index + 1));
      const { ids } = await convert('users.csv', csv(...rows, ['other', 'other@example.com', 'false']));
      expect(ids, order.join()).toEqual(['boss', 'other']);
    }
  });

  it('lose it if several confirmed it or nobody did, unless the operator lets the time decide', async () => {
    for (const verified of ['true', 'false']) {
      const rows = ['first', 'second', 'third'].map((id): [string, string, string] => [
        id,
        'boss@example.com',
        verified,
      ]);
      const text = csv(...rows, ['other', 'other@example.com', verified]);
      const { ids, messages } = await convert('users.csv', text);
      expect([ids, messages.length]).toEqual([['other'], 3]);
      expect(messages[0]).toMatch(
        /^the same e-mail address as row 2 of .*, and nothing shows whose it is \(--shared-address newest or oldest decides\)$/,
      );
      const chosen = async (who: string) => (await convert('users.csv', text, '--shared-address', who)).ids;
      expect(await chosen('oldest')).toEqual(['first', 'other']);
      expect(await chosen('newest')).toEqual(['third', 'other']);
    }
  });

  it('have it by the time of joining, if all have one', async () => {
    const text = [
      'id,email,password_hash,created_at',
      ...['2021', '2019', '2020', '2022'].map(
        (year) => `${year},boss@example.com,${BCRYPT},${year}-05-01T00:00:00Z`,
      ),
    ].join('\n');
    const chosen = async (who: string) => (await convert('users.csv', text, '--shared-address', who)).ids;
    expect([await chosen('oldest'), await chosen('newest')]).toEqual([['2019'], ['2022']]);
    const first = await convert('users.csv', text, '--shared-address', 'oldest');
    expect(first.messages[0]).toMatch(/^the same e-mail address as row 2 of .*, the oldest of these users$/);
  });

  it('do not lose it to deleted users', async () => {
    const text = [
      'id,email,password_hash,deleted_at',
      `gone,boss@example.com,${BCRYPT},2020-01-01T00:00:00Z`,
      `boss,boss@example.com,${BCRYPT},`,
    ].join('\n');
    expect((await convert('users.csv', text)).ids).toEqual(['boss']);
  });

  it('are many, and none of them is imported twice', async () => {
    const rows = Array.from({ length: 1500 }, (_, id): [string, string, string] => [
      `${id}`,
      'boss@example.com',
      'false',
    ]);
    const text = csv(...rows);
    expect((await convert('users.csv', text)).ids).toEqual([]);
    for (const who of ['oldest', 'newest'])
      expect((await convert('users.csv', text, '--shared-address', who)).ids.length).toBeLessThanOrEqual(1);
    const confirmed = await convert('users.csv', csv(...rows, ['boss', 'boss@example.com', 'true']));
    expect(confirmed.ids).toEqual(['boss']);
  });

  it('are told which row has the better claim', async () => {
    const { messages } = await convert(
      'users.csv',
      csv(['mallory', 'boss@example.com', 'false'], ['boss', 'boss@example.com', 'true']),
    );
    expect(messages).toEqual([
      expect.stringMatching(
        /^the same e-mail address as row 2 of .*users\.csv, which has a better claim to it$/,
      ),
    ]);
  });

  it('do not get it if the one who confirmed it is not imported', async () => {
    const text = `${csv(['mallory', 'boss@example.com', 'false'])}\nboss,boss@example.com,true,no-hash`;
    expect((await convert('users.csv', text)).ids).toEqual([]);
  });

  it('lose it also in a broken row, which could be corrected', async () => {
    const text = `${csv(['boss', 'boss@example.com', 'true'])}\nmallory,boss@example.com,false,no-hash`;
    const { ids, messages } = await convert('users.csv', text);
    expect([ids, messages]).toEqual([['boss'], [expect.stringContaining('which has a better claim to it')]]);
  });

  it.each([
    [
      'mediawiki.csv',
      [
        'user_id,user_name,user_password,user_email,user_email_authenticated,user_registration,user_token',
        `1,Mallory,:B:ab:0123456789abcdef0123456789abcdef,boss@example.com,,20200101000000,x`,
        `2,Boss,:B:ab:0123456789abcdef0123456789abcdef,boss@example.com,20200102000000,20200101000000,x`,
      ].join('\n'),
    ],
    [
      'realm.json',
      JSON.stringify({
        realm: 'r',
        users: [1, 2].map((id) => ({
          id: String(id),
          username: `u${id}`,
          enabled: true,
          email: 'boss@example.com',
          emailVerified: id === 2,
          credentials: [
            {
              type: 'password',
              secretData: JSON.stringify({
                value: Buffer.alloc(64, 1).toString('base64'),
                salt: 'c2FsdHNhbHQ=',
              }),
              credentialData: JSON.stringify({ hashIterations: 1000, algorithm: 'pbkdf2-sha512' }),
            },
          ],
        })),
      }),
    ],
  ])('lose it in %s, too', async (name, text) => {
    expect((await convert(name, text)).ids).toEqual(['2']);
  });
});

describe('names that become addresses', () => {
  it('give way to those who have the address as an e-mail, and are confirmed by nothing', async () => {
    const rows = [
      '[{"id":1,"email":null,"username":"boss@example.com","_verified":true,"loginAttempts":0,"hash":"H","salt":"S"},',
      '{"id":2,"email":"boss@example.com","username":"boss","_verified":false,"loginAttempts":0,"hash":"H","salt":"S"},',
      '{"id":3,"email":null,"username":"alice@example.com","_verified":true,"loginAttempts":0,"hash":"H","salt":"S"}]',
    ].join('');
    const text = rows.replaceAll('"H"', `"${'ab'.repeat(512)}"`).replaceAll('"S"', `"${'cd'.repeat(32)}"`);
    const { users } = await convert('users.json', text, '--from', 'payload', '--set', 'usernameIsEmail=yes');
    expect(users).toEqual([
      ['2', false],
      ['3', false],
    ]);
  });

  it('are refused if different names become the same address', async () => {
    const names = ['boss', 'alice', 'Boss', 'boss@example.com'];
    const text = names.map((name) => `${name}:${BCRYPT}`).join('\n');
    const { ids, messages } = await convert('htpasswd', text, '--set', 'emailDomain=example.com');
    expect(ids).toEqual(['alice']);
    expect(messages).toHaveLength(3);
    expect(messages[0]).toMatch(
      /^the same e-mail address as row 3 of .*, and nothing shows whose it is \(--shared-address newest or oldest decides\)$/,
    );
  });
});
