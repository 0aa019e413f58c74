import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BCRYPT, runCli, words } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();

const importing = (...args: string[]) =>
  runCli(words`import ${args} --url ${cli.url} --yes --json --retry-for 2s --on-conflict skip`);

let made = 0;
/** Writes users in the form of SuperTokens: one with a TOTP device, one disabled, one without anything. */
function exportOf(root: object = {}): { file: string; name: string } {
  made += 1;
  const name = `u${made}`;
  const user = (kind: string, more: object) => ({
    externalUserId: `${name}-${kind}`,
    loginMethods: [
      {
        recipeId: 'emailpassword',
        email: `${name}-${kind}@example.com`,
        passwordHash: BCRYPT,
        hashingAlgorithm: 'bcrypt',
      },
    ],
    ...more,
  });
  const users = [
    user('totp', { totpDevices: [{ secretKey: 'JBSWY3DPEHPK3PXP' }], userRoles: [{ role: 'editor' }] }),
    user('off', { disabled: true }),
    user('plain', {}),
  ];
  const file = join(cli.directory, `${name}.json`);
  writeFileSync(file, JSON.stringify({ ...root, users }));
  return { file, name };
}
const userIs = async (id: string) => {
  const { body } = await cli.service.send('GET', `/user/id?userId=${id}`);
  return body.status === 'OK' ? (body.user ?? {}) : undefined;
};
const factorsOf = async (id: string) =>
  (await cli.service.send('GET', `/recipe/user/factors?userId=${id}`)).body as unknown as {
    factors: { totpDevices: object[]; userRoles: object[] };
  };

