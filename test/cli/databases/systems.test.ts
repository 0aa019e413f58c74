import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseOnlyRegistry } from '../../../src/hashing/registry.ts';
import { choosePlan } from '../../../src/sources/pipeline/choose-plan.ts';
import { loadUsers } from '../../../src/sources/pipeline/load-users.ts';
import type { Survey } from '../../../src/sources/pipeline/plan.ts';
import { surveyFile } from '../../../src/sources/pipeline/survey-file.ts';
import { newTally } from '../../../src/sources/pipeline/tally.ts';
import { fileOf } from '../../sources/samples.ts';
import { createTestDatabase } from '../../support/database.ts';
import { loadTables, type TextTable, tablesOfDump } from './load-tables.ts';
import { opened, sampleText } from './read-all.ts';
import { TABLES_OF_SAMPLES } from './tables-of-samples.ts';

/**
 * Returns the outcome of all rows, without what differs between a dump and its database: names of files and
 * the order of rows.
 */
async function outcomeOf(surveys: Survey[], from?: string) {
  const plan = choosePlan(surveys, { from, settings: {} });
  if ('noPlan' in plan) throw new Error(plan.noPlan);
  const tempDirectory = await mkdtemp(join(tmpdir(), 'uic-live-'));
  onTestFinished(() => rm(tempDirectory, { recursive: true }));
  const tally = newTally();
  const verdicts = [];
  const users = await loadUsers(plan, {
    registry: parseOnlyRegistry(undefined),
    nowMs: Date.UTC(2026, 5, 1),
    disabled: 'skip',
    withoutPassword: 'skip',
    mfa: undefined,
    verifiedByDefault: false,
    providers: {},
    tally,
    tempDirectory,
    keepsOriginals: false,
  });
  onTestFinished(() => users.close());
  for await (const batch of users.verdicts()) {
    for (const { result, reason, externalUserId, email, line } of batch) {
      verdicts.push({ result, reason, externalUserId, email, line: line && JSON.parse(line) });
    }
  }
  verdicts.sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
  // Records are counted by file, and files differ, as do the first records of tables, by which state columns are looked for.
  const { records, absent, ...counts } = tally;
  return { system: plan.source.name, advice: plan.advice, tally: counts, verdicts };
}

const sample = (system: string, file: string): Promise<Survey> =>
  surveyFile(fileOf(fileURLToPath(new URL(`../../sources/samples/${system}/${file}`, import.meta.url))), {});

async function loaded(tables: readonly TextTable[]): Promise<string> {
  const { uri, drop } = await createTestDatabase({ empty: true });
  onTestFinished(drop);
  await loadTables(uri, tables);
  return uri;
}

describe('a PostgreSQL database gives the same users as its dump', () => {
  test.each(['supabase', 'discourse', 'nhost', 'strapi', 'supertokens'])('%s', async (system) => {
    const uri = await loaded(tablesOfDump(sampleText(`${system}/dump.sql`)));
    const live = await outcomeOf([(await opened(uri)).survey]);
    expect(live.system).toBe(system);
    expect(live).toEqual(await outcomeOf([await sample(system, 'dump.sql')]));
    expect(live.verdicts.some(({ result }) => result === 'import')).toBe(true);
    expect(await outcomeOf([(await opened(uri)).survey], system)).toEqual(live);
  });
});

describe('a PostgreSQL database gives the same users as other exports', () => {
  test.each(Object.entries(TABLES_OF_SAMPLES))('%s', async (system, { files, tables }) => {
    const live = await outcomeOf([(await opened(await loaded(tables()))).survey]);
    const exported = await outcomeOf(await Promise.all(files.map((file) => sample(system, file))));
    const logins = ({ verdicts }: typeof live) =>
      verdicts.map(({ line, ...rest }) => ({ ...rest, loginMethods: line?.loginMethods }));
    expect(live.system).toBe(system);
    expect(logins(live)).toEqual(logins(exported));
    expect(live.verdicts.some(({ result }) => result === 'import')).toBe(true);
  });
});
