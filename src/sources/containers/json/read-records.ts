import { MAX_RECORD_BYTES } from '../held-records.ts';
import type { BadRecord, FileProblem, RecordBatch, SourceRecord } from '../table.ts';
import type { JsonTable } from './json-tables.ts';
import {
  brokenWithin,
  CLOSE_ARRAY,
  COMMA,
  invalid,
  invalidAt,
  type JsonWindow,
  NEWLINE,
  OPEN_ARRAY,
  opensValue,
  scanValue,
  skipSpaces,
  truncated,
} from './json-window.ts';
import { isDocument } from './match-json.ts';
import { INVALID, readRecord, TOO_LONG } from './read-value.ts';

/** Small batches of JSON records help the garbage collector. */
const BATCH_RECORDS = 128;

/**
 * How records follow one another: as elements of an array, as lines, or as JSON objects, each of which may span
 * several lines.
 */
type Shape = 'array' | 'lines' | 'documents';

/** Place in a list of JSON records. */
interface Place {
  readonly shape: Shape;
  /** A comma or the end of the array must follow. */
  isAfter: boolean;
  /** The file ends with the bytes in memory. */
  isLast: boolean;
  isOver: boolean;
}

/**
 * Reads records to the end of the file, or the elements of an array from its opening bracket to after the closing
 * one.
 * @throws FileProblem after yielding all records before something that is not JSON. An invalid line is one bad
 * record, because its end is certain.
 */
export async function* readRecords(
  json: JsonWindow,
  table: JsonTable,
  shape: Shape,
): AsyncGenerator<RecordBatch> {
  const place: Place = { shape, isAfter: false, isLast: false, isOver: false };
  const take = shape === 'lines' ? takeLines : takeElements;
  const beganAt = json.offset;
  if (shape === 'array') json.at += 1;
  while (true) {
    const from = json.offset;
    const records: (SourceRecord | BadRecord)[] = [];
    try {
      take(json, place, records);
    } finally {
      yield* table.add(records, json.offset - from);
    }
    if (place.isOver) break;
    if (table.isUnwanted()) {
      // A list that is truncated or broken is refused before anything is imported.
      if (shape === 'array') await json.skip('an array', beganAt, OPEN_ARRAY);
      break;
    }
    if (records.length === BATCH_RECORDS) continue;
    if (json.end - json.at > MAX_RECORD_BYTES) {
      yield* table.add([TOO_LONG], 0);
      if (shape === 'lines') await passLine(json);
      else await json.skip('a record');
      place.isAfter = shape === 'array';
    } else if (!place.isLast) {
      place.isLast = !(await json.fill());
    } else {
      if (json.at < json.end) throw truncated('a record', json.offset);
      if (shape === 'array') throw truncated('an array', beganAt);
      break;
    }
  }
  yield* table.finish();
}

function takeElements(json: JsonWindow, place: Place, records: (SourceRecord | BadRecord)[]): void {
  const { bytes, end, scan } = json;
  while (records.length < BATCH_RECORDS && findElement(json, place)) {
    const stop = scanValue(scan.start(), bytes, json.at, end);
    if (scan.isBroken) throw brokenWithin('a record', json.offset, json.offset + stop - json.at);
    if (!scan.isDone || stop - json.at > MAX_RECORD_BYTES) return;
    const record = readRecord(bytes.toString('utf8', json.at, stop), scan.marks);
    if (record === INVALID) throw invalidRecord(json, stop);
    records.push(record);
    json.at = stop;
    place.isAfter = place.shape === 'array';
  }
}

/** Returns false if no further value of the JSON list is in memory. */
function findElement(json: JsonWindow, place: Place): boolean {
  const { bytes, end } = json;
  const isArray = place.shape === 'array';
  json.at = skipSpaces(bytes, json.at, end);
  if (place.isAfter && json.at < end && bytes[json.at] === COMMA) {
    place.isAfter = false;
    json.at = skipSpaces(bytes, json.at + 1, end);
  }
  if (json.at >= end) return false;
  place.isOver = isArray && bytes[json.at] === CLOSE_ARRAY;
  if (place.isOver) json.at += 1;
  else if (place.isAfter) throw invalidAt(json.offset, 'a comma or the end of the array');
  else if (!isArray && !opensValue(bytes[json.at]))
    throw invalidAt(json.offset, 'a document or the end of the file');
  return !place.isOver;
}

function takeLines(json: JsonWindow, place: Place, records: (SourceRecord | BadRecord)[]): void {
  const { end } = json;
  const bytes = json.bytes.subarray(0, end);
  while (json.at < end && records.length < BATCH_RECORDS) {
    const newline = bytes.indexOf(NEWLINE, json.at);
    // The last line may lack its line end.
    if (newline < 0 && !place.isLast) return;
    const stop = newline < 0 ? end : newline;
    json.at = skipSpaces(bytes, json.at, stop);
    if (json.at < stop) records.push(readLine(json, stop));
    json.at = newline < 0 ? end : newline + 1;
  }
}

function readLine(json: JsonWindow, stop: number): SourceRecord | BadRecord {
  const { bytes, at, scan } = json;
  if (stop - at > MAX_RECORD_BYTES) return TOO_LONG;
  const after = scanValue(scan.start(), bytes, at, stop);
  const isWhole = scan.isDone && skipSpaces(bytes, after, stop) === stop;
  const record = isWhole ? readRecord(bytes.toString('utf8', at, after), scan.marks) : INVALID;
  if (record === INVALID && isEscapedTwice(json, stop)) throw escapedTwice(json);
  return record;
}

async function passLine(json: JsonWindow): Promise<void> {
  do {
    const newline = json.bytes.subarray(json.at, json.end).indexOf(NEWLINE);
    json.at = newline < 0 ? json.end : json.at + newline;
    if (newline >= 0) return;
  } while (await json.fill());
}

/** Users cannot imitate doubled backslashes: in JSON, each quote inside a text has a backslash before it. */
function isEscapedTwice({ bytes, at }: JsonWindow, stop: number): boolean {
  const record = bytes.toString('utf8', at, stop);
  return record.includes('\\\\"') && isDocument(record.replaceAll('\\\\', '\\'));
}

/**
 * With doubled backslashes, lines without quotes in texts are JSON all the same, but with wrong texts, so
 * nothing in the file can be trusted.
 */
const escapedTwice = ({ offset }: JsonWindow) =>
  invalid(
    `The record that begins at byte ${offset} has each backslash twice, as COPY and mysql --batch write it, so texts of the file are not ` +
      'those of the database. Export it again: psql -At -c "select row_to_json(u) from users u" > users.json, or mysql --raw.',
  );

/** An invalid JSON record may end later than it seems, so the file is not read beyond it. */
function invalidRecord(json: JsonWindow, stop: number): FileProblem {
  if (isEscapedTwice(json, stop)) return escapedTwice(json);
  return invalid(
    `The record that begins at byte ${json.offset} is not JSON, so its end is unknown, and nothing after it is read. Correct it, or export again with a writer that escapes quotes.`,
  );
}
