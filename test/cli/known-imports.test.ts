import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../support/app.ts';
import { BCRYPT, runCli, scratch, toyFile, toyUsers } from './command-line.ts';

let service: TestApp;
let url: string;
beforeAll(async () => {
  service = await createTestApp();
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => service.close());

let directory: string;
beforeEach(() => {
  directory = scratch();
});

const importing = (file: string, ...more: string[]) =>
  runCli(['import', file, '--url', url, '--yes', '--json', '--retry-for', '2s', ...more]);

describe('what the service knows', () => {
  it('is listed, shown, counted and undone', async () => {
    const file = toyFile(directory, [
      ...toyUsers(3, 10_000),
      { id: 'u10000', email: 'taken@example.com', hash: BCRYPT },
    ]);
    const { importId } = JSON.parse((await importing(file)).stdout);
    const ask = (...args: string[]) => runCli([...args, '--url', url]);
    const list = await ask('status', '--limit', '1');
    expect(list.code).toBe(0);
    expect(list.stdout).toMatch(
      new RegExp(`^import .*\n${importId} +\\d{4}-.* UTC +finished +4 +3 +0 +0 +1\n$`),
    );
    expect(JSON.parse((await ask('status', '--json')).stdout).imports[0].importId).toBe(importId);
    const one = await ask('status', importId);
    expect(one.stdout).toContain(`${importId}: finished`);
    expect(one.stdout).toContain('3  created');
    expect(one.stdout).toContain('3  bcrypt  strong');
    expect(JSON.parse((await ask('status', importId, '--json')).stdout)).toMatchObject({
      importId,
      created: 3,
    });
    expect((await ask('status', 'unknown')).stderr).toContain('There is no import unknown');

    const census = await ask('census');
    expect(census.stdout).toMatch(/^hash +class +set by +users +signed in\nbcrypt +strong +import +\d/);
    expect(JSON.parse((await ask('census', '--json')).stdout).hashes[0]).toMatchObject({
      hashingAlgorithm: 'bcrypt',
    });

    expect((await ask('rollback', importId)).stderr).toContain('add --yes');
    expect(await userExists('u10001')).toBe(true);
    const undone = await ask('rollback', importId, '--yes', '--json');
    expect(JSON.parse(undone.stdout)).toMatchObject({ importId, rollback: { usersRemoved: 3 } });
    expect(await userExists('u10001')).toBe(false);
    expect((await ask('rollback', importId, '--yes')).stdout).toContain(
      `Rolled back ${importId}.\n  3  usersRemoved`,
    );
    expect((await ask('rollback', 'unknown', '--yes')).stderr).toContain('There is no import unknown');
    const again = await importing(file);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('To import them again, add --new.'),
    ]);
    expect(JSON.parse((await importing(file, '--new')).stdout)).toMatchObject({ created: 3, resumed: false });
  });

  const userExists = async (id: string) =>
    (await service.send('GET', `/user/id?userId=${id}`)).body.status === 'OK';
});
