import { parseJsonObject } from '../../../lib/json/json-object.ts';
import {
  type BadRecord,
  type FileProblem,
  MAX_RECORD_BYTES,
  type RecordBatch,
  type SourceRecord,
} from '../table.ts';
import {
  brokenWithin,
  invalid,
  type JsonInput,
  NEWLINE,
  skipSpaces,
  truncated,
  Values,
} from './json-input.ts';
import type { JsonTable } from './json-tables.ts';
import { INVALID, parseRecord, TOO_LONG } from './json-values.ts';

/** Maximum number of JSON records in a batch. Small batches help the garbage collector. */
const BATCH_RECORDS = 128;

type Entry = SourceRecord | BadRecord;

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
 * Whether a line is JSON with doubled backslashes. Users cannot cause that: each quote in a JSON text has a
 * backslash.
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
  invalid(
    `The record that begins at byte ${offset} has each backslash twice, as COPY and mysql --batch write it, so texts of the file are not ` +
      'those of the database. Export it again: psql -At -c "select row_to_json(u) from users u" > users.json, or mysql --raw.',
  );

const invalidRecord = (json: JsonInput): FileProblem =>
  invalid(
    `The record that begins at byte ${json.offset} is not JSON, so its end is unknown, and nothing after it is read. Correct it, or export again with a writer that escapes quotes.`,
  );
