import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadPipeline } from '../../src/cli/pipeline.ts';
import { BCRYPT, readNdjson, runCli, scratchFile } from './command-line.ts';

/** Converts the file, and returns the ids of the imported users and the messages of the other rows. */
async function convert(name: string, text: string, ...flags: string[]) {
  const rejects = scratchFile('rejects.ndjson', '');
  const { stdout } = await runCli(['convert', scratchFile(name, text), '--rejects', rejects, ...flags], {
    pipeline: loadPipeline(),
  });
  const lines = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  return {
    users: lines.map(({ externalUserId, loginMethods: [login] }) => [externalUserId, login.isVerified]),
    ids: lines.map(({ externalUserId }) => externalUserId as string),
    messages: readNdjson(readFileSync(rejects, 'utf8')).map(({ message }) => message as string),
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

  it('keep the first of those who confirmed it, and of those who did not', async () => {
    for (const verified of ['true', 'false']) {
      const { ids } = await convert(
        'users.csv',
        csv(['first', 'boss@example.com', verified], ['second', 'boss@example.com', verified]),
      );
      expect(ids).toEqual(['first']);
    }
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
    expect(messages[0]).toMatch(/row 1 of .* and row 3 of .* get from different names$/);
  });
});
