import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../support/app.ts';
import { readNdjson, runCli, scratchFile, toyFile, toyUsers } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();

describe('an import', () => {
  it('reads standard input and files together, and numbers the rows of each', async () => {
    const file = toyFile(cli.directory, toyUsers(2, 5000));
    const report = join(cli.directory, 'report.ndjson');
    const input = toyUsers(3, 5002)
      .map((user) => JSON.stringify({ toy: 1, ...user }))
      .join('\n');
    const { code } = await runCli(['import', file, '-', '--url', cli.url, '--yes', '--report', report], {
      input,
    });
    expect(code).toBe(0);
    const rows = readNdjson(readFileSync(report, 'utf8')).map(({ file: name, row }) => [name, row]);
    expect(rows).toEqual([
      [file, 1],
      [file, 2],
      ['stdin', 1],
      ['stdin', 2],
      ['stdin', 3],
    ]);
  });

  it('sends nothing if the source stops it, a file is unreadable, or the report cannot be written', async () => {
    const file = toyFile(cli.directory, toyUsers(1, 6000));
    const report = join(cli.directory, 'report.ndjson');
    const before = await cli.userCount();
    const told: [args: string[], text: string][] = [
      [[toyFile(cli.directory, ['BROKEN'], 'broken')], 'broken: It is not a supported kind of file'],
      [[join(cli.directory, 'none')], 'there is no such file'],
      [[cli.directory], 'is a directory'],
      [[file, file], 'is given twice'],
      [[file, '--from', 'nothing'], 'there is no such system'],
      [[file, '--report', join(cli.directory, 'no/such/place')], 'cannot be written: ENOENT'],
      [[file, '--report', cli.directory], 'exists and is not a regular file'],
      [[file, '--new', '--import-id', 'x'], 'exclude each other'],
      [[file, '--report', file], 'is one of the files that are read'],
      [[file, '--report', report, '--rejects', report], 'name the same file'],
    ];
    for (const [args, text] of told) {
      const { code, stderr, stdout } = await cli.importing(args[0] ?? '', ...args.slice(1));
      expect([text, code]).toEqual([text, 1]);
      expect(stderr).toContain(text);
      expect(JSON.parse(stdout).error).toContain(text);
    }
    expect(await cli.userCount()).toBe(before);
  });

  it('succeeds if no user is to be imported', async () => {
    const empty = scratchFile('empty.csv', 'id,email,hash\n');
    const nobody = await cli.importing(empty, '--active', 'everybody', '--on-conflict', 'skip');
    expect([nobody.code, JSON.parse(nobody.stdout)]).toMatchObject([0, { rows: 0, imported: 0 }]);
    expect(nobody.stderr).toMatch(/Warning: There are no rows of users\. .* export again with them\./);
    const dump = scratchFile('empty.sql', 'create table people (id int, email text, hash text);\n');
    const schema = await cli.importing(dump, '--active', 'everybody', '--on-conflict', 'skip');
    expect(schema.stderr).toMatch(/Warning: There are no rows of users\. .*--no-data/);
    const skipped = await cli.importing(toyFile(cli.directory, [{ id: 'x' }, { id: 'y' }], 'skipped'));
    expect([skipped.code, JSON.parse(skipped.stdout)]).toMatchObject([0, { rows: 2, skipped: 2 }]);
  });

  it('passes on the secret id, and prints the answer of the service', async () => {
    const file = toyFile(cli.directory, toyUsers(1, 8000));
    const { code, stderr } = await cli.importing(file, '--hashing-secret-id', 'no-such-pepper');
    expect(code).toBe(1);
    expect(stderr).toContain('HASHING_SECRET_MISSING');
    expect(stderr).toContain('correct --hashing-secret-id');
  });

  it('reads the key from a file, and accepts a URL with a trailing slash', async () => {
    const file = toyFile(cli.directory, toyUsers(1, 9000));
    const key = toyFile(cli.directory, [API_KEY], 'key');
    const { code } = await runCli(['import', file, '--yes', '--api-key-file', key], {
      env: { USER_IMPORT_API_KEY: 'wrong', USER_IMPORT_URL: `${cli.url}/` },
    });
    expect(code).toBe(0);
  });

  it('prints nothing with --quiet', async () => {
    const file = toyFile(cli.directory, toyUsers(1, 9100));
    expect(await runCli(['import', file, '--url', cli.url, '--yes', '--quiet'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });
});
