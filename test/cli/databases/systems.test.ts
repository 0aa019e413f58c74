import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseOnlyRegistry } from '../../../src/hashing/parse-only-registry.ts';
import { readSql } from '../../../src/sources/containers/sql/read-sql.ts';
import type { RecordBatch, TableHead } from '../../../src/sources/containers/table.ts';
import { choosePlan } from '../../../src/sources/pipeline/choose-plan.ts';
import { convert } from '../../../src/sources/pipeline/convert.ts';
import { newTally } from '../../../src/sources/pipeline/judge.ts';
import type { Survey } from '../../../src/sources/pipeline/plan.ts';
import { createTestDatabase } from '../../support/database.ts';
import { lacksMariadb, type MariadbServer, startMariadb } from '../../support/mariadb.ts';
import { loadTables, tablesOfDump } from './load-tables.ts';
import { opened, sampleText } from './read-all.ts';

const NOW = Date.UTC(2026, 5, 1);

/** What becomes of all rows, but for what differs between a dump and its database: names of files, the order of rows. */
async function verdictsOn(survey: Survey, from?: string) {
  const plan = choosePlan([survey], { from, settings: {} });
  if ('noPlan' in plan) throw new Error(plan.noPlan);
  const directory = await mkdtemp(join(tmpdir(), 'uic-live-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const tally = newTally();
  const verdicts = [];
  const deps = {
    registry: parseOnlyRegistry(undefined),
    nowMs: NOW,
    includeDisabled: false,
    verifiedByDefault: false,
    providers: {},
    tally,
  };
  for await (const batch of convert(plan, { ...deps, tempDirectory: directory })) {
    for (const { result, reason, externalUserId, email, line, table } of batch) {
      verdicts.push({ result, reason, externalUserId, email, table, line: line && JSON.parse(line) });
    }
  }
  return {
    system: plan.source.name,
    forms: plan.forms.map(({ name }) => name),
    advice: plan.advice,
    tally,
    verdicts: verdicts.sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other))),
  };
}

async function surveyOfDump(path: string): Promise<Survey> {
  const file = fileURLToPath(new URL(`../../sources/samples/${path}`, import.meta.url));
  const read = (wanted: (table: TableHead) => boolean) => readSql(createReadStream(file), {}, wanted);
  const batches: RecordBatch[] = [];
  for await (const batch of read(() => true)) batches.push(batch);
  const tables = batches.filter(({ firstRow }) => firstRow === 1).map(({ table }) => table);
  return { name: path, container: 'sql', tables, digest: '', read };
}

describe('a live database is what its dump is', () => {
  test.each(['supabase', 'discourse', 'nhost', 'strapi', 'supertokens'])('PostgreSQL: %s', async (system) => {
    const { uri, drop } = await createTestDatabase({ empty: true });
    onTestFinished(drop);
    await loadTables(uri, tablesOfDump(sampleText(`${system}/dump.sql`)));
    const live = await verdictsOn((await opened(uri)).survey);
    expect(live.system).toBe(system);
    expect(live).toEqual(await verdictsOn(await surveyOfDump(`${system}/dump.sql`)));
    expect(live.verdicts.some(({ result }) => result === 'import')).toBe(true);
    expect(await verdictsOn((await opened(uri)).survey, system)).toEqual(live);
  });

  describe.skipIf(lacksMariadb)('MariaDB', () => {
    let server: MariadbServer;
    beforeAll(async () => {
      server = await startMariadb();
    });
    afterAll(() => server.stop());

    test.each(['wordpress', 'laravel', 'drupal', 'magento'])('%s', async (system) => {
      await server.load(system, sampleText(`${system}/dump.sql`));
      const live = await verdictsOn((await opened(`${server.uri}/${system}`)).survey);
      expect(live.system).toBe(system);
      expect(live).toEqual(await verdictsOn(await surveyOfDump(`${system}/dump.sql`)));
      expect(live.verdicts.some(({ result }) => result === 'import')).toBe(true);
    });
  });
});
