import { isJsonObject, type JsonObject, parseJsonObject } from '../../../lib/json/json-object.ts';
import { type HeldOptions, HeldTable, membersOf } from '../held-table.ts';
import {
  BadRecord,
  type FileProblem,
  invalidFile,
  isBadRecord,
  MAX_RECORD_BYTES,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from '../table.ts';
import { brokenWithin, type JsonInput, NEWLINE, skipSpaces, truncated, Values } from './json-input.ts';
import { INVALID, parseRecord, TOO_LONG, untypedRecord } from './json-values.ts';

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
      throw invalidFile(`The file holds more than ${MAX_TABLES} tables. Export only the tables with users.`);
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

/** Maximum number of JSON records in a batch. Small batches help the garbage collector. */
const BATCH_RECORDS = 128;

/**
 * Reads records to the end of the file, or the elements of an array from its opening bracket to after the closing
 * one.
 * @param shape how records follow one another: as elements of an array, as lines, or as JSON objects, each of which
 * may span several lines
 * @throws FileProblem after yielding all records before something that is not JSON. An invalid line is one bad
 * record, because its end is certain.
 */
export async function* readRecords(
  json: JsonInput,
  table: JsonTable,
  shape: 'array' | 'lines' | 'documents',
): AsyncGenerator<RecordBatch> {
  const values = new Values(json, shape !== 'array');
  const isLines = shape === 'lines';
  while (true) {
    const from = json.offset;
    const records: Entry[] = [];
    try {
      let record: Entry | undefined;
      do {
        record = isLines ? takeLine(json) : takeValue(json, values);
        if (record !== undefined) records.push(record);
      } while (record !== undefined && records.length < BATCH_RECORDS);
    } finally {
      yield* table.add(records, json.offset - from);
    }
    if (values.isOver) break;
    if (table.isUnwanted) {
      // The rest of an unwanted list is scanned, so that a truncated or broken file is refused before anything is
      // imported.
      if (shape === 'array') await values.skipRest();
      break;
    }
    if (records.length === BATCH_RECORDS) continue;
    if (json.bytes.length - json.at > MAX_RECORD_BYTES) {
      yield* table.add([TOO_LONG], 0);
      if (isLines) await passLine(json);
      else await json.skip('a record');
      values.isAfter = true;
    } else if (json.isEnded) {
      if (json.at < json.bytes.length) throw truncated('a record', json.offset);
      if (shape === 'array') throw values.truncated();
      break;
    } else {
      await json.fill();
    }
  }
  yield* table.finish();
}

/** Reads the next value as a record. Returns undefined if it is not completely in memory. */
function takeValue(json: JsonInput, values: Values): Entry | undefined {
  if (!values.find()) return undefined;
  const { bytes, at, scan } = json;
  const stop = scan.start().run(bytes, at, bytes.length);
  if (scan.state === 'broken') throw brokenWithin('a record', json.offset, json.offset + stop - at);
  if (scan.state === 'open' || stop - at > MAX_RECORD_BYTES) return undefined;
  const record = parseRecord(bytes.toString('utf8', at, stop), scan);
  // An invalid JSON record may end later than it seems, so the file is not read beyond it.
  if (record === INVALID) throw invalidRecord(json);
  json.at = stop;
  values.isAfter = true;
  return record;
}

/** Reads the next line with text as a record. Returns undefined if it is not completely in memory. */
function takeLine(json: JsonInput): Entry | undefined {
  const { bytes } = json;
  while (json.at < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, json.at);
    // The last line may lack its line end.
    if (newline < 0 && !json.isEnded) return undefined;
    const stop = newline < 0 ? bytes.length : newline;
    json.at = skipSpaces(bytes, json.at, stop);
    const record = json.at < stop ? parseLine(json, stop) : undefined;
    json.at = newline < 0 ? stop : stop + 1;
    if (record !== undefined) return record;
  }
  return undefined;
}

function parseLine(json: JsonInput, stop: number): Entry {
  const { bytes, at, scan } = json;
  if (stop - at > MAX_RECORD_BYTES) return TOO_LONG;
  const after = scan.start().run(bytes, at, stop);
  const isWhole = scan.state === 'done' && skipSpaces(bytes, after, stop) === stop;
  const record = isWhole ? parseRecord(bytes.toString('utf8', at, after), scan) : INVALID;
  if (record === INVALID && isEscapedTwice(json, stop)) throw escapedTwice(json);
  return record;
}

async function passLine(json: JsonInput): Promise<void> {
  do {
    const newline = json.bytes.indexOf(NEWLINE, json.at);
    json.at = newline < 0 ? json.bytes.length : newline;
    if (newline >= 0) return;
  } while (await json.fill());
}

export const isDocument = (line: string): boolean =>
  line.trimStart().startsWith('{') && parseJsonObject(line) !== undefined;

/**
 * Whether a line that is not valid JSON becomes valid if each doubled backslash is replaced by a single one. What a
 * user has entered cannot cause it: a correct writer escapes quotes and backslashes, so that the line is valid.
 */
function isEscapedTwice({ bytes, at }: JsonInput, stop: number): boolean {
  const record = bytes.toString('utf8', at, stop);
  return record.includes('\\\\"') && isDocument(record.replaceAll('\\\\', '\\'));
}

/**
 * Returns the problem of a file with doubled backslashes. Its lines without quotes in texts are valid JSON, but may
 * have wrong texts, so nothing in the file can be trusted.
 */
const escapedTwice = ({ offset }: JsonInput) =>
  invalidFile(
    `The record that begins at byte ${offset} has each backslash twice, as COPY and mysql --batch write it, so texts of the file are not ` +
      'those of the database. Export it again: psql -At -c "select row_to_json(u) from users u" > users.json, or mysql --raw.',
  );

const invalidRecord = (json: JsonInput): FileProblem =>
  invalidFile(
    `The record that begins at byte ${json.offset} is not JSON, so its end is unknown, and nothing after it is read. Correct it, or export again with a writer that escapes quotes.`,
  );
