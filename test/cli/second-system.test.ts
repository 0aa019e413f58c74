import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { BCRYPT, OTHER_BCRYPT } from '../support/example-hashes.ts';
import { countUsers, importUser, signInStatus } from '../support/service-calls.ts';
import { readNdjson, runCli, scratch, scratchFile } from './command-line.ts';

const auth0 = (...users: [id: string, email: string, hash: string][]) =>
  users
    .map(([id, email, passwordHash]) =>
      JSON.stringify({
        _id: { $oid: id.padStart(24, '0') },
        email,
        email_verified: true,
        passwordHash,
        tenant: 'dev',
        connection: 'users',
      }),
    )
    .join('\n');
const csv = (...users: [email: string, hash: string][]) =>
  ['email,password_hash', ...users.map((user) => user.join(','))].join('\n');

async function startService() {
  const service = await useTestApp();
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const run = (...args: string[]) => {
    const isOwn = args.some((arg) => arg.endsWith('.csv'));
    const isAuth0 = args.some((arg) => /(?:auth0|grown)\.ndjson$/.test(arg));
    const flags = isOwn ? ['--active', 'everybody'] : isAuth0 ? ['--without-table', 'users'] : [];
    return runCli([...args, ...flags, '--url', url]);
  };
  return {
    service,
    run,
    /** Imports a file, whose name tells the system. */
    importing: (name: string, text: string, ...flags: string[]) =>
      run('import', scratchFile(name, text), '--yes', ...flags),
  };
}

const BOSS = 'boss@example.com';

describe('an import into a service that has users of another system', () => {
  it('stops until --on-conflict says whose password counts', async () => {
    const { service, run, importing } = await startService();
    const first = await importing('auth0.ndjson', auth0(['1', BOSS, BCRYPT.hash]));
    expect(first.code, first.stderr).toBe(0);
    const rows = csv([BOSS, OTHER_BCRYPT.hash], ['new@example.com', OTHER_BCRYPT.hash]);

    const stopped = await importing('shop.csv', rows);
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toMatch(/1 user of auth0-[0-9a-f]{20}\..*--on-conflict skip/s);
    expect(await countUsers(service)).toBe(1);
    expect(await signInStatus(service, BOSS, BCRYPT.password)).toBe('OK');

    const tried = await run('import', scratchFile('shop.csv', rows), '--dry-run');
    expect(tried.code).toBe(0);
    expect(tried.stderr).toMatch(/Warning: The service already has other users/);
    expect(tried.stderr).toContain('2 imported (1 new, 1 existed)');

    expect((await importing('shop.csv', rows, '--on-conflict', 'skip')).code).toBe(0);
    expect(await countUsers(service)).toBe(2);
    expect(await signInStatus(service, BOSS, BCRYPT.password)).toBe('OK');
    expect(await signInStatus(service, BOSS, OTHER_BCRYPT.password)).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('stops as well for a table of unknown origin after another one', async () => {
    const { importing } = await startService();
    expect((await importing('a.csv', csv([BOSS, BCRYPT.hash]))).code).toBe(0);
    const stopped = await importing('b.csv', csv([BOSS, OTHER_BCRYPT.hash]));
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toMatch(/1 user of generic-[0-9a-f]{20}/);
  });

  it('stops as well if users came one by one, or signed up', async () => {
    const { service, importing } = await startService();
    await importUser(service, BOSS, BCRYPT.hash);
    const stopped = await importing('auth0.ndjson', auth0(['1', BOSS, OTHER_BCRYPT.hash]));
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain('1 user who came in other ways');
    expect(await signInStatus(service, BOSS, BCRYPT.password)).toBe('OK');
  });

  it('goes on if those users were rolled back', async () => {
    const { run, importing } = await startService();
    const { stdout } = await importing('a.csv', csv([BOSS, BCRYPT.hash]), '--json');
    expect((await run('rollback', JSON.parse(stdout).importId, '--yes')).code).toBe(0);
    expect((await importing('auth0.ndjson', auth0(['1', BOSS, OTHER_BCRYPT.hash]))).code).toBe(0);
  });
});

describe('an import into a service that has users of the same system', () => {
  it('goes on, and the report tells who existed', async () => {
    const { service, importing } = await startService();
    await importing('auth0.ndjson', auth0(['1', BOSS, BCRYPT.hash]));
    const report = join(scratch(), 'report.ndjson');
    const grown = auth0(['1', BOSS, OTHER_BCRYPT.hash], ['2', 'new@example.com', BCRYPT.hash]);
    const { code, stderr } = await importing('grown.ndjson', grown, '--report', report);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('2 rows = 2 imported (1 new, 1 existed) + 0 skipped');
    expect(readNdjson(readFileSync(report, 'utf8')).map(({ existed }) => existed)).toEqual([true, undefined]);
    expect(await signInStatus(service, BOSS, OTHER_BCRYPT.password)).toBe('OK');
  });

  it('goes on with corrected rejects of that system, and stops with those of another one', async () => {
    const { importing } = await startService();
    const rejects = join(scratch(), 'rejects.ndjson');
    const rows = auth0(['1', BOSS, BCRYPT.hash], ['2', 'new@example.com', 'no hash']);
    expect((await importing('auth0.ndjson', rows, '--rejects', rejects)).code).toBe(2);
    const [row] = readNdjson(readFileSync(rejects, 'utf8'));
    if (row === undefined) throw new Error('nothing was rejected');
    const corrected = { ...row, user: { ...(row.user as object), password: { encoded: BCRYPT.hash } } };
    const ofAnother = { ...corrected, from: 'clerk' };
    expect((await importing('other.ndjson', JSON.stringify(ofAnother))).code).toBe(1);
    const { code, stderr } = await importing('corrected.ndjson', JSON.stringify(corrected));
    expect(code, stderr).toBe(0);
  });
});
