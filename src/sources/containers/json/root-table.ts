import { isJsonObject } from '../../../lib/json/json-object.ts';
import { type BadRecord, isBadRecord, type RecordBatch, type SourceRecord } from '../table.ts';
import type { JsonTable, JsonTables } from './json-tables.ts';
import { NO_FIXTURE } from './read-value.ts';

interface Fixture {
  model: string;
  pk: unknown;
  fields: SourceRecord;
}

/** Members of a Django fixture. `pk` is missing with `--natural-primary`. */
const FIXTURE_MEMBERS = new Set(['model', 'pk', 'fields']);

function fixtureOf(record: SourceRecord | BadRecord): Fixture | undefined {
  if (isBadRecord(record)) return undefined;
  const { model, pk, fields } = record;
  if (typeof model !== 'string' || !isJsonObject(fields)) return undefined;
  return Object.keys(record).every((key) => FIXTURE_MEMBERS.has(key)) ? { model, pk, fields } : undefined;
}

/** Bad JSON records are held until a good one shows whether the file has Django fixtures. */
const MAX_HELD = 1000;

/** If the first good JSON record is a Django fixture, records are divided into one table per model. */
export function createRootTable(tables: JsonTables, isLines: boolean): JsonTable {
  let table: JsonTable | undefined;
  let held: (SourceRecord | BadRecord)[] = [];
  let heldBytes = 0;

  function addHeld(): readonly RecordBatch[] {
    if (held.length === 0) return [];
    const sample = held.find((record) => !isBadRecord(record));
    const fixture = sample === undefined ? undefined : fixtureOf(sample);
    table =
      fixture === undefined ? tables.table('', { isLines }) : tableOfModels(tables, isLines, fixture.model);
    const records = held;
    held = [];
    return table.add(records, heldBytes);
  }

  return {
    add(records, sizeBytes) {
      if (table !== undefined) return table.add(records, sizeBytes);
      held.push(...records);
      heldBytes += sizeBytes;
      return held.length > MAX_HELD || !held.every(isBadRecord) ? addHeld() : [];
    },
    isUnwanted: () => table?.isUnwanted() ?? false,
    finish: () => [...addHeld(), ...(table?.finish() ?? [])],
  };
}

function tableOfModels(tables: JsonTables, isLines: boolean, first: string): JsonTable {
  // The Django model of a bad record is unknown. The model of the previous record is the best guess.
  let last = first;
  return {
    add(records, sizeBytes) {
      const byModel = new Map<string, (SourceRecord | BadRecord)[]>();
      for (const record of records) {
        const fixture = fixtureOf(record);
        last = fixture?.model ?? last;
        const list = byModel.get(last);
        const read = fixture === undefined ? asBad(record) : fieldsOf(fixture);
        if (list === undefined) byModel.set(last, [read]);
        else list.push(read);
      }
      const batches: RecordBatch[] = [];
      for (const [model, list] of byModel) {
        batches.push(
          ...tables.table(model, { isLines }).add(list, sizeBytes * (list.length / records.length)),
        );
      }
      return batches;
    },
    // Fixtures of a Django model that the import needs may follow those of a model that it does not need.
    isUnwanted: () => false,
    finish: () => tables.finish(),
  };
}

const asBad = (record: SourceRecord | BadRecord): BadRecord => (isBadRecord(record) ? record : NO_FIXTURE);

const fieldsOf = ({ pk, fields }: Fixture): SourceRecord => (pk === undefined ? fields : { pk, ...fields });
