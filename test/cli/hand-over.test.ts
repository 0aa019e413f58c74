import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type FrontUnderTest, PASSWORD, useFront } from '../hand-over/front-under-test.ts';
import { CliRun, runCli, scratch } from './command-line.ts';

/** A service behind a socket, whose worker runs as in production. */
async function useListening(): Promise<
  FrontUnderTest & { url: string; run(...args: string[]): ReturnType<typeof runCli> }
> {
  const service = await useFront();
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  service.front.worker.start();
  onTestFinished(() => service.front.worker.stop());
  return { ...service, url, run: (...args) => runCli([...args, '--url', url]) };
}

it('looks, hands over, reports and undoes', async () => {
  const { core, importUser, run, signIn } = await useListening();
  await importUser('ada@example.com');
  await importUser('bob@example.com');
  core.importUser({
    externalUserId: 'x',
    loginMethods: [{ recipeId: 'emailpassword', email: 'bob@example.com', passwordHash: 'x' }],
  });

  const look = await run('hand-over', '--dry-run');
  expect(look).toMatchObject({ code: 0, stdout: expect.stringContaining('2 users are here:') });
  expect(core.users).toHaveLength(1);

  expect(await run('hand-over')).toMatchObject({ code: 1, stderr: expect.stringContaining('Add --yes') });

  const report = join(scratch(), 'refused.ndjson');
  const done = await run('hand-over', '--yes', '--report', report);
  expect(done).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('1  logins wait for their first sign-in'),
  });
  expect(done.stdout).toContain('1 logins were refused');
  expect(readFileSync(report, 'utf8')).toMatch(
    /^\{"recipeUserId":"[-0-9a-f]+","userId":"[-0-9a-f]+","reason":"The core has a user/,
  );
  expect(statSync(report).mode & 0o777).toBe(0o600);

  const listed = await run('status', '--json');
  const { handOvers } = JSON.parse(listed.stdout) as { handOvers: { handOverId: string; logins: object }[] };
  expect(handOvers).toMatchObject([{ logins: { waiting: 1, refused: 1 } }]);
  const id = handOvers[0]?.handOverId ?? '';
  expect((await run('status', id)).stdout).toMatch(/hex-md5 +1 /);

  expect(await run('hand-over', '--undo', id, '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('undone'),
  });
  expect(core.users.map((user) => user.id)).toEqual(['x']);
  expect(await run('hand-over', '--undo', id, '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('was undone before'),
  });
  expect((await signIn('ada@example.com', PASSWORD)).status).toBe(503);
});

it('says why it stands still, and ends when the core is back', async () => {
  const { core, importUser, url } = await useListening();
  await importUser('ada@example.com');
  core.fault = ({ path }) => (path === '/bulk-import/import' ? 'break' : undefined);
  const run = new CliRun(['hand-over', '--yes', '--url', url]);
  await expect
    .poll(() => run.stderr, { timeout: 20_000 })
    .toContain('The hand-over does not advance: The SuperTokens core');
  core.fault = () => undefined;
  expect(await run.finished).toMatchObject({ code: 0 });
  expect(core.login('ada@example.com')).toBeDefined();
});

it('refuses what cannot work, and asks first on a terminal', async () => {
  const { importUser, run } = await useListening();
  await importUser('ada@example.com');
  expect(await run('hand-over', 'x')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Usage: user-import hand-over'),
  });
  expect(await run('hand-over', '--undo', 'nope', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no hand-over nope'),
  });
});
