import { isJsonObject } from '../../../imports/input/json-object.ts';
import { type BadRecord, isBadRecord, type RecordBatch, type SourceRecord } from '../table.ts';
import type { JsonTable, JsonTables } from './json-tables.ts';
import { NO_FIXTURE } from './read-value.ts';

interface Fixture {
  model: string;
  pk: unknown;
  fields: SourceRecord;
}

/** The members of a fixture of Django. `--natural-primary` leaves `pk` out. */
const FIXTURE_MEMBERS = new Set(['model', 'pk', 'fields']);

function fixtureOf(record: SourceRecord | BadRecord): Fixture | undefined {
  if (isBadRecord(record)) return undefined;
  const { model, pk, fields } = record;
  if (typeof model !== 'string' || !isJsonObject(fields)) return undefined;
  return Object.keys(record).every((key) => FIXTURE_MEMBERS.has(key)) ? { model, pk, fields } : undefined;
}

/**
 * The table of an array or of lines at the root. It is one table, or where the first record is a fixture of Django as many as
 * there are models.
 */
export function createRootTable(tables: JsonTables, isLines: boolean): JsonTable {
  let table: JsonTable | undefined;
  return {
    add(records, sizeBytes) {
      if (records.length === 0) return [];
      if (table === undefined) {
        const sample = records.find((record) => !isBadRecord(record));
        const fixture = sample === undefined ? undefined : fixtureOf(sample);
        table =
          fixture === undefined ? tables.table('', isLines) : tableOfModels(tables, isLines, fixture.model);
      }
      return table.add(records, sizeBytes);
    },
    isUnwanted: () => table?.isUnwanted() ?? false,
    finish() {
      table ??= tables.table('', isLines);
      return table.finish();
    },
  };
}

/** @param first the model of the first fixture */
function tableOfModels(tables: JsonTables, isLines: boolean, first: string): JsonTable {
  // Of what is no fixture nobody knows the model: most likely it is that of the one before.
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
        batches.push(...tables.table(model, isLines).add(list, sizeBytes * (list.length / records.length)));
      }
      return batches;
    },
    // More models may come.
    isUnwanted: () => false,
    finish: () => tables.finish(),
  };
}

const asBad = (record: SourceRecord | BadRecord): BadRecord => (isBadRecord(record) ? record : NO_FIXTURE);

const fieldsOf = ({ pk, fields }: Fixture): SourceRecord => (pk === undefined ? fields : { pk, ...fields });
