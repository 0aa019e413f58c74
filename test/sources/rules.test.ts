import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from '../../src/sources/containers/table.ts';
import { baseName } from '../../src/sources/fields/tables.ts';
import { choosePlan } from '../../src/sources/pipeline/choose-plan.ts';
import type { Plan, Survey } from '../../src/sources/pipeline/plan.ts';
import { detailOf } from '../../src/sources/pipeline/plan.ts';
import { questionsOf } from '../../src/sources/pipeline/questions.ts';
import { surveyFile } from '../../src/sources/pipeline/survey-file.ts';
import { Tally } from '../../src/sources/pipeline/tally.ts';
import type { Verdict } from '../../src/sources/pipeline/verdict.ts';
import type { Advice } from '../../src/sources/source.ts';
import type { DeclaredForm } from '../../src/sources/systems/declare.ts';
import { readSamples, type Sample, unusedColumnsOf, verdictsOf } from './samples.ts';

/**
 * The rules of reading exports that hold for every system and every kind of file, tried on all samples. A system cannot
 * opt out of them.
 */
const SAMPLES = readSamples().map(
  (sample) => [`${sample.system}: ${sample.files.map(({ name }) => name).join(' + ')}`, sample] as const,
);

type Change = (record: SourceRecord) => SourceRecord;

/** A survey in which all tables for which `isChanged` holds have changed records and columns. */
function changed(
  survey: Survey,
  isChanged: (table: TableHead) => boolean,
  { columns, without = [], change }: { columns: readonly string[]; without?: string[]; change: Change },
): Survey {
  const head = (table: TableHead): TableHead =>
    isChanged(table)
      ? {
          ...table,
          columns: new Set([...table.columns, ...columns].filter((name) => !without.includes(name))),
          first: table.first.map(change),
        }
      : table;
  return {
    ...survey,
    tables: survey.tables.map(head),
    async *read(wanted) {
      for await (const batch of survey.read(wanted)) {
        const { table, records } = batch;
        if (!isChanged(table)) yield batch;
        else yield { ...batch, records: records.map((one) => (isBadRecord(one) ? one : change(one))) };
      }
    },
  };
}

const surveysOf = ({ files, read }: Sample) =>
  Promise.all(files.map(async (file) => keptInMemory(await surveyFile(file, read))));

/** Reads the records of a dump or a table once for all readings. */
async function keptInMemory(survey: Survey): Promise<Survey> {
  if (!['csv', 'sql'].includes(survey.container)) return survey;
  const batches: RecordBatch[] = [];
  for await (const batch of survey.read(() => true)) batches.push(batch);
  return {
    ...survey,
    async *read(wanted) {
      for (const batch of batches) if (wanted(batch.table)) yield batch;
    },
  };
}

function planOf(surveys: readonly Survey[], sample: Sample, more: Record<string, string> = {}): Plan {
  const plan = choosePlan(surveys, { from: sample.system, settings: { ...sample.options, ...more } });
  if ('noPlan' in plan) throw new Error(plan.noPlan);
  return plan;
}

async function questionsAbout(plan: Plan, sample: Sample): Promise<Advice[]> {
  const tally = new Tally();
  await verdictsOf(plan, { ...sample.decisions, tally });
  return [...plan.advice, ...questionsOf(plan, tally)].filter(({ level }) => level === 'stop');
}

/** Names of the columns that the import asks about. */
const columnsAsked = async (plan: Plan, sample: Sample): Promise<string[]> =>
  (await questionsAbout(plan, sample))
    .flatMap(({ question }) => question?.columns ?? [])
    .map(({ column }) => column);

const tablesAsked = ({ advice }: Plan) => advice.flatMap(({ question }) => question?.tables ?? []);

/** The surveys, of which one table has changed records and columns. */
const changedAt = (
  surveys: readonly Survey[],
  { table, index }: { table: TableHead; index: number },
  changes: { columns: readonly string[]; without?: string[]; change: Change },
) => surveys.map((survey, at) => changed(survey, ({ name }) => at === index && name === table.name, changes));

/** Names of the tables that a plan uses, by their use. */
const tablesOf = ({ surveys, uses }: Plan) =>
  surveys.flatMap(({ tables }, index) =>
    tables.flatMap((table) => {
      const use = uses.get(table);
      return use === undefined ? [] : [{ table, use, index }];
    }),
  );

/** Files whose tables may have any column. The others have the columns of their format. */
const isOpen = ({ container, columns }: TableHead) =>
  ['csv', 'json', 'sql', 'ldif'].includes(container) && columns.size > 0;

/** Joined tables of which no column says anything about a user. */
const ABOUT_NO_USER = [
  ...['better-auth: second factors', 'keycloak: clients', 'keycloak: provider_config', 'keycloak: providers'],
  ...['keycloak: realms', 'keycloak: realm names', 'mybb: usergroups', 'vbulletin: usergroup'],
];
/** Columns that a plugin or a newer version of the system adds. */
const MAY_LACK = [
  ...['better-auth: banned', 'casdoor: organization.disable_signin', 'devise: deleted_at'],
  ...['laravel: deleted_at', 'mastodon: accounts.memorial', 'payload: deleted_at'],
];
/** Reasons why the former system lets nobody sign in. */
const STATES = ['DISABLED', 'DELETED', 'ANONYMOUS', 'SERVICE_ACCOUNT'];
const idOf = ({ externalUserId, email }: Verdict) => externalUserId ?? email;

