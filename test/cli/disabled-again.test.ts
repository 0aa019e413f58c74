import { describe, expect, it } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { BCRYPT, OTHER_BCRYPT } from '../support/example-hashes.ts';
import { countUsers, signInStatus } from '../support/service-calls.ts';
import { runCli, scratchFile } from './command-line.ts';

const csv = (...rows: string[]) => ['id,email,password_hash,created_at,disabled', ...rows].join('\n');
const row = (id: string, { email = `${id}@b.c`, hash = BCRYPT.hash, disabled = false } = {}) =>
  `${id},${email},${hash},2020-01-02T03:04:0${id.length}Z,${disabled}`;

async function setUp() {
  const service = await useTestApp();
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const run = async (rows: string[], ...flags: string[]) => {
    const file = scratchFile('users.csv', csv(...rows));
    const command = ['import', file, '--url', url, '--from', 'generic', '--source', 'shop', '--yes', '--new'];
    command.push('--active', 'disabled=false');
    const { code, stdout, stderr } = await runCli([...command, ...flags]);
    return { code, stderr, result: flags.includes('--json') ? JSON.parse(stdout) : undefined };
  };
  const signIn = (id: string, password = BCRYPT.password) => signInStatus(service, `${id}@b.c`, password);
  return { service, run, signIn };
}
const WEEK_1 = [row('a'), row('bb'), row('ccc')];
/** The old system has disabled one known user, and one who was never imported. */
const WEEK_2 = [row('a'), row('bb', { disabled: true }), row('ccc'), row('dddd', { disabled: true })];

describe('users whom the old system has disabled since the last import', () => {
  it('are disabled by an import that matches by external id', async () => {
    const { service, run, signIn } = await setUp();
    expect((await run(WEEK_1)).code).toBe(0);
    const tried = await run(WEEK_2, '--match', 'external-id', '--dry-run');
    expect(tried.stderr).toContain('1 user of earlier imports would be disabled');
    expect(await signIn('bb')).toBe('OK');
    const { code, result } = await run(WEEK_2, '--match', 'external-id', '--delete-missing', '--json');
    expect(code).toBe(0);
    expect(result).toMatchObject({ rows: 4, skipped: 4, disabled: 1, disabledButActive: 0 });
    expect(result.reasons).toEqual({ UNCHANGED: 2, DISABLED: 2 });
    expect(await Promise.all(['a', 'bb'].map((id) => signIn(id)))).toEqual(['OK', 'WRONG_CREDENTIALS_ERROR']);
    expect(await countUsers(service)).toBe(3);
    // Lines that disable users count among those that were announced.
    const record = await service.send('GET', `/bulk-import/imports/${result.importId}`);
    expect(record.body).toMatchObject({ import: { total: 4, lines: 4 } });
    const again = await run(WEEK_2, '--match', 'external-id', '--json');
    expect([again.code, again.result]).toMatchObject([0, { disabled: 0, reasons: { DISABLED: 2 } }]);
  });

  it('are reported if the id seems to be that of another person', async () => {
    const { run, signIn } = await setUp();
    await run(WEEK_1);
    const other = `bb,other@b.c,${OTHER_BCRYPT.hash},2021-01-02T03:04:05Z,true`;
    const { code, result } = await run([other], '--match', 'external-id', '--json');
    expect([code, result.reasons, result.conflicts]).toEqual([2, { OTHER_PERSON: 1 }, 1]);
    expect(await signIn('bb')).toBe('OK');
    const trusting = await run([other], '--match', 'external-id', '--trust-external-ids', '--json');
    expect([trusting.code, trusting.result.disabled]).toEqual([0, 1]);
    expect(await signIn('bb')).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it.each([
    [['--on-conflict', 'overwrite']],
    [['--on-conflict', 'skip']],
    [['--match', 'external-id', '--on-conflict', 'skip']],
  ])('are named by an import that does not disable them, until it is decided (%j)', async (flags) => {
    const { run, signIn } = await setUp();
    // Nobody came with an earlier import, so nobody keeps signing in.
    const first = await run([...WEEK_1, row('dddd', { disabled: true })], '--json');
    expect([first.code, first.result.disabledButActive]).toEqual([0, 0]);
    const { code, stderr } = await run(WEEK_2, ...flags);
    expect(code).toBe(2);
    for (const text of ['2 rows are left out', 'keep signing in', '--disabled keep', '--match external-id'])
      expect(stderr).toContain(text);
    const decided = await run(WEEK_2, ...flags, '--disabled', 'skip', '--json');
    expect([decided.code, decided.result.disabledButActive]).toEqual([0, 2]);
    expect(await signIn('bb')).toBe('OK');
    if (flags.includes('skip')) return;
    expect((await run(WEEK_2, ...flags, '--disabled', 'keep')).code).toBe(0);
    expect(await signIn('bb')).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('needs the flag for ids that are trusted only with --match external-id', async () => {
    const { run } = await setUp();
    const { code, stderr } = await run(WEEK_1, '--trust-external-ids');
    expect([code, stderr]).toEqual([1, expect.stringContaining('needs --match external-id')]);
  });
});

describe('rows with the same id', () => {
  const thief = (id: string) => row(id, { email: 'thief@b.c', hash: OTHER_BCRYPT.hash });
  const FIRST: [what: string, row: string][] = [
    ['is valid', row('bob')],
    ['has no valid hash', row('bob', { hash: 'no-hash' })],
    ['is disabled', row('bob', { disabled: true })],
    ['has an invalid address', row('bob', { email: 'bob' })],
  ];
  it.each([[[]], [['--match', 'external-id']]])(
    'are not imported, whatever is wrong with one of them (%j)',
    async (mode) => {
      for (const [what, first] of FIRST) {
        const { run, signIn } = await setUp();
        const { result } = await run([first, row('0'), row('1'), thief('"bob "')], ...mode, '--json');
        expect([what, result.error, result.reasons?.EXTERNAL_ID_REPEATED]).toEqual([what, undefined, 2]);
        const statuses = [await signIn('thief', OTHER_BCRYPT.password), await signIn('bob')];
        expect([what, ...statuses]).toEqual([what, 'WRONG_CREDENTIALS_ERROR', 'WRONG_CREDENTIALS_ERROR']);
      }
    },
  );
});
