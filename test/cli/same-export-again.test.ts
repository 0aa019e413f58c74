import { expect, it } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { countUsers, signInStatus } from '../support/service-calls.ts';
import { runCli, scratchFile, words } from './command-line.ts';

const csv = (...users: [id: number, email: string][]) =>
  ['id,email,password_hash', ...users.map(([id, email]) => `${id},${email},${BCRYPT.hash}`)].join('\n');
const people = (from: number, to: number): [number, string][] =>
  Array.from({ length: to - from }, (_, index) => [from + index, `${from + index}@b.c`]);

it('imports the same export a week later: people who moved, exchanged addresses, or are gone', async () => {
  const service = await useTestApp();
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const run = (name: string, text: string, ...flags: string[]) =>
    runCli(['import', scratchFile(name, text), '--url', url, '--yes', '--active', 'everybody', ...flags]);
  const MATCH = ['--match', 'external-id', '--source', 'generic'];

  const first = await run('first.csv', csv(...people(0, 40)), '--json');
  expect(first.code, first.stderr).toBe(0);
  const unnamed = await run('again.csv', csv(...people(0, 40)), '--match', 'external-id');
  expect([unnamed.code, unnamed.stderr]).toEqual([1, expect.stringContaining('--source NAME')]);

  // The first ten exchange their addresses in a circle, one moves, and two are gone.
  const circle = people(0, 10).map(([id]): [number, string] => [id, `${(id + 1) % 10}@b.c`]);
  const left: [number, string][] = [...circle, [10, 'moved@b.c'], ...people(11, 37)];
  const again = csv(...left, [37, '37@b.c'], [40, 'new@b.c']);
  const tried = await run('second.csv', again, ...MATCH, '--delete-missing', '--dry-run');
  expect(tried.stderr).toContain('2 users of earlier imports would be removed');
  expect(tried.stderr).toContain('\n  Would be removed: 38, 39\n');
  expect(await countUsers(service)).toBe(40);
  const second = await run('second.csv', again, ...MATCH, '--delete-missing', '--json');
  expect(second.code, second.stderr).toBe(0);
  const result = JSON.parse(second.stdout);
  expect(result).toMatchObject({ rows: 39, created: 1, updated: 11, reasons: { UNCHANGED: 27 } });
  expect(result.missing).toMatchObject({ found: 2, removed: 2, named: { removed: ['38', '39'], kept: [] } });
  expect(await countUsers(service)).toBe(39);
  expect(await signInStatus(service, 'moved@b.c', BCRYPT.password)).toBe('OK');

  // Whoever has signed in stays, and is named.
  expect(await signInStatus(service, '37@b.c', BCRYPT.password)).toBe('OK');
  const third = await run('third.csv', csv(...left, [40, 'new@b.c']), ...MATCH, '--delete-missing');
  expect(third.stderr).toContain('\n  Keep signing in: 37\n');

  const shown = (await runCli(['status', result.importId, '--url', url])).stdout;
  expect(shown).toContain('\n  generic: second.csv\n');
  expect(shown).toMatch(/\n {2}2 {2}removed\n/);
  expect(shown).toMatch(/\n *39 {2}of 39 lines\n/);

  // A truncated export removes nobody.
  const cut = await run('cut.csv', csv(...people(11, 20)), ...MATCH, '--delete-missing');
  expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining('Is the export complete?')]);
  const less = await run(
    'cut.csv',
    csv(...people(11, 20)),
    ...words`${MATCH} --delete-missing --delete-at-most 5`,
  );
  expect([less.code, less.stderr]).toEqual([1, expect.stringContaining('more than --delete-at-most 5')]);
  expect(await countUsers(service)).toBe(39);

  const rollBack = (importId: string) => runCli(['rollback', importId, '--url', url, '--yes']);
  const undone = await rollBack(result.importId);
  expect(undone.code, undone.stderr).toBe(0);
  expect(undone.stderr).not.toContain('Later imports');
  expect(await countUsers(service)).toBe(40);
  const { importId } = JSON.parse((await run('third.csv', again, ...MATCH, '--json')).stdout);
  const tooEarly = await rollBack(JSON.parse(first.stdout).importId);
  expect(tooEarly.stderr).toContain(`Later imports have changed users: ${importId}.`);
});