const EXACT = ['hanko: export.json'];

describe.each(SAMPLES)('%s', (_, sample) => {
  let surveys: Survey[];
  beforeAll(async () => {
    surveys = await surveysOf(sample);
  });

  it('asks about a column of the users that nobody has named, and about a member of an object', async () => {
    const ofUsers = tablesOf(planOf(surveys, sample)).filter(
      ({ table, use }) => use.as === 'users' && isOpen(table) && use.form.known !== 'all',
    );
    if (ofUsers.length === 0) return;
    const isIn = (at: number) => (table: TableHead) =>
      ofUsers.some((one) => one.index === at && one.table.name === table.name);
    const change: Change = (record) => ({ ...record, zzstate: 'barred', zzobject: { zzflag: 'x' } });
    const wider = surveys.map((survey, index) =>
      changed(survey, isIn(index), { columns: ['zzstate', 'zzobject'], change }),
    );
    // Some files must have exactly the columns of their system, and are otherwise of no system.
    if (sample.files.some(({ name }) => EXACT.includes(`${sample.system}: ${name}`))) {
      expect(() => planOf(wider, sample)).toThrow('are not an export of');
      return;
    }
    const columns = await columnsAsked(planOf(wider, sample), sample);
    expect(columns).toContain('zzstate');
    expect(columns.some((column) => column.startsWith('zzobject'))).toBe(true);
    const answered = planOf(wider, sample, { ignore: [sample.options.ignore, 'zzstate,zzobject'].join(',') });
    expect(await questionsAbout(answered, sample)).toEqual([]);
  });

  it('asks about a column of a joined table that nobody has named', async () => {
    const joined = tablesOf(planOf(surveys, sample)).filter(
      ({ table, use }) => use.as === 'detail' && isOpen(table) && table.first.length > 0,
    );
    for (const { use } of joined)
      if (detailOf(use).known === 'all') expect(ABOUT_NO_USER).toContain(`${sample.system}: ${use.detail}`);
    const asking = joined.filter(({ use }) => detailOf(use).known !== 'all');
    if (asking.length === 0) return;
    const change: Change = (record) => ({ ...record, zzstate: 'barred' });
    const wider = surveys.map((survey, at) => {
      const isJoined = ({ name }: TableHead) =>
        asking.some(({ table, index }) => index === at && table.name === name);
      return changed(survey, isJoined, { columns: ['zzstate'], change });
    });
    const columns = await columnsAsked(planOf(wider, sample), sample);
    expect(columns).toEqual(expect.arrayContaining(asking.map(({ use }) => `${use.detail}.zzstate`)));
  });

  it('imports nobody of whom a joined table has two different records', async () => {
    const joined = tablesOf(planOf(surveys, sample)).filter(
      ({ use }) => use.as === 'detail' && detailOf(use).isOfEveryUser === true,
    );
    for (const { table, use, index } of joined) {
      const { keyOf, keep } = detailOf(use);
      const varied: Change = (record) =>
        Object.keys(record)
          .map((name) => ({ ...record, [name]: 'zz' }))
          .find((one) => keyOf(one) === keyOf(record) && !isDeepStrictEqual(keep(one), keep(record))) ??
        record;
      const twice: Survey[] = surveys.map((survey, at) => ({
        ...survey,
        async *read(wanted) {
          for await (const batch of survey.read(wanted)) {
            yield batch;
            if (at !== index || batch.table.name !== table.name) continue;
            yield { ...batch, records: batch.records.map((one) => (isBadRecord(one) ? one : varied(one))) };
          }
        },
      }));
      const verdicts = await verdictsOf(planOf(twice, sample), sample.decisions);
      expect(verdicts.filter(({ result }) => result === 'import')).toEqual([]);
    }
  });

  it('asks about a state column that the file lacks', async () => {
    const ofUsers = tablesOf(planOf(surveys, sample)).filter(
      ({ table, use }) => use.as === 'users' && ['csv', 'sql'].includes(table.container),
    );
    for (const { table, use, index } of ofUsers) {
      for (const column of use.form.stateColumns?.(table) ?? []) {
        const names = column.split('|');
        const change: Change = (record) =>
          Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
        const lacking = changedAt(surveys, { table, index }, { columns: [], without: names, change });
        const plan = choosePlan(lacking, { from: sample.system, settings: sample.options });
        // Without a column that the system must have, the file is no export of it.
        if ('noPlan' in plan) continue;
        expect(await columnsAsked(plan, sample)).toContain(names[0]);
        const ignore = [sample.options.ignore, names[0]].join(',');
        expect(await questionsAbout(planOf(lacking, sample, { ignore }), sample)).toEqual([]);
      }
    }
  });

  it('lets nobody in because a column is missing', async () => {
    const planOfAll = planOf(surveys, sample);
    const verdictsOnAll = await verdictsOf(planOfAll, sample.decisions);
    const isOut = new Set(verdictsOnAll.filter(({ reason = '' }) => STATES.includes(reason)).map(idOf));
    if (isOut.size === 0) return;
    for (const { table, use, index } of tablesOf(planOfAll)) {
      if (!['csv', 'sql'].includes(table.container)) continue;
      const unused = use.as === 'users' ? unusedColumnsOf(planOfAll, table, use.form) : new Set();
      for (const column of table.columns) {
        if (unused.has(column)) continue;
        // What all have alike tells nobody from others.
        if (new Set(table.first.map((record) => JSON.stringify(record[column]))).size === 1) continue;
        const change: Change = ({ [column]: _, ...record }) => record;
        const lacking = changedAt(surveys, { table, index }, { columns: [], without: [column], change });
        const plan = choosePlan(lacking, { from: sample.system, settings: sample.options });
        if ('noPlan' in plan) continue;
        const tally = new Tally();
        const verdicts = await verdictsOf(plan, { ...sample.decisions, tally });
        const isAsked = [...plan.advice, ...questionsOf(plan, tally)].some(({ level }) => level === 'stop');
        const isIn = verdicts.filter((one) => one.result === 'import' && isOut.has(idOf(one)));
        const place = `${sample.system}: ${use.as === 'users' ? '' : `${use.detail}.`}${column}`;
        if (!isAsked && !MAY_LACK.includes(place)) expect([place, isIn]).toEqual([place, []]);
      }
    }
  });

  it('keeps out who is locked for longer than failed sign-ins lock', async () => {
    for (const { table, use, index } of tablesOf(planOf(surveys, sample))) {
      const { lockedUntil } = (use.form as Partial<DeclaredForm>).declaration ?? {};
      if (use.as !== 'users' || lockedUntil === undefined) continue;
      const names = lockedUntil.split('|');
      const outcomeOf = async (time: string) => {
        const tally = new Tally();
        const lock = Object.fromEntries(names.map((name) => [name, time]));
        const change: Change = (record) => ({ ...record, ...lock });
        const locked = changedAt(surveys, { table, index }, { columns: names, change });
        const verdicts = await verdictsOf(planOf(locked, sample), { ...sample.decisions, tally });
        const imported = verdicts.filter(({ result }) => result === 'import').length;
        return { imported, locks: tally.dropped.get('temporary locks') ?? 0 };
      };
      const over = await outcomeOf('2020-01-01 00:00:00');
      expect(over.imported).toBeGreaterThan(0);
      expect(over.locks).toBe(0);
      const soon = await outcomeOf(new Date(Date.now() + 3_600_000).toISOString());
      expect(soon.imported).toBe(over.imported);
      expect(soon.locks).toBeGreaterThanOrEqual(over.imported);
      expect((await outcomeOf('2099-01-01 00:00:00')).imported).toBe(0);
      expect((await outcomeOf('sometime')).imported).toBe(0);
    }
  });

  it('asks about a table that refers to users and is not read', async () => {
    const [at] = tablesOf(planOf(surveys, sample)).flatMap(({ table, use }) =>
      use.as === 'users' && table.container === 'sql' ? table : [],
    );
    if (at === undefined) return;
    const bans: TableHead[] = Object.entries({
      zzbans: { user_id: '1', until: 'x' },
      zzmembers: { member: '1' },
      zzaccounts: { account_id: '1' },
      zzsubjects: { subject_type: 'x', subject_id: '1' },
      zzaddresses: { who: 'ada@example.com', why: 'x', owner: 'ada@example.com' },
      [`${baseName(at)}_zzroles`]: { owner: '1' },
    }).map(([name, record]) => ({
      ...at,
      name,
      columns: new Set(Object.keys(record)),
      first: [record],
    }));
    const more = surveys.map((survey, index) =>
      index === 0 ? { ...survey, tables: [...survey.tables, ...bans] } : survey,
    );
    const names = bans.map(baseName);
    expect(tablesAsked(planOf(more, sample))).toEqual(expect.arrayContaining(names));
    const ignoreTable = [sample.options.ignoreTable, ...names].join(',');
    const said = planOf(more, sample, { ignoreTable }).advice.filter(({ level }) => level === 'stop');
    expect(said).toEqual([]);
  });

  it('asks about a table that decides and is missing', async () => {
    const plan = planOf(surveys, sample);
    for (const form of plan.forms) {
      for (const [name, { decides }] of Object.entries(form.details ?? {})) {
        if (decides === undefined) continue;
        const without = plan.surveys.map((survey) => ({
          ...survey,
          tables: survey.tables.filter((table) => {
            const use = plan.uses.get(table);
            return use?.as === 'users' || use?.detail !== name;
          }),
        }));
        const { mfa: _, withoutTable: __, ...options } = sample.options;
        const given = without.filter(({ tables }) => tables.length > 0);
        expect(tablesAsked(planOf(given, { ...sample, options }))).toContain(name);
      }
    }
  });
});
