import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../support/app.ts';
import { BCRYPT, runCli, toyFile, toyUsers } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();

describe('an import that the service knows', () => {
  it('is listed, shown, counted and rolled back', async () => {
    const file = toyFile(cli.directory, [
      { id: 'one', email: 'one@example.com', hash: BCRYPT, google: 'known' },
      ...toyUsers(2, 10_000),
      { id: 'other', email: 'one@example.com', google: 'known' },
    ]);
    const { importId } = JSON.parse((await cli.importing(file)).stdout);
    const ask = (...args: string[]) => runCli([...args, '--url', cli.url]);
    const list = await ask('status');
    expect(list.code).toBe(0);
    expect(list.stdout).toMatch(
      new RegExp(
        `^${importId}: finished\n  toy: ${basename(file)}\n  \\d{4}-.* UTC, 4 lines: 3 created, 1 failed\n$`,
      ),
    );
    expect(JSON.parse((await ask('status', '--json')).stdout).imports[0].importId).toBe(importId);
    const one = await ask('status', importId);
    expect(one.stdout).toContain(`${importId}: finished`);
    expect(one.stdout).toContain('3  created');
    expect(one.stdout).toContain('3  bcrypt  strong');
    expect(JSON.parse((await ask('status', importId, '--json')).stdout)).toMatchObject({
      importId,
      name: `toy: ${basename(file)}`,
      created: 3,
    });
    expect((await ask('status', 'unknown')).stderr).toContain('There is no import unknown');

    const hashless = [
      { email: 'waits@example.com', legacySignIn: true },
      { email: 'unset@example.com', password: 'unset' },
    ];
    for (const user of hashless)
      await fetch(`${cli.url}/recipe/user/passwordhash/import`, {
        method: 'POST',
        headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
        body: JSON.stringify(user),
      });
    const census = await ask('census');
    expect(census.stdout).toMatch(/^hash +class +set by +users +signed in\nbcrypt +strong +import +\d/);
    expect(census.stdout).toMatch(
      /\nWaiting for the first sign-in, at the legacy system: 1\nWithout a password until a reset: 1\nCounted at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, \d+ s ago; the service counts at most once a minute\.\n$/,
    );
    expect(JSON.parse((await ask('census', '--json')).stdout).hashes[0]).toMatchObject({
      hashingAlgorithm: 'bcrypt',
    });

    expect((await ask('rollback', importId)).stderr).toContain('Add --yes');
    expect(await userExists('u10001')).toBe(true);
    const undone = await ask('rollback', importId, '--yes', '--json');
    expect(JSON.parse(undone.stdout)).toMatchObject({ importId, rollback: { usersRemoved: 3 } });
    expect(await userExists('u10001')).toBe(false);
    expect((await ask('rollback', importId, '--yes')).stdout).toContain(
      `${importId} was rolled back before: 3 removed.`,
    );
    expect((await ask('rollback', 'unknown', '--yes')).stderr).toContain('There is no import unknown');
    const again = await cli.importing(file);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('To import them again, add --new.'),
    ]);
    expect(JSON.parse((await cli.importing(file, '--new', '--on-conflict', 'skip')).stdout)).toMatchObject({
      created: 3,
      resumed: false,
    });
  });

  const userExists = async (id: string) =>
    (await cli.service.send('GET', `/user/id?userId=${id}`)).body.status === 'OK';
});
