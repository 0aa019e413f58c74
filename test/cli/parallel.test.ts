import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BCRYPT, readNdjson, runCli, toyFile, toyUsers } from './command-line.ts';
import { useInstances } from './instances.ts';

const several = useInstances(3);
const one = useInstances(1);

const importing = (instances: typeof several, file: string, ...more: string[]) =>
  runCli(['import', file, '--url', instances.url, '--yes', '--json', '--retry-for', '5s', ...more]);

/** Imports a file as one stream and in parts. Returns both outcomes. */
async function inBoth(file: string, ...more: string[]) {
  const results = [];
  for (const [instances, parallel] of [
    [one, 1],
    [several, 3],
  ] as const) {
    const [report, rejects] = [`report-${parallel}`, `rejects-${parallel}`].map((name) =>
      join(instances.directory, name),
    ) as [string, string];
    const run = await importing(
      instances,
      file,
      ...['--parallel', String(parallel), '--report', report, '--rejects', rejects],
      ...['--accept-failures', '1000'],
      ...more,
    );
    const {
      importId,
      url: _,
      parallel: __,
      ms: ___,
      report: ____,
      rejects: _____,
      ...counts
    } = JSON.parse(run.stdout);
    results.push({
      importId,
      said: {
        code: run.code,
        counts,
        report: inOrder(report),
        rejects: inOrder(rejects),
        users: await instances.users(),
      },
    });
  }
  return results as [Both, Both];
}

/** In parts, rows that share an identity with an earlier row come last. */
const inOrder = (path: string) =>
  readNdjson(readFileSync(path, 'utf8')).sort((one, other) => Number(one.row) - Number(other.row));

interface Both {
  importId: string;
  said: object;
}

const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
/** Few enough ids for rows to repeat each other, at short and long distances. */
const from = (most: number, prefix: string) => fc.nat({ max: most }).map((number) => `${prefix}${number}`);

const ROW = fc.record(
  {
    id: from(400, 'u'),
    email: from(400, 'someone').map((name) => `${name}@example.com`),
    hash: oneOf(BCRYPT, BCRYPT, '$2y$10$short'),
    google: from(300, 'g'),
    state: oneOf<'DISABLED' | undefined>(undefined, undefined, undefined, 'DISABLED'),
  },
  { requiredKeys: ['email'] },
);

