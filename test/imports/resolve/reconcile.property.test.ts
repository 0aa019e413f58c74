import fc from 'fast-check';
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { FailedLine } from '../../../src/imports/import-history.ts';
import { ON_CONFLICT, type OnConflict } from '../../../src/imports/import-request.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { createTestApp, testPasswords } from '../../support/app.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { removeEverything } from '../../support/database.ts';
import { countResults, hashSums, type Report } from '../../support/ndjson.ts';
import { chunkLimits, paces, runStream, type Stream } from '../import-under-test.ts';
import { type ModelUser, ModelUsers, type Person, type Verdict } from '../model/model.ts';
import { dumpUsers, expectSameUsers, readUsers } from '../model/model-database.ts';
import { carryOut, type Deed, deeds } from '../model/model-history.ts';
import { type ModelLine, type ModelStream, NOW, streams } from '../model/model-streams.ts';

const RUNS = Number(process.env.PROPERTY_RUNS ?? 10);

const passwords = testPasswords();
const service = await createTestApp();
afterAll(() => service.close());
beforeEach(() => removeEverything(service.database.db));

interface Story {
  /** An import before the tested one. */
  earlier: ModelStream;
  deeds: Deed[];
  stream: ModelStream;
  onConflict: OnConflict;
}
const stories: fc.Arbitrary<Story> = fc.record({
  earlier: streams(12),
  deeds: fc.array(deeds, { maxLength: 15, size: 'max' }),
  stream: streams(40),
  onConflict: fc.constantFrom(...ON_CONFLICT, 'update-unchanged'),
});
const flows = fc.record({ pace: paces, limits: chunkLimits });

/** Creates the users before the tested import, in the database and in the model. */
async function tellBeginning({ earlier, deeds }: Story): Promise<ModelUsers> {
  await removeEverything(service.database.db);
  const model = new ModelUsers(NOW);
  verdicts(model, earlier.lines, 'overwrite');
  for (const user of model.users) for (const login of user.logins) login.replacements = 0;
  await run('earlier', 'overwrite', { bytes: earlier.bytes, ...QUICKLY });
  for (const deed of deeds) await carryOut(deed, service, model);
  return model;
}

const QUICKLY = {
  pace: { sizes: [10_000], pauses: false },
  limits: { maxLines: 1000, maxBytes: 1_000_000, idleMs: 5, maxAgeMs: 250 },
};

const run = (
  importId: string,
  onConflict: OnConflict,
  stream: Stream,
  { cut, dryRun = false }: { cut?: Parameters<typeof runStream>[3]; dryRun?: boolean } = {},
) => runStream({ db: service.database.db, passwords }, { importId, onConflict, dryRun }, stream, cut);

function verdicts(model: ModelUsers, lines: readonly ModelLine[], onConflict: OnConflict) {
  const named = new Set<string>();
  /** Whether an earlier line of the stream has one of the external ids. */
  const isRepeat = ({ externalId, logins }: Person) => {
    const ids = [externalId, ...logins.map((login) => login.externalId)].filter((id) => id !== undefined);
    const isKnown = ids.some((id) => named.has(id));
    for (const id of ids) named.add(id);
    return isKnown;
  };
  const verdictOn = (says: Exclude<ModelLine['says'], undefined>): Verdict => {
    if ('code' in says) return { status: 'FAILED', code: says.code };
    return isRepeat(says)
      ? { status: 'FAILED', code: 'EXTERNAL_ID_REPEATED' }
      : model.import(says, onConflict);
  };
  return lines.flatMap(({ says }, index): (Verdict & { line: number })[] =>
    says === undefined ? [] : [{ line: index + 1, ...verdictOn(says) }],
  );
}

/** Checks the report, without messages, against these verdicts. */
function expectReport(
  report: Report,
  wanted: (Verdict & { line: number })[],
  ids: Map<ModelUser, string>,
): void {
  const got = report.results.map(({ message, ...result }) => {
    expect(message === undefined).toBe(result.code === undefined);
    return result;
  });
  const expected = wanted.map(({ user, ...verdict }) => {
    const userId = user && ids.get(user);
    return { ...verdict, ...(userId !== undefined && { userId }) };
  });
  expect(got).toEqual(expected);
  expect(report.summary).toMatchObject({ ...countResults(report), ms: 0 });
  const [counted, told] = report.summary === undefined ? [] : hashSums(report.summary);
  expect(counted).toEqual(told);
}

