import { isJsonObject, type JsonObject } from '../../../lib/json/json-object.ts';
import { type HeldOptions, HeldTable, membersOf } from '../held-table.ts';
import {
  BadRecord,
  FileProblem,
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from '../table.ts';
import { untypedRecord } from './json-values.ts';

type Entry = SourceRecord | BadRecord;

/** Maximum number of tables in a JSON file. No application has as many kinds of objects. */
const MAX_TABLES = 1000;
/** Maximum size of all members that are kept beside the lists of a JSON file. */
const MAX_ROOT_BYTES = 256 * 1024;

const NOT_TYPED = new BadRecord(
  'JSON_INVALID',
  'Has no types of DynamoDB ({"S": …}), as the first record has.',
);
const NO_FIXTURE = new BadRecord('JSON_INVALID', 'Is not an object with model and fields, like the others.');

/** The tables of a JSON file, and the small members beside them: settings, defaults, or the name of a realm. */
export class JsonTables {
  /** Members beside the lists. It grows while the JSON file is read. */
  readonly root: JsonObject = {};
  readonly heads: TableHead[] = [];
  /** The file has one document per line. */
  isLines = false;
  readonly #wanted: (table: TableHead) => boolean;
  readonly #tables = new Map<string, JsonTable>();
  readonly #all = { heldBytes: 0 };
  #rootBytes = 0;

  constructor(wanted: (table: TableHead) => boolean) {
    this.#wanted = (head) => {
      this.heads.push(head);
      return wanted(head);
    };
  }

  /** Keeps a member of the JSON file, unless the kept members together would be too large. */
  keep(name: string, value: unknown, sizeBytes: number): void {
    // Assigning a member named `__proto__` would change the prototype instead of adding a member.
    if (name === '__proto__') return;
    this.#rootBytes += name.length + sizeBytes;
    if (this.#rootBytes <= MAX_ROOT_BYTES) Object.assign(this.root, { [name]: value });
  }

  /**
   * Returns the table of a list. Lists of the same name are one table.
   * @param name empty for records that are not in a list of an object
   */
  table(name: string, found?: TableHead['found']): JsonTable {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    if (this.#tables.size >= MAX_TABLES) {
      throw new FileProblem(
        'FILE_INVALID',
        `The file holds more than ${MAX_TABLES} tables. Export only the tables with users.`,
      );
    }
    const { root } = this;
    const describe = (first: readonly SourceRecord[]) => ({
      ...{ name, root, columns: membersOf(first) },
      ...(found && { found }),
      ...(this.isLines && { isLines: true }),
    });
    const table = new JsonTable(this, name, describe, this.#wanted, this.#all);
    this.#tables.set(name, table);
    return table;
  }

  finish(): readonly RecordBatch[] {
    return [...this.#tables.values()].flatMap((table) => table.finish());
  }
}

/**
 * A list of records of a JSON file. The first readable record decides for all whether they have types of DynamoDB, or
 * are fixtures of Django, which are never in a list of an object. A later record cannot decide it: a user may have
 * chosen the form of its objects.
 */
export class JsonTable extends HeldTable {
  #form: 'plain' | 'typed' | 'fixtures' | undefined;
  /** Model of the previous fixture. A bad record is added to the table of this model, because its own is unknown. */
  #model = '';
  readonly #tables: JsonTables;
  readonly #name: string;

  constructor(tables: JsonTables, name: string, ...held: HeldOptions) {
    super('json', ...held);
    this.#tables = tables;
    this.#name = name;
  }

  override add(records: readonly Entry[], sizeBytes: number): readonly RecordBatch[] {
    const good = records.find((record): record is SourceRecord => !isBadRecord(record));
    if (good !== undefined) this.#form ??= this.#formOf(good);
    if (this.#form === 'fixtures') return this.#addFixtures(records, sizeBytes);
    return super.add(this.#form === 'typed' ? records.map(withoutTypes) : records, sizeBytes);
  }

  override finish(): readonly RecordBatch[] {
    return this.#form === 'fixtures' ? [] : super.finish();
  }

  #formOf(record: SourceRecord): 'plain' | 'typed' | 'fixtures' {
    this.#model = (this.#name === '' && fixtureOf(record)?.model) || '';
    if (this.#model !== '') return 'fixtures';
    return untypedRecord(record) === undefined ? 'plain' : 'typed';
  }

  /** Divides fixtures into one table for each model. */
  #addFixtures(records: readonly Entry[], sizeBytes: number): readonly RecordBatch[] {
    const byModel = new Map<string, Entry[]>();
    for (const record of records) {
      const fixture = isBadRecord(record) ? undefined : fixtureOf(record);
      this.#model = fixture?.model ?? this.#model;
      const list = byModel.get(this.#model) ?? [];
      byModel.set(this.#model, list);
      list.push(fixture?.fields ?? (isBadRecord(record) ? record : NO_FIXTURE));
    }
    return [...byModel].flatMap(([model, list]) =>
      this.#tables.table(model).add(list, sizeBytes * (list.length / records.length)),
    );
  }
}

const withoutTypes = (record: Entry) => (isBadRecord(record) ? record : (untypedRecord(record) ?? NOT_TYPED));

/** Reads a Django fixture. Undefined if the record is none. Fixtures made with `--natural-primary` have no `pk`. */
function fixtureOf(record: SourceRecord): { model: string; fields: SourceRecord } | undefined {
  const { model, pk, fields, ...others } = record;
  if (typeof model !== 'string' || model === '' || !isJsonObject(fields) || Object.keys(others).length > 0)
    return undefined;
  return { model, fields: pk === undefined ? fields : { pk, ...fields } };
}
