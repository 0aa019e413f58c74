import { isUtf8 } from 'node:buffer';
import type { BadRecord, FileProblem, RecordBatch, SourceRecord } from '../table.ts';
import { BATCH_RECORDS, type ByteWindow, fill, offsetOf } from './byte-window.ts';
import { CLOSE_ARRAY, COMMA, NEWLINE, OPEN_ARRAY, OPEN_OBJECT, skipSpaces } from './bytes.ts';
import { invalidAt, notUtf8, truncated, wrongBracket } from './json-problems.ts';
import type { JsonTable } from './json-tables.ts';
import { passOver } from './pass-over.ts';
import { INVALID, MAX_RECORD_BYTES, readRecord, TOO_LONG } from './read-value.ts';
import { createScan, type Scan, scanValue, startScan } from './scan-value.ts';
import { holdsUtf8 } from './utf8.ts';

/** Where the window stands among the elements of an array, or among documents that follow each other. */
interface Place {
  /** `within`: at the beginning of a value of which `seen` bytes have been looked at. `lost`: in a document without an end. */
  where: 'before' | 'within' | 'after' | 'lost' | 'end';
  seen: number;
  readonly scan: Scan;
  readonly isArray: boolean;
}

interface Taken {
  records: (SourceRecord | BadRecord)[];
  /** Why it does not go on after these. */
  problem?: FileProblem;
}

/**
 * Reads the elements of an array, and its end.
 * @param window stands after the bracket
 */
export const readElements = (window: ByteWindow, table: JsonTable): AsyncGenerator<RecordBatch> =>
  read(window, table, true);

/** Reads documents that follow each other, to the end of the file: each of several lines, or several on a line. */
export const readDocuments = (window: ByteWindow, table: JsonTable): AsyncGenerator<RecordBatch> =>
  read(window, table, false);

async function* read(window: ByteWindow, table: JsonTable, isArray: boolean): AsyncGenerator<RecordBatch> {
  const place: Place = { where: 'before', seen: 0, scan: createScan(), isArray };
  const beganAt = offsetOf(window) - 1;
  while (true) {
    const from = offsetOf(window);
    const { records, problem } = take(window, place);
    yield* table.add(records, offsetOf(window) - from);
    if (problem !== undefined) throw problem;
    if (place.where === 'end') break;
    if (table.isUnwanted()) {
      if (isArray) await passOver(window, startScan(place.scan, OPEN_ARRAY), 'an array', beganAt);
      break;
    }
    if (place.where === 'lost') {
      if (!(await findDocument(window, place))) break;
    } else if (place.where === 'within' && place.seen > MAX_RECORD_BYTES) {
      yield* table.add([TOO_LONG], 0);
      await passRest(window, place);
    } else if (records.length < BATCH_RECORDS && !(await fill(window))) {
      if (place.where === 'within') throw truncated('a record', offsetOf(window));
      if (isArray) throw truncated('an array', beganAt);
      break;
    }
  }
  yield* table.finish();
}

/** Takes the records that the window holds, some hundreds at most. */
function take(window: ByteWindow, place: Place): Taken {
  const { bytes, end } = window;
  const { scan } = place;
  const isText = holdsUtf8(bytes, window.at, end);
  const taken: Taken = { records: [] };
  while (taken.records.length < BATCH_RECORDS) {
    if (place.where !== 'within' && !findValue(window, place, taken)) break;
    const stop = scanValue(scan, bytes, window.at + place.seen, end);
    if (scan.isBroken) {
      closeBroken(window, place, taken, stop);
      break;
    }
    place.seen = stop - window.at;
    if (!scan.isDone) break;
    if (!isText && !isUtf8(bytes.subarray(window.at, stop))) {
      taken.problem = notUtf8(offsetOf(window));
      break;
    }
    const isLong = place.seen > MAX_RECORD_BYTES;
    taken.records.push(isLong ? TOO_LONG : readRecord(bytes.toString('utf8', window.at, stop), scan.marks));
    window.at = stop;
    place.where = place.isArray ? 'after' : 'before';
  }
  return taken;
}

/** Goes to the beginning of the next value. @returns false where the window has none */
function findValue(window: ByteWindow, place: Place, taken: Taken): boolean {
  const { bytes, end } = window;
  window.at = skipSpaces(bytes, window.at, end);
  if (place.where === 'after' && bytes[window.at] === COMMA && window.at < end) {
    place.where = 'before';
    window.at = skipSpaces(bytes, window.at + 1, end);
  }
  if (window.at >= end) return false;
  const byte = bytes[window.at];
  if (place.isArray && byte === CLOSE_ARRAY) {
    window.at += 1;
    place.where = 'end';
    return false;
  }
  if (place.where === 'after') {
    taken.problem = invalidAt(offsetOf(window), 'a comma or the end of the array');
    return false;
  }
  if (!place.isArray && byte !== OPEN_OBJECT && byte !== OPEN_ARRAY) {
    taken.records.push(INVALID);
    place.where = 'lost';
    return false;
  }
  startScan(place.scan);
  place.where = 'within';
  place.seen = 0;
  return true;
}

/** Of an array nothing more can be told. Documents go on with the next one. */
function closeBroken(window: ByteWindow, place: Place, taken: Taken, stop: number): void {
  if (place.isArray) {
    taken.problem = wrongBracket('a record', offsetOf(window), window.base + stop - 1);
  } else {
    taken.records.push(INVALID);
    window.at = stop;
    place.where = 'lost';
  }
}

/** Goes to the end of a value that is too long. */
async function passRest(window: ByteWindow, place: Place): Promise<void> {
  const beganAt = offsetOf(window);
  window.at += place.seen;
  await passOver(window, place.scan, 'a record', beganAt);
  place.where = place.isArray ? 'after' : 'before';
}

/**
 * Goes to the next line that begins with a brace: in documents of several lines, those within are indented.
 * @returns false where there is none
 */
async function findDocument(window: ByteWindow, place: Place): Promise<boolean> {
  do {
    const { bytes, at, end } = window;
    const found = bytes.subarray(at, end).indexOf(NEXT_DOCUMENT);
    if (found >= 0) {
      window.at = at + found + 1;
      place.where = 'before';
      return true;
    }
    // The newline may be the last byte.
    window.at = Math.max(at, end - 1);
  } while (await fill(window));
  return false;
}

const NEXT_DOCUMENT = Buffer.from([NEWLINE, OPEN_OBJECT]);