/**
 * Checks that the recorded failures equal the reported ones, page by page, and that the counts by code do,
 * too.
 */
async function expectFailures(importId: string, { results }: Report): Promise<void> {
  const wanted = results
    .filter(({ status }) => status === 'FAILED')
    .map(({ line, code = '', message = '' }) => ({ line, code, message }));
  const imports = createImportStore(service.database.db, service.database.db);
  const walk = async (code?: string) => {
    const all: FailedLine[] = [];
    for (let start: number | undefined = 0; start !== undefined; ) {
      const page = await imports.listFailures(importId, { start, limit: 3, ...(code && { code }) });
      if (typeof page === 'string') throw new Error(page);
      all.push(...page.failures);
      start = page.next;
    }
    return all;
  };
  expect(await walk()).toEqual(wanted);
  const { failures = {} } = (await imports.find(importId)) ?? {};
  expect(Object.keys(failures).sort()).toEqual([...new Set(wanted.map(({ code }) => code))].sort());
  for (const [code, count] of Object.entries(failures)) {
    const ofCode = wanted.filter((one) => one.code === code);
    expect([count, await walk(code)]).toEqual([ofCode.length, ofCode]);
  }
}

async function idsNow(model: ModelUsers): Promise<Map<ModelUser, string>> {
  const ids = new Map<ModelUser, string>();
  for (const { id, logins } of await readUsers(service.database.db)) {
    const user = model.userOf(logins[0]?.key ?? '');
    if (user !== undefined) ids.set(user, id);
  }
  return ids;
}

it('a stream has the outcome of its lines one by one, and a dry run before it reports the same and writes nothing', {
  timeout: IS_CITUS ? 1_800_000 : 120_000,
}, async () => {
  const { db } = service.database;
  await fc.assert(
    fc.asyncProperty(stories, flows, flows, async (story, flow, dryFlow) => {
      const { stream, onConflict } = story;
      const model = await tellBeginning(story);
      const idsBefore = await idsNow(model);
      const before = await dumpUsers(db);
      const dry_run_logins = await run(
        'dry',
        onConflict,
        { bytes: stream.bytes, ...dryFlow },
        { dryRun: true },
      );
      expect(await dumpUsers(db)).toEqual(before);

      const wanted = verdicts(model, stream.lines, onConflict);
      expectReport(dry_run_logins, wanted, idsBefore);
      await expectFailures('dry', dry_run_logins);
      const report = await run('real', onConflict, { bytes: stream.bytes, ...flow });
      const ids = await expectSameUsers(db, passwords, model, 'real');
      expectReport(report, wanted, ids);
      await expectFailures('real', report);
    }),
    { numRuns: RUNS },
  );
});

const cuts = fc.array(
  fc
    .record({ after: fc.nat(6000), of: fc.constant('bytes' as const) })
    .chain((bytes) => fc.constantFrom(bytes, { after: bytes.after % 8, of: 'reports' as const })),
  { minLength: 1, maxLength: 3 },
);

it('an import that is interrupted and repeated has the outcome of one that runs at once', {
  timeout: IS_CITUS ? 1_800_000 : 120_000,
}, async () => {
  const { db } = service.database;
  await fc.assert(
    fc.asyncProperty(
      stories,
      fc.array(flows, { minLength: 4, maxLength: 4 }),
      cuts,
      async (story, all, cutAt) => {
        const { stream, onConflict } = story;
        const model = await tellBeginning(story);
        const wanted = verdicts(model, stream.lines, onConflict);
        const broken: Report[] = [];
        for (const [index, cut] of cutAt.entries()) {
          const flow = all[index] ?? { ...QUICKLY };
          broken.push(await run('real', onConflict, { bytes: stream.bytes, ...flow }, { cut }));
        }
        const report = await run('real', onConflict, { bytes: stream.bytes, ...(all[3] ?? QUICKLY) });
        const ids = await expectSameUsers(db, passwords, model, 'real');
        expectReport(report, wanted, ids);
        await expectFailures('real', report);
        for (const { results } of broken) expect(results).toEqual(report.results.slice(0, results.length));
      },
    ),
    { numRuns: RUNS },
  );
});
