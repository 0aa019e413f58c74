import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signInStatus } from '../support/service-calls.ts';
import { BCRYPT, readNdjson, runCli, toyFile, toyUsers, words } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();

describe('an import', () => {
  it('warns if users wait for first sign-ins of which the service asks nobody', async () => {
    const file = toyFile(cli.directory, [{ id: 'w1', email: 'waits@example.com' }]);
    const { stderr } = await cli.importing(file, '--without-password', 'legacy');
    expect(stderr).toContain('legacy_signin_for is off');
    expect((await runCli(['census', '--url', cli.url])).stderr).toContain('legacy_signin_for is off');
    expect((await cli.importing(file, '--without-password', 'keep', '--new')).stderr).not.toContain(
      'legacy_signin_for',
    );
  });

  it('reports the outcome of every row in order, with matching totals', async () => {
    const records = [
      { id: 'r1', email: 'Ada@Example.com', hash: BCRYPT, roles: true },
      { id: 'r2', email: 'banned@example.com', hash: BCRYPT, state: 'DISABLED' },
      '{"broken',
      { id: 'r4', email: 'ada@example.com', hash: BCRYPT },
      { id: 'r5', email: 'bad@example.com', hash: '$2y$10$short', algorithm: 'bcrypt' },
      { id: 'r6', email: 'link@example.com' },
      { id: 'r7', email: 'social@example.com', google: 'g-7' },
      { id: 'r8', email: 'saml@example.com', saml: 's-8' },
      { id: 'r6', email: 'other@example.com', hash: BCRYPT },
    ];
    const file = toyFile(cli.directory, records);
    const [report, rejects] = [join(cli.directory, 'report.ndjson'), join(cli.directory, 'rejects.ndjson')];
    const { code, stdout, stderr } = await cli.importing(
      file,
      ...['--report', report, '--rejects', rejects, '--shared-address', 'oldest'],
    );
    expect(code).toBe(2);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      system: 'toy',
      dryRun: false,
      resumed: false,
      ...{ rows: 9, imported: 2, skipped: 3, conflicts: 1, errors: 3, created: 2, updated: 0 },
      reasons: {
        DISABLED: 1,
        NO_LOGIN_METHOD: 1,
        SSO_USER: 1,
        DUPLICATE_EMAIL: 1,
        EXTERNAL_ID_REPEATED: 1,
      },
      dropped: { roles: 1 },
      unmappedProviders: { corp: 1 },
    });
    const rows = readNdjson(readFileSync(report, 'utf8'));
    expect(rows.map(({ row, result, reason }) => [row, result, reason])).toEqual([
      [1, 'import', undefined],
      [2, 'skip', 'DISABLED'],
      [3, 'error', 'JSON_INVALID'],
      [4, 'conflict', 'DUPLICATE_EMAIL'],
      [5, 'error', 'PASSWORD_HASH_INVALID'],
      [6, 'skip', 'NO_LOGIN_METHOD'],
      [7, 'import', undefined],
      [8, 'skip', 'SSO_USER'],
      [9, 'error', 'EXTERNAL_ID_REPEATED'],
    ]);
    expect(rows[0]).toEqual({
      file,
      row: 1,
      result: 'import',
      externalUserId: 'r1',
      email: 'ada@example.com',
    });
    expect(statSync(report).mode & 0o777).toBe(0o600);
    expect(readdirSync(cli.directory).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(stderr.split('\n').filter((line) => line !== '')).toEqual([
      expect.stringMatching(
        /^Warning: Users with an address, and neither .*, who are skipped: 1\. --without-password keep imports them/,
      ),
      `Importing ${file} into ${cli.url} as ${result.importId}`,
      `${result.importId}: 9 rows = 2 imported + 3 skipped + 1 conflict + 3 errors`,
    ]);
    expect(stderr + stdout).not.toMatch(/example\.com|\$2y\$/);
    expect([
      await signInStatus(cli.service, 'ada@example.com', 'password'),
      await signInStatus(cli.service, 'bad@example.com', 'password'),
    ]).toEqual(['OK', 'WRONG_CREDENTIALS_ERROR']);

    const rejected = readNdjson(readFileSync(rejects, 'utf8'));
    expect(rejected.map(({ row, reason, from }) => [row, reason, from])).toEqual([
      [3, 'JSON_INVALID', 'toy'],
      [5, 'PASSWORD_HASH_INVALID', 'toy'],
    ]);
    expect(rejected.map(({ original }) => original)).toMatchObject([null, records[4]]);
    expect(statSync(rejects).mode & 0o777).toBe(0o600);
  });

  it('continues the same import when it is run again, and does nothing twice', async () => {
    const file = toyFile(cli.directory, toyUsers(250, 1000));
    const report = join(cli.directory, 'report.ndjson');
    const first = await cli.importing(file, '--report', report);
    const text = readFileSync(report, 'utf8');
    const second = await cli.importing(file, '--report', report, '--force');
    expect([first.code, second.code]).toEqual([0, 0]);
    const [a, b] = [JSON.parse(first.stdout), JSON.parse(second.stdout)];
    expect(b).toEqual({ ...a, resumed: true, ms: b.ms });
    expect(second.stderr).toContain(`These files were imported before, as ${a.importId}.`);
    expect(second.stderr).not.toContain('--new');
    expect(readFileSync(report, 'utf8')).toBe(text);
    expect(a.importId).toMatch(/^toy-[0-9a-f]{20}$/);
  });

  it('says how to retry failed rows, and how to list them', async () => {
    const known = toyUsers(1, 1500)[0] as { id: string };
    await cli.importing(toyFile(cli.directory, [known], 'known.ndjson'));
    const file = toyFile(cli.directory, [{ ...toyUsers(1, 1600)[0], id: known.id }]);
    const first = await cli.importing(file);
    expect(first.stderr).toContain('1 conflict + 0 errors (which failed, and why: --report FILE)\n');
    const second = await cli.importing(file, '--rejects', join(cli.directory, 'rejects.ndjson'));
    expect(second.stderr).toContain('Failed rows are not retried: to retry them, add --new.');
    expect(second.stderr).not.toContain('--report');
  });

  it('is a new import with other content, other options, or --new', async () => {
    const idOf = async (file: string, ...more: string[]) =>
      JSON.parse((await cli.importing(file, ...more)).stdout).importId as string;
    const file = toyFile(cli.directory, toyUsers(3, 2000));
    const ids = [
      await idOf(file),
      await idOf(toyFile(cli.directory, toyUsers(4, 2000), 'more.ndjson')),
      await idOf(file, '--on-conflict', 'overwrite'),
      await idOf(file, '--disabled', 'include'),
      await idOf(file, '--verified'),
      await idOf(file, '--set', 'emailDomain=example.com'),
      await idOf(file, '--set', 'provider.corp=corp'),
      await idOf(file, '--encoding', 'latin1'),
      await idOf(file, '--map', 'email=mail'),
      await idOf(file, '--hash', '{hash}'),
      await idOf(file, '--new'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.at(-1)?.startsWith(`${ids[0]}-new`)).toBe(true);
    expect(await idOf(file, '--import-id', 'my-own')).toBe('my-own');
    expect(await idOf(toyFile(cli.directory, toyUsers(3, 2000), 'renamed.ndjson'))).toBe(ids[0]);
  });

  it('treats existing users as --on-conflict says', async () => {
    await cli.importing(toyFile(cli.directory, toyUsers(2, 3000)));
    const again = toyFile(cli.directory, toyUsers(3, 3000), 'again.ndjson');
    const counts = async (what: string) => {
      const { code, stdout } = await cli.importing(again, '--on-conflict', what);
      const { imported, skipped, conflicts, created, updated, reasons } = JSON.parse(stdout);
      return { code, imported, skipped, conflicts, created, updated, reasons };
    };
    const none = { conflicts: 0, skipped: 0, created: 0, updated: 0, reasons: {} };
    expect(await counts('skip')).toEqual({
      ...none,
      code: 0,
      imported: 1,
      created: 1,
      skipped: 2,
      reasons: { EMAIL_ALREADY_EXISTS: 2 },
    });
    expect(await counts('fail')).toEqual({
      ...none,
      code: 2,
      imported: 0,
      conflicts: 3,
      reasons: { EMAIL_ALREADY_EXISTS: 3 },
    });
    expect(await counts('update-unchanged')).toEqual({ ...none, code: 0, imported: 3, updated: 3 });
  });

  it('applies flags to the lines', async () => {
    const file = toyFile(cli.directory, [
      { id: 'f1', email: 'flags', hash: BCRYPT, state: 'DISABLED' },
      { id: 'f2', email: 'flags2@example.com', saml: 's-1' },
    ]);
    const { code } = await cli.importing(
      file,
      ...words`--disabled include --verified --set emailDomain=flags.example --set provider.corp=corp-sso`,
    );
    expect(code).toBe(0);
    const { body } = await cli.service.send('GET', '/user/id?userId=f1');
    expect(body.user.loginMethods[0]).toMatchObject({ email: 'flags@flags.example', verified: true });
    const other = await cli.service.send('GET', '/user/id?userId=f2');
    expect(other.body.user.loginMethods[0].thirdParty).toEqual({ id: 'corp-sso', userId: 's-1' });
  });

  it('tries everything and writes nothing with --dry-run, each time from the start', async () => {
    const before = await cli.userCount();
    const file = toyFile(cli.directory, [...toyUsers(5, 4000), '{']);
    const report = join(cli.directory, 'report.ndjson');
    const args = ['import', file, '--url', cli.url, '--dry-run', '--json', '--force', '--report', report];
    const [first, second] = [await runCli(args), await runCli(args)];
    expect([first.code, second.code, await cli.userCount()]).toEqual([2, 2, before]);
    const [a, b] = [JSON.parse(first.stdout), JSON.parse(second.stdout)];
    expect(a).toMatchObject({ dryRun: true, rows: 6, imported: 5, errors: 1 });
    expect(a.importId).not.toBe(b.importId);
    expect(readNdjson(readFileSync(report, 'utf8'))).toHaveLength(6);
    const real = await cli.importing(file);
    expect(JSON.parse(real.stdout)).toMatchObject({ dryRun: false, created: 5, resumed: false });
  });

  it('gives the advice of a terminal with --dry-run, too', async () => {
    const advice = [
      { level: 'warn', text: 'The logins are missing.' },
      { level: 'note', text: 'Hashes have a pepper.' },
    ];
    const rows = [
      { ...toyUsers(1, 4500)[0], advice },
      ...toyUsers(1, 4501),
      { id: 'd', email: 'd@example.com', hash: BCRYPT, state: 'DISABLED' },
    ];
    const file = toyFile(cli.directory, [...rows, '{']);
    const args = ['import', file, '--url', cli.url];
    const { code, stderr } = await runCli([...args, '--dry-run']);
    expect(code).toBe(2);
    for (const text of ['Warning: The logins are missing.', 'Note: Hashes have a pepper.'])
      expect(stderr).toContain(text);
    expect(stderr).toContain('  JSON_INVALID: correct these objects in the export.');
    expect(stderr).toContain('add --disabled keep');
    expect((await runCli([...args, '--yes'])).stderr).not.toContain('Note:');
  });
});
