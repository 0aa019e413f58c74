import { describe, expect, it } from 'vitest';
import {
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from '../../../src/sources/containers/table.ts';
import { newTally } from '../../../src/sources/pipeline/judge.ts';
import type { Plan, Survey } from '../../../src/sources/pipeline/plan.ts';
import { UnreadColumns } from '../../../src/sources/pipeline/unread-columns.ts';
import type { SourceUser } from '../../../src/sources/source-user.ts';
import { planOf, readSamples, verdictsOf } from '../samples.ts';

/** Returns the plan with a column in every table of users that no system has. */
function withColumn(plan: Plan, name: string, value: string): Plan {
  const surveys = plan.surveys.map((survey, index): Survey => {
    const isUsers = (table: string) => plan.uses[index]?.get(table)?.as === 'users';
    const withIt = (batch: RecordBatch): RecordBatch => ({
      ...batch,
      records: batch.records.map((record) => (isBadRecord(record) ? record : { ...record, [name]: value })),
    });
    return {
      ...survey,
      tables: survey.tables.map((table) =>
        isUsers(table.name) ? { ...table, columns: new Set([...table.columns, name]) } : table,
      ),
      async *read(wanted) {
        for await (const batch of survey.read(wanted))
          yield isUsers(batch.table.name) ? withIt(batch) : batch;
      },
    };
  });
  return { ...plan, surveys };
}

const SAMPLES = readSamples()
  .filter(({ users }) => users.length > 0)
  .map(
    (sample) => [`${sample.system}: ${sample.files.map(({ name }) => name).join(' + ')}`, sample] as const,
  );

describe.each(SAMPLES)('a column that %s does not know', (_, sample) => {
  it('becomes metadata or is counted, and is kept if the operator says so', async () => {
    const plan = withColumn(await planOf(sample), 'favourite_colour', 'teal');
    const tally = newTally();
    const verdicts = await verdictsOf(plan, { tally });
    const users = verdicts.flatMap(({ original, user }) =>
      original?.favourite_colour === undefined || user === undefined ? [] : user,
    );
    const isMetadata = users.every(({ metadata }) => metadata?.favourite_colour === 'teal');
    expect(users).not.toEqual([]);
    expect(tally.unreadColumns.get('favourite_colour') ?? 0).toBe(isMetadata ? 0 : users.length);

    const kept = { ...plan, settings: { ...plan.settings, keep: 'favourite_colour' } };
    const tallyKept = newTally();
    for (const { line, original } of await verdictsOf(kept, { tally: tallyKept }))
      if (line !== undefined && original?.favourite_colour !== undefined)
        expect(JSON.parse(line).userMetadata.favourite_colour).toBe('teal');
    expect(tallyKept.unreadColumns.has('favourite_colour')).toBe(false);
  });
});

describe('columns that a reader leaves out', () => {
  const table: TableHead = {
    container: 'json',
    name: '',
    columns: new Set(),
    first: [],
    root: {},
  };
  const counted = (
    records: readonly SourceRecord[],
    read: (record: SourceRecord) => SourceUser | undefined,
    isKept: (name: string) => boolean = () => false,
  ) => {
    const counts = new Map<string, number>();
    const unread = new UnreadColumns(table, { counts, isKept });
    for (const record of records) unread.read(record, read);
    return Object.fromEntries(counts);
  };
  const byId = ({ id }: SourceRecord): SourceUser => ({ externalUserId: String(id) });

  it('are counted where they hold a value', () => {
    const records = [
      { id: 1, plan: 'gold', note: '' },
      { id: 2, plan: null },
      { id: 3, plan: 'free', note: 'x' },
    ];
    expect(counted(records, byId)).toEqual({ plan: 2, note: 1 });
    expect(counted(records, byId, (name) => name === 'plan')).toEqual({ note: 1 });
  });

  it('are not those that the reader needs in some records only, however late', () => {
    const records = Array.from({ length: 50 }, (_, id) => ({ id, phone: '1', isPhoneUser: id === 49 }));
    const read = (record: SourceRecord): SourceUser =>
      record.isPhoneUser ? { hasPhone: record.phone !== undefined } : {};
    expect(counted(records, read)).toEqual({ id: 50 });
  });

  it('are not secrets or second factors, nor of records that are no users', () => {
    const records = [{ id: 1, api_token: 'x', totp_secret: 'y', plan: 'gold' }];
    expect(counted(records, byId)).toEqual({ plan: 1 });
    expect(counted(records, () => undefined)).toEqual({});
  });

  it('have bounded names, which are not shown if they are data', () => {
    const records = Array.from({ length: 400 }, (_, id) => ({
      id,
      [`column${id}`]: 1,
      'ada@example.com': 1,
    }));
    const counts = counted(records, byId);
    expect(Object.keys(counts).length).toBeLessThanOrEqual(201);
    expect(counts['••']).toBe(400);
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(800);
  });
});
