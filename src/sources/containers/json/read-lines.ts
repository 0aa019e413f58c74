import { isUtf8 } from 'node:buffer';
import { MAX_RECORD_BYTES } from '../held-records.ts';
import type { BadRecord, RecordBatch, SourceRecord } from '../table.ts';
import { holdsUtf8 } from '../utf8.ts';
import { BATCH_RECORDS, type ByteWindow, fill, offsetOf } from './byte-window.ts';
import { NEWLINE, OPEN_OBJECT, skipSpaces } from './bytes.ts';
import { doubledBackslashes, notUtf8 } from './json-problems.ts';
import type { JsonTable, TakenRecords } from './json-tables.ts';
import { isDocument } from './looks-like-json.ts';
import { INVALID, readRecord, TOO_LONG } from './read-value.ts';
import { createScan, type Scan, scanValue, startScan } from './scan-value.ts';

/** Each line is a separate JSON record, even if the line before is invalid. Empty lines are skipped. */
export async function* readLines(window: ByteWindow, table: JsonTable): AsyncGenerator<RecordBatch> {
  const scan = createScan();
  let isAll = false;
  while (true) {
    const from = offsetOf(window);
    const { records, problem } = take(window, scan, isAll);
    yield* table.add(records, offsetOf(window) - from);
    if (problem !== undefined) throw problem;
    if (table.isUnwanted() || (isAll && window.at >= window.end)) break;
    if (records.length === BATCH_RECORDS) continue;
    if (window.end - window.at > MAX_RECORD_BYTES) {
      yield* table.add([TOO_LONG], 0);
      await passLine(window);
    } else {
      isAll = !(await fill(window));
    }
  }
  yield* table.finish();
}

/** With `isAll`, the JSON file ends with these bytes, so that the last line may lack its line end. */
function take(window: ByteWindow, scan: Scan, isAll: boolean): TakenRecords {
  const { end } = window;
  const bytes = window.bytes.subarray(0, end);
  const isText = holdsUtf8(bytes, window.at, end);
  const taken: TakenRecords = { records: [] };
  while (window.at < end && taken.records.length < BATCH_RECORDS) {
    const newline = bytes.indexOf(NEWLINE, window.at);
    if (newline < 0 && !isAll) break;
    const stop = newline < 0 ? end : newline;
    window.at = skipSpaces(bytes, window.at, stop);
    if (window.at < stop) {
      const record = readLine(bytes, window.at, stop, scan);
      // A last JSON line that was cut, perhaps inside a character, is a bad record like other invalid ones.
      const isCut = newline < 0 && isOpen(scan, bytes[window.at]);
      if (!isCut && !isText && !isUtf8(bytes.subarray(window.at, stop)))
        taken.problem = notUtf8(offsetOf(window));
      if (record === INVALID && hasDoubledBackslashes(bytes.toString('utf8', window.at, stop)))
        taken.problem ??= doubledBackslashes(offsetOf(window));
      if (taken.problem === undefined) taken.records.push(record);
      if (taken.problem !== undefined) break;
    }
    window.at = newline < 0 ? end : newline + 1;
  }
  return taken;
}

function readLine(bytes: Buffer, start: number, stop: number, scan: Scan): SourceRecord | BadRecord {
  const after = scanValue(startScan(scan), bytes, start, stop);
  if (stop - start > MAX_RECORD_BYTES) return TOO_LONG;
  if (!scan.isDone || skipSpaces(bytes, after, stop) < stop) return INVALID;
  return readRecord(bytes.toString('utf8', start, after), scan.marks);
}

/** Users cannot imitate doubled backslashes: in JSON, each quote inside a text has a backslash before it. */
const hasDoubledBackslashes = (line: string) =>
  line.includes('\\\\"') && isDocument(line.replaceAll('\\\\', '\\'));

const isOpen = (scan: Scan, first: number | undefined) =>
  first === OPEN_OBJECT && !scan.isDone && !scan.isBroken;

async function passLine(window: ByteWindow): Promise<void> {
  do {
    const newline = window.bytes.subarray(window.at, window.end).indexOf(NEWLINE);
    window.at = newline < 0 ? window.end : window.at + newline;
    if (newline >= 0) return;
  } while (await fill(window));
}
