import { isUtf8 } from 'node:buffer';
import { MAX_RECORD_BYTES } from '../held-records.ts';
import { isBadRecord, type RecordBatch } from '../table.ts';
import { holdsUtf8 } from '../utf8.ts';
import { BATCH_RECORDS, type ByteWindow, fill, offsetOf, peekOn } from './byte-window.ts';
import { CLOSE_ARRAY, COMMA, OPEN_ARRAY, opensValue, skipSpaces } from './bytes.ts';
import { isEscapedTwice } from './escaped-twice.ts';
import { createGrammar, endsForCertain } from './json-grammar.ts';
import {
  doubledBackslashes,
  invalidAt,
  notUtf8,
  truncated,
  uncertainEnd,
  wrongBracket,
} from './json-problems.ts';
import type { JsonTable, TakenRecords } from './json-tables.ts';
import { readRecord, TOO_LONG } from './read-value.ts';
import { createScan, type Scan, scanValue, startScan } from './scan-value.ts';
import { skipValue } from './skip-value.ts';

interface Place {
  /** `within`: at a value not completely in memory, of whose bytes `seen` have been scanned. */
  where: 'before' | 'within' | 'after' | 'end';
  seen: number;
  readonly scan: Scan;
  readonly isArray: boolean;
}

/** Maximum number of bytes of an invalid record that are searched for the reason. */
const MAX_LOOK_BYTES = 64 * 1024;

/** Reads the elements of a JSON array, from after the opening bracket to after the closing one. */
export const readElements = (window: ByteWindow, table: JsonTable): AsyncGenerator<RecordBatch> =>
  read(window, table, true);

/** A JSON document may span several lines, and a line may have several documents. */
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
      if (isArray) await skipValue(window, startScan(place.scan, OPEN_ARRAY), 'an array', beganAt);
      else await passDocuments(window, place);
      break;
    }
    if (place.where === 'within' && place.seen > MAX_RECORD_BYTES) {
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

/** Detects that the rest of the JSON file is truncated or broken before anything is imported. */
async function passDocuments(window: ByteWindow, { where, seen, scan }: Place): Promise<void> {
  if (where === 'within') {
    const beganAt = offsetOf(window);
    window.at += seen;
    await skipValue(window, scan, 'a record', beganAt);
  }
  for (let byte = await peekOn(window); byte !== undefined; byte = await peekOn(window)) {
    if (!opensValue(byte)) throw invalidAt(offsetOf(window), 'a document or the end of the file');
    await skipValue(window, startScan(scan), 'a record');
  }
}

function take(window: ByteWindow, place: Place): TakenRecords {
  const { bytes, end } = window;
  const { scan } = place;
  const isText = holdsUtf8(bytes, window.at, end);
  const taken: TakenRecords = { records: [] };
  while (taken.records.length < BATCH_RECORDS) {
    if (place.where !== 'within' && !findValue(window, place, taken)) break;
    const stop = scanValue(scan, bytes, window.at + place.seen, end);
    if (scan.isBroken) {
      taken.problem = wrongBracket('a record', offsetOf(window), window.base + stop - 1);
      break;
    }
    place.seen = stop - window.at;
    if (!scan.isDone) break;
    if (!isText && !isUtf8(bytes.subarray(window.at, stop))) {
      taken.problem = notUtf8(offsetOf(window));
      break;
    }
    const isLong = place.seen > MAX_RECORD_BYTES;
    const record = isLong ? TOO_LONG : readRecord(bytes.toString('utf8', window.at, stop), scan.marks);
    taken.records.push(record);
    if (isBadRecord(record) && !isCertain(bytes, window.at, stop)) {
      const text = bytes.toString('utf8', window.at, Math.min(end, window.at + MAX_LOOK_BYTES));
      const isDoubled = isEscapedTwice(text);
      taken.problem = (isDoubled ? doubledBackslashes : uncertainEnd)(offsetOf(window));
      break;
    }
    window.at = stop;
    place.where = place.isArray ? 'after' : 'before';
  }
  return taken;
}

/** Returns false if no further value of the JSON list is in memory. */
function findValue(window: ByteWindow, place: Place, taken: TakenRecords): boolean {
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
  if (!place.isArray && !opensValue(byte)) {
    taken.problem = invalidAt(offsetOf(window), 'a document or the end of the file');
    return false;
  }
  startScan(place.scan);
  place.where = 'within';
  place.seen = 0;
  return true;
}

/** Invalid texts, words and numbers of JSON always end before the next comma or bracket. */
const isCertain = (bytes: Buffer, from: number, to: number): boolean =>
  !opensValue(bytes[from]) || endsForCertain(bytes, from, to);

/** A JSON value that is too long is not parsed: checking its structure makes its end certain. */
async function passRest(window: ByteWindow, place: Place): Promise<void> {
  const beganAt = offsetOf(window);
  const grammar = opensValue(window.bytes[window.at]) ? createGrammar() : undefined;
  grammar?.take(window.bytes, window.at, window.at + place.seen);
  window.at += place.seen;
  await skipValue(window, place.scan, 'a record', beganAt, (from, to) =>
    grammar?.take(window.bytes, from, to),
  );
  if (grammar !== undefined && grammar.state !== 'ended') throw uncertainEnd(beganAt);
  place.where = place.isArray ? 'after' : 'before';
}
