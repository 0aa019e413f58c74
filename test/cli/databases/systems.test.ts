import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { choosePlan } from '../../../src/sources/pipeline/choose-plan.ts';
import type { Survey } from '../../../src/sources/pipeline/plan.ts';
import { surveyFile } from '../../../src/sources/pipeline/survey-file.ts';
import { Tally } from '../../../src/sources/pipeline/tally.ts';
import { readSamples, SAMPLES, type Sample, verdictsOf } from '../../sources/samples.ts';
import { createTestDatabase } from '../../support/database.ts';
import { opened } from './read-all.ts';

/**
 * Returns the outcome of all rows, without what differs between a dump and its database: names of files and
 * the order of rows.
 */
async function outcomeOf(survey: Survey, { options, decisions }: Sample, from?: string) {
  const plan = choosePlan([survey], { from, settings: options });
  if ('noPlan' in plan) throw new Error(plan.noPlan);
  const tally = new Tally();
  const all = await verdictsOf(plan, { ...decisions, nowMs: Date.UTC(2026, 5, 1), tally });
  const verdicts = all
    .map(({ result, reason, externalUserId, email, line }) => ({
      ...{ result, reason, externalUserId, email, line: line && JSON.parse(line) },
    }))
    .sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
  // Records are counted by file, and files differ, as do the first records of tables, by which state columns are looked for.
  const { records, absent, ...counts } = tally;
  return { system: plan.source.name, advice: plan.advice, tally: counts, verdicts };
}

/** Dumps that pg_dump made with COPY. */
const DUMPS = [
  ...['authjs/pg.sql', 'discourse/dump.sql', 'django/pg.sql', 'gitea/dump.sql', 'lucia/v3.sql'],
  ...['nhost/dump.sql', 'odoo/dump.sql', 'strapi/dump.sql', 'supabase/dump.sql', 'supertokens/dump.sql'],
];

test.each(DUMPS)('a PostgreSQL database gives the same users as its dump: %s', async (path) => {
  const [system = '', name] = path.split('/');
  const sample = readSamples().find((one) => one.system === system && one.files[0]?.name === name);
  const [file] = sample?.files ?? [];
  if (sample === undefined || file === undefined) throw new Error(`there is no sample ${path}`);
  const { uri, drop } = await createTestDatabase({ empty: true });
  onTestFinished(drop);
  await loadTables(uri, tablesOfDump(readFileSync(join(SAMPLES, path), 'utf8')));
  const live = await outcomeOf((await opened(uri)).survey, sample, sample.from);
  expect(live.system).toBe(system);
  expect(live).toEqual(await outcomeOf(await surveyFile(file, {}), sample, sample.from));
  expect(live.verdicts.some(({ result }) => result === 'import')).toBe(true);
  expect(await outcomeOf((await opened(uri)).survey, sample, system)).toEqual(live);
});

interface TextTable {
  /** Name with or without schema. The default schema is `public`. */
  name: string;
  columns: readonly string[];
  rows: readonly (readonly (string | null)[])[];
}

/** Creates the tables in an empty database, with column types that fit their values. */
async function loadTables(uri: string, tables: readonly TextTable[]): Promise<void> {
  const client = new pg.Client(uri);
  await client.connect();
  try {
    for (const { name, columns, rows } of tables) {
      const [table = '', schema = 'public'] = name.split('.').reverse();
      const qualified = `"${schema}"."${table}"`;
      const types = columns.map((_, at) => typeOf(rows.map((row) => row[at] ?? null)));
      const key = columns.includes('id') ? ', primary key ("id")' : '';
      const list = columns.map((column, at) => `"${column}" ${types[at]}`).join(', ');
      await client.query(`create schema if not exists "${schema}"`);
      await client.query(`create table ${qualified} (${list}${key})`);
      const values = columns.map((_, at) => `$${at + 1}`).join(', ');
      for (const row of rows) await client.query(`insert into ${qualified} values (${values})`, [...row]);
    }
  } finally {
    await client.end();
  }
}

const TYPES: readonly (readonly [type: string, isOne: (value: string) => boolean])[] = [
  ['boolean', (value) => value === 't' || value === 'f'],
  ['uuid', (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)],
  ['timestamptz', (value) => /^\d{4}-\d\d-\d\d[T ][\d:.]+(\+\d\d|Z)$/.test(value)],
  ['timestamp', (value) => /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(value)],
  ['bigint', (value) => /^\d{1,9}$|^\d{13}$/.test(value)],
  ['jsonb', (value) => /^\{.*\}$/.test(value) && !value.includes('"key_id"')],
];

function typeOf(values: readonly (string | null)[]): string {
  const texts = values.filter((value) => value !== null);
  if (texts.length === 0) return 'text';
  return TYPES.find(([, isOne]) => texts.every(isOne))?.[0] ?? 'text';
}

/** Returns the tables of a dump that pg_dump made with COPY. */
const tablesOfDump = (dump: string): TextTable[] =>
  [...dump.matchAll(/^COPY (\S+) \(([^)]*)\) FROM stdin;\n(?:(.*?)\n)??\\\.$/gms)].map(
    ([, name = '', columns = '', rows]) => ({
      name: name.replaceAll('"', ''),
      columns: columns.replaceAll('"', '').split(', '),
      rows: rows === undefined ? [] : rows.split('\n').map((row) => row.split('\t').map(cellOf)),
    }),
  );

const SIGNS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };

const cellOf = (cell: string): string | null =>
  cell === '\\N' ? null : cell.replace(/\\(.)/g, (_, sign: string) => SIGNS[sign] ?? sign);