describe('an import in parts', { timeout: 300_000 }, () => {
  it('creates the same users and report as one stream, and is undone as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ROW, { minLength: 110, maxLength: 700 }),
        oneOf('update-unchanged', 'overwrite', 'skip', 'fail'),
        async (rows, onConflict) => {
          const file = toyFile(several.directory, rows);
          const more = ['--on-conflict', onConflict];
          const [alone, parts] = await inBoth(file, ...more, '--new');
          expect(parts.said).toEqual(alone.said);
          for (const [instances, { importId }] of [
            [one, alone],
            [several, parts],
          ] as const) {
            const undone = await runCli(['rollback', importId, '--yes', '--json', '--url', instances.url]);
            expect([undone.code, await instances.userCount()]).toEqual([0, 0]);
          }
        },
      ),
      // Shrinking an example would take hours.
      { numRuns: Number(process.env.PARALLEL_RUNS ?? 12), endOnFailure: true },
    );
  });

  it('is one import for status, rejects and later runs', async () => {
    const twice = { email: 'twice@example.com', google: 'twice' };
    const rows = [
      ...toyUsers(350, 1000),
      { ...twice, id: 'one', hash: BCRYPT },
      { ...twice, id: 'other' },
      ...toyUsers(150, 2000),
    ];
    const file = toyFile(several.directory, rows);
    const report = join(several.directory, 'report');
    const args = ['--parallel', '3', '--report', report] as const;
    const first = await importing(several, file, ...args);
    const text = readFileSync(report, 'utf8');
    const again = await importing(several, file, ...args);
    const [a, b] = [JSON.parse(first.stdout), JSON.parse(again.stdout)];
    expect(a).toMatchObject({
      rows: 502,
      imported: 501,
      conflicts: 1,
      created: 501,
      parallel: 3,
      resumed: false,
    });
    expect(b).toEqual({ ...a, resumed: true, ms: b.ms });
    expect(readFileSync(report, 'utf8')).toBe(text);
    expect(again.stderr).toContain(`These files were imported before, as ${a.importId}.`);
    expect(inOrder(report).map(({ row }) => row)).toEqual(rows.map((_, index) => index + 1));
    expect(readNdjson(text).at(-1)).toMatchObject({ row: 352 });
    const ask = (...words: string[]) => runCli([...words, '--url', several.url]);
    const { importId } = a;
    expect((await ask('rejects', importId)).stdout).toMatch(/^352\tEXTERNAL_ID_ALREADY_EXISTS\t.*\n$/);
    expect((await ask('rejects', `${importId}.0of3`)).stdout).toMatch(/^352\t/);
    expect((await ask('rejects', `${importId}.1of3`)).stdout).toBe('');
    const status = JSON.parse((await ask('status', importId, '--json')).stdout);
    expect(status).toMatchObject({
      ...{ importId, status: 'FINISHED', running: false, lines: 502, created: 501, failed: 1 },
      failuresByCode: { EXTERNAL_ID_ALREADY_EXISTS: 1 },
      hashes: [{ algorithm: 'bcrypt', class: 'strong', count: 501 }],
      parts: [1, 2, 3, 0].map((part) => `${importId}.${part}of3`),
    });
    const rollback = async (id: string) => JSON.parse((await ask('rollback', id, '--yes', '--json')).stdout);
    const isWhat = async () => JSON.parse((await ask('status', importId, '--json')).stdout);
    expect((await ask('status', importId)).stdout).toMatch(/Parts\n.*1of3 +finished +\d+ lines/);
    expect((await rollback(`${importId}.3of3`)).rollback).toMatchObject({ usersRemoved: 102 });
    expect(await isWhat()).toMatchObject({ status: 'ROLLBACK_UNFINISHED', rollback: { usersRemoved: 102 } });
    expect((await rollback(importId)).rollback).toMatchObject({ usersRemoved: 501 });
    expect(await isWhat()).toMatchObject({ status: 'ROLLED_BACK', rollback: { usersRemoved: 501 } });
    expect((await importing(several, file, ...args)).stderr).toContain('that was rolled back');
  });

  it('continues with the same number of parts, or says that it cannot', async () => {
    const file = toyFile(several.directory, toyUsers(250, 5000));
    const { importId } = JSON.parse((await importing(several, file, '--parallel', '3')).stdout);
    const before = await several.userCount();
    for (const more of [[], ['--parallel', '2'], ['--parallel', '4', '--import-id', importId]]) {
      const { code, stderr } = await importing(several, file, ...more);
      expect([code, stderr]).toEqual([
        1,
        `These files were imported as ${importId} with --parallel 3: say the same to continue, or add --new to start a new import.\n`,
      ]);
    }
    const other = toyFile(several.directory, toyUsers(250, 6000), 'other.ndjson');
    await importing(several, other);
    const { stderr } = await importing(several, other, '--parallel', '3');
    expect(stderr).toContain(
      'without --parallel: leave it out to continue, or add --new to start a new import.',
    );
    expect(await several.userCount()).toBe(before + 250);
  });

  it('reports in a dry run what an import would do, also for repeated users, and writes nothing', async () => {
    const before = await several.userCount();
    const google = { email: 'new@example.com', google: 'g1' };
    const users = [{ ...google, id: 'g' }, ...toyUsers(330, 7000)];
    for (const rows of [users, [...users, { ...google, id: 'h' }]]) {
      const [alone, parts] = await inBoth(toyFile(several.directory, rows), '--dry-run');
      const { users: _, ...said } = alone.said as { users: unknown };
      expect(parts.said).toMatchObject(said);
    }
    expect(await several.userCount()).toBe(before);
  });

  it('has fewer parts if there are few rows', async () => {
    const file = toyFile(several.directory, toyUsers(3, 9000));
    const { importId, created } = JSON.parse((await importing(several, file, '--parallel', '64')).stdout);
    const status = await runCli(['status', importId, '--json', '--url', several.url]);
    expect([created, JSON.parse(status.stdout).parts]).toEqual([3, [`${importId}.1of64`]]);
  });
});

it.each([
  [['--parallel', '0'], '--parallel: expected a whole number from 1 to 64, got 0'],
  [['--parallel', '65'], '--parallel: expected a whole number from 1 to 64, got 65'],
  [['--parallel', '2.5'], '--parallel: expected a whole number'],
  [['--url', 'http://a:1,nonsense'], '--url: expected a URL'],
  [['--import-id', 'mine.2of3'], 'mine.2of3 is the id of one part of an import; give mine, and --parallel.'],
  [['--parallel', '2', '--import-id', 'x'.repeat(58)], 'An import id has 1 to 57 of A-Z'],
])('refuses %j', async (more, said) => {
  const file = toyFile(one.directory, toyUsers(1));
  const { code, stderr } = await runCli(['import', file, '--yes', ...more]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
});
