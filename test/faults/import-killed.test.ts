import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { useServices } from '../support/compiled-service.ts';
import { ImportStream, sendAll } from '../support/import-stream.ts';
import type { Report } from '../support/ndjson.ts';
import { Random } from '../support/random.ts';
import { rowsOf } from '../support/rows-of.ts';
import { expectContinues, expectMigrated, expectMigrationReport, migrationLines } from './migration.ts';
import { useOwnPostgres, waitUntil } from './postgres.ts';

/** Number of kills of each kind, at random moments, and the first seed. A seed repeats a run. */
const KILLS = Number(process.env.IMPORT_KILLS ?? 1);
const FIRST_SEED = Number(process.env.IMPORT_KILL_SEED ?? Date.now() % 1_000_000);
const SEEDS = Array.from({ length: KILLS }, (_, index) => FIRST_SEED + index);

/** Lines of five chunks, of which the last ones change users of the first. */
const LINES = 9000;

const postgres = await useOwnPostgres();
const services = useServices();

/** Begins the import. Resolves at a random moment of it. */
async function beginImport(url: string, random: Random): Promise<ImportStream> {
  const stream = new ImportStream(url, '?importId=it');
  void sendAll(stream, migrationLines(LINES));
  const reported = Math.floor(random.fraction() * LINES * 0.8);
  await waitUntil(() => stream.text.split('\n', reported + 1).length > reported);
  await sleep(random.fraction() * 100);
  return stream;
}

async function finishImport(url: string, uri: string, broken: Report): Promise<void> {
  const stream = new ImportStream(url, '?importId=it');
  await sendAll(stream, migrationLines(LINES));
  const report = await stream.finished();
  expectMigrationReport(report, LINES);
  expectContinues(broken, report);
  await expectMigrated(uri, LINES);
}

it.each(SEEDS)(
  'an import is resumed by the next service after its service was killed (seed %i)',
  async (seed) => {
    const random = new Random(seed);
    const uri = await postgres.create(`service_killed_${seed}`);
    const first = services.startOn(uri);
    const stream = await beginImport(await first.ready(), random);
    await first.kill();
    const broken = await stream.finished();

    const second = services.startOn(uri);
    await finishImport(await second.ready(), uri, broken);
    await second.kill();
  },
);

it.each(SEEDS)('an import is resumed after its Postgres was killed (seed %i)', async (seed) => {
  const random = new Random(seed);
  const uri = await postgres.create(`postgres_killed_${seed}`);
  const service = services.startOn(uri);
  const url = await service.ready();
  const stream = await beginImport(url, random);
  await postgres.kill();
  const broken = await stream.finished();
  // The import may have finished before the kill.
  if (broken.summary === undefined) expect(broken.error?.code).toBe('STORAGE_UNAVAILABLE');

  await postgres.startAgain();
  await waitUntil(async () => (await rowsOf(uri, 'select').catch(() => [])).length === 1);
  await finishImport(url, uri, broken);
  await service.kill();
});