describe('an import of users with second factors', () => {
  it('stops until it is decided, before anything is written, and says what each choice means', async () => {
    const { file, name } = exportOf();
    const before = await cli.userCount();
    const stopped = await importing(file);
    expect(stopped.code).toBe(2);
    for (const text of ['second factor in the old system: 1', 'password-only', '--mfa skip', '--mfa keep'])
      expect(stopped.stderr + stopped.stdout).toContain(text);
    expect(await cli.userCount()).toBe(before);
    expect(await userIs(`${name}-plain`)).toBeUndefined();
    const dry = await importing(file, '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.stderr).toContain('import needs your decision');
    const inspected = await runCli(['inspect', file]);
    expect(inspected.code).toBe(2);
    expect(inspected.stdout).toContain('second factor in the old system: 1');
    expect(inspected.stderr).toMatch(/^Next: user-import import \S+ --mfa …\n$/);
  });

  it('imports the password alone, leaves them out or keeps the factors, as it is told', async () => {
    const alone = exportOf();
    expect((await importing(alone.file, '--mfa', 'password-only', '--disabled', 'skip')).code).toBe(0);
    expect((await factorsOf(`${alone.name}-totp`)).factors.totpDevices).toEqual([]);
    expect(await userIs(`${alone.name}-totp`)).toBeDefined();
    const without = exportOf();
    const skipped = await importing(without.file, '--mfa', 'skip', '--disabled', 'skip');
    expect(skipped.code).toBe(0);
    expect(skipped.stdout).toContain('SECOND_FACTOR');
    expect(await userIs(`${without.name}-totp`)).toBeUndefined();
    const whole = exportOf();
    const kept = await importing(whole.file, '--mfa', 'keep', '--disabled', 'skip');
    expect(kept.code).toBe(0);
    expect(kept.stderr).toContain(
      'users sign in with their password only. Users whose TOTP devices are kept: 1.',
    );
    expect((await factorsOf(`${whole.name}-totp`)).factors).toMatchObject({
      totpDevices: [{ secretKey: 'JBSWY3DPEHPK3PXP' }],
      userRoles: [{ role: 'editor' }],
    });
  });

  it('asks nothing if nobody who would be imported has one', async () => {
    const { file } = exportOf();
    const users = join(cli.directory, 'nobody.csv');
    writeFileSync(users, `id,email,hash\n1,nobody-${made}@example.com,${BCRYPT}\n`);
    expect((await importing(users, '--active', 'everybody')).code).toBe(0);
    expect((await runCli(['import', file, '--mfa', 'maybe', '--yes', '--url', cli.url])).stderr).toContain(
      '--mfa: there is no maybe. Expected password-only, skip, keep, none.',
    );
  });
});

describe('disabled users', () => {
  it('are left out, imported as disabled, or imported as if they were enabled', async () => {
    const flags = ['--mfa', 'password-only'];
    const skipped = exportOf();
    await importing(skipped.file, ...flags);
    expect(await userIs(`${skipped.name}-off`)).toBeUndefined();
    const kept = exportOf();
    await importing(kept.file, ...flags, '--disabled', 'keep');
    expect(await userIs(`${kept.name}-off`)).toMatchObject({ disabled: true });
    expect(await userIs(`${kept.name}-plain`)).not.toHaveProperty('disabled');
    const included = exportOf();
    await importing(included.file, ...flags, '--disabled', 'include');
    expect(await userIs(`${included.name}-off`)).not.toHaveProperty('disabled');
  });
});

describe('an export that is not whole', () => {
  const flags = ['--mfa', 'password-only', '--disabled', 'skip'];

  it.each([
    [{ total: 4 }, 'The files state a number of 4 users, but have 3.'],
    [{ pagination: { totalCount: 99 } }, 'The files state a number of 99 users, but have 3.'],
  ])('stops the import if it says so: %j', async (root, message) => {
    const { file, name } = exportOf(root);
    const stopped = await importing(file, ...flags);
    expect([stopped.code, stopped.stdout]).toEqual([2, expect.stringContaining(message)]);
    expect(await userIs(`${name}-plain`)).toBeUndefined();
    const dry = await importing(file, ...flags, '--dry-run');
    expect([dry.code, dry.stderr]).toEqual([0, expect.stringContaining(message)]);
    expect((await importing(file, ...flags, '--expect-users', '3')).code).toBe(0);
  });

  it('stops the import if another number is expected, and not if the number is right', async () => {
    const { file } = exportOf();
    const stopped = await importing(file, ...flags, '--expect-users', '5');
    expect([stopped.code, stopped.stdout]).toEqual([
      2,
      expect.stringContaining('The files have 3 users, and --expect-users says 5.'),
    ]);
    expect((await importing(file, ...flags, '--expect-users', '3')).code).toBe(0);
    expect((await importing(exportOf({ total: 3 }).file, ...flags)).code).toBe(0);
    expect((await importing(file, ...flags, '--expect-users', 'many')).code).toBe(1);
  });

  it('may be in several files: pages with the total of all, or files that are whole', async () => {
    const whole = [exportOf({ total: 3 }), exportOf({ total: 3 })].map(({ file }) => file);
    const pages = [exportOf({ total: 6 }), exportOf({ total: 6 })].map(({ file }) => file);
    for (const [first, second] of [whole, pages])
      expect((await importing(String(first), String(second), '--table', '*', ...flags)).code).toBe(0);
    const [first] = [exportOf({ total: 6 })];
    expect((await importing(first.file, ...flags)).code).toBe(2);
  });
});

describe('--without-password', () => {
  /** Imports a user without a hash. Returns the last line of the import and what is stored of the user. */
  async function importedWith(choice: string) {
    made += 1;
    const [email, file] = [`u${made}@example.com`, join(cli.directory, `u${made}.csv`)];
    writeFileSync(file, `id,email,password_hash\nu${made},${email},\n`);
    const { code } = await importing(file, '--without-password', choice, '--active', 'everybody');
    const [login] = await cli.service.database.db.query<{ no_hash: string; recipe_user_id: string }>(
      'select no_hash, recipe_user_id from password_logins where email = $1',
      [email],
    );
    return { code, email, login };
  }

  it('skip leaves users without a password out', async () => {
    expect(await importedWith('skip')).toMatchObject({ code: 0, login: undefined });
  });

  it.each([
    ['keep', 'unset'],
    ['legacy', 'waiting'],
  ])('%s imports them, nobody signs in, and a reset gives them a password', async (choice, kind) => {
    const { code, email, login } = await importedWith(choice);
    expect([code, login?.no_hash]).toEqual([0, kind]);
    const signIn = async (password: string) =>
      (await cli.service.send('POST', '/recipe/signin', { email, password })).body.status;
    for (const guess of ['unset', ' ', 'password'])
      expect(await signIn(guess)).toBe('WRONG_CREDENTIALS_ERROR');
    const reset = { recipeUserId: login?.recipe_user_id, password: 'a new one' };
    expect((await cli.service.send('PUT', '/recipe/user', reset)).body.status).toBe('OK');
    expect(await signIn('a new one')).toBe('OK');
  });
});
