import { isJsonObject, type JsonObject } from '../../../lib/json/json-object.ts';
import { MAX_HEADS_BYTES, MAX_HELD_BYTES, MAX_HELD_RECORDS } from '../held-records.ts';
import {
  BadRecord,
  FileProblem,
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from '../table.ts';
import { MAX_SMALL_BYTES } from './json-window.ts';
import { createUnwrapper } from './read-value.ts';

export type Records = readonly (SourceRecord | BadRecord)[];

/** Collects the records of a list in a JSON file, and passes them on in batches. */
export interface JsonTable {
  /**
   * Returns the batches that are ready to be passed on. `sizeBytes`: size of all records in the JSON file.
   */
  add(records: Records, sizeBytes: number): readonly RecordBatch[];
  isUnwanted(): boolean;
  /**
   * Ends a list of the JSON file. Decides whether the table is wanted, and returns the batches held so far.
   */
  finish(): readonly RecordBatch[];
}

/** No application has as many kinds of objects in a JSON file. */
const MAX_TABLES = 1000;
/** Size of all members that are kept beside the lists of a JSON file. */
const MAX_ROOT_BYTES = 256 * 1024;

/** The tables of a JSON file, and the small members beside them: settings, defaults, or the name of a realm. */
export class JsonTables {
  /** Grows while the JSON file is read. */
  readonly root: JsonObject = {};
  readonly heads: TableHead[] = [];
  /** The file has one document per line. */
  isLines = false;
  readonly #wanted: (table: TableHead) => boolean;
  readonly #tables = new Map<string, JsonTable>();
  #rootBytes = 0;
  #heldBytes = 0;

  constructor(wanted: (table: TableHead) => boolean) {
    this.#wanted = wanted;
  }

  /** Keeps a member of the JSON file, unless the kept members together would be too large. */
  keep(name: string, value: unknown, sizeBytes: number): void {
    // Assigning a member named `__proto__` would change the prototype instead of adding a member.
    if (name === '__proto__') return;
    this.#rootBytes += name.length + sizeBytes;
    if (this.#rootBytes <= MAX_ROOT_BYTES) Object.assign(this.root, { [name]: value });
  }

  /** Returns the same table if the name occurs again in the JSON file. */
  table(name: string, found?: TableHead['found']): JsonTable {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    if (this.#tables.size >= MAX_TABLES) {
      throw new FileProblem(
        'FILE_INVALID',
        `The file holds more than ${MAX_TABLES} tables. Export only the tables with users.`,
      );
    }
    const table = this.#createTable(name, found);
    this.#tables.set(name, table);
    return table;
  }

  finish(): readonly RecordBatch[] {
    return [...this.#tables.values()].flatMap((table) => table.finish());
  }

  #createTable(name: string, found: TableHead['found']): JsonTable {
    const columns = new Set<string>();
    const first: SourceRecord[] = [];
    const head: TableHead = { container: 'json', name, columns, first, root: this.root };
    if (found !== undefined) head.found = found;
    if (this.isLines) head.isLines = true;
    this.heads.push(head);
    const unwrap = createUnwrapper();
    let rows = 0;
    let held: RecordBatch[] = [];
    let heldBytes = 0;
    let isWanted: boolean | undefined;

    const isHeadFull = () =>
      first.length >= MAX_HELD_RECORDS || heldBytes >= MAX_HELD_BYTES || this.#heldBytes >= MAX_HEADS_BYTES;

    const keepFirst = (records: Records, sizeBytes: number) => {
      const each = sizeBytes / records.length;
      for (const record of records) {
        // Without any record, the columns of a table would be unknown.
        if (isHeadFull() && (first.length > 0 || each > MAX_SMALL_BYTES)) return;
        heldBytes += each;
        this.#heldBytes += each;
        if (isBadRecord(record)) continue;
        first.push(record);
        for (const column of Object.keys(record)) columns.add(column);
      }
    };

    const finish = () => {
      if (isWanted !== undefined) return [];
      isWanted = this.#wanted(head);
      const batches = isWanted ? held : [];
      held = [];
      return batches;
    };

    return {
      add(written, sizeBytes) {
        if (written.length === 0) return [];
        const records = unwrap(written);
        const batch = { table: head, firstRow: rows + 1, records };
        rows += records.length;
        if (isWanted !== undefined) return isWanted ? [batch] : [];
        keepFirst(records, sizeBytes);
        held.push(batch);
        return isHeadFull() ? finish() : [];
      },
      isUnwanted: () => isWanted === false,
      finish,
    };
  }
}

/** Returns the model and the record of a Django fixture, whose `pk` is missing with `--natural-primary`. */
function fixtureOf(record: SourceRecord | BadRecord): { model: string; fields: SourceRecord } | undefined {
  if (isBadRecord(record)) return undefined;
  const { model, pk, fields, ...others } = record;
  if (typeof model !== 'string' || !isJsonObject(fields) || Object.keys(others).length > 0) return undefined;
  return { model, fields: pk === undefined ? fields : { pk, ...fields } };
}

const NO_FIXTURE = new BadRecord('JSON_INVALID', 'Is not an object with model and fields, like the others.');

/**
 * Returns the table of the records of a JSON file that has no other. If the first good record is a Django fixture, all
 * must be, and are divided into one table for each model.
 */
export function createRootTable(tables: JsonTables): JsonTable {
  let table: JsonTable | undefined;
  return {
    add(records, sizeBytes) {
      const first = table === undefined ? records.find((record) => !isBadRecord(record)) : undefined;
      const fixture = first === undefined ? undefined : fixtureOf(first);
      if (records.length > 0)
        table ??= fixture === undefined ? tables.table('') : tableOfModels(tables, fixture.model);
      return table?.add(records, sizeBytes) ?? [];
    },
    isUnwanted: () => table?.isUnwanted() ?? false,
    finish: () => [...(table ?? tables.table('')).finish(), ...tables.finish()],
  };
}

function tableOfModels(tables: JsonTables, firstModel: string): JsonTable {
  // The Django model of a bad record is unknown. The model of the previous record is the best guess.
  let model = firstModel;
  return {
    add(records, sizeBytes) {
      const byModel = new Map<string, (SourceRecord | BadRecord)[]>();
      for (const record of records) {
        const fixture = fixtureOf(record);
        model = fixture?.model ?? model;
        const list = byModel.get(model) ?? [];
        byModel.set(model, list);
        list.push(fixture?.fields ?? (isBadRecord(record) ? record : NO_FIXTURE));
      }
      return [...byModel].flatMap(([name, list]) =>
        tables.table(name).add(list, sizeBytes * (list.length / records.length)),
      );
    },
    // Fixtures of a Django model that the import needs may follow those of a model that it does not need.
    isUnwanted: () => false,
    finish: () => tables.finish(),
  };
}
