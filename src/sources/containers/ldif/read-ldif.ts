import { createLineSplitter } from '../line-splitter.ts';
import { type RowReader, readOneTable } from '../one-table.ts';
import { BadRecord, type Container, type SourceRecord } from '../table.ts';
import {
  type AttributeNames,
  cutShort,
  hasBrokenName,
  incomplete,
  isCutShort,
  readLdifEntry,
  refuseChanges,
  tornComments,
} from './ldif-entry.ts';

/** Maximum length of an LDIF entry. Entries with photographs are long. */
const MAX_ENTRY_CHARS = 16_777_216;
/** Maximum number of lines of an LDIF entry. Each line takes more memory than its text. */
const MAX_ENTRY_LINES = 1_000_000;

const SPACE = 32;
const HASH = 35;
const COLON = 58;

const tooLong = new BadRecord('RECORD_TOO_LONG', 'The entry is longer than 16 MiB, or than a million lines.');

/**
 * Reads LDIF (RFC 2849), as written by slapcat and ldapsearch. Entries without `userPassword` and `mail` are
 * not people and are skipped. An entry that cannot be read counts as a row, because it may be a person.
 */
export const readLdif: Container = (bytes, _options, wanted) =>
  readOneTable('ldif', bytes, createLdifReader(), wanted);

function createLdifReader(): RowReader {
  const splitter = createLineSplitter(MAX_ENTRY_CHARS);
  let records: (SourceRecord | BadRecord)[] = [];
  const names: AttributeNames = new Map();
  let binaries = 0;
  let references = 0;
  /** Lines of the current LDIF entry, joined with their continuation lines. */
  let lines: string[] = [];
  let chars = 0;
  let isComment = false;
  let hasComments = false;
  let hasBrokenNames = false;
  let isFirst = true;
  /** LDIF entries since the last summary of ldapsearch. With -E pr=…, each page of entries has a summary. */
  let entries = 0;

  const isBegun = () => lines.length > 0 || chars > MAX_ENTRY_CHARS;

  function checkName(): void {
    hasBrokenNames ||= hasBrokenName(lines[0] ?? '');
    if (hasBrokenNames && hasComments) throw tornComments();
  }

  /** The summary of ldapsearch has no dn, and is no LDIF entry. */
  const isEntry = () => chars > MAX_ENTRY_CHARS || isBeginning(lines[0] ?? '');

  function finishEntry(isWanted: boolean): void {
    checkName();
    if (isEntry()) entries++;
    else if (isCutShort(lines)) throw cutShort();
    if (!isWanted) refuseChanges(lines, names);
    else if (chars > MAX_ENTRY_CHARS) records.push(tooLong);
    else if (lines.length > 0) {
      const outcome = readLdifEntry(lines, names);
      if (outcome.record !== undefined) records.push(outcome.record);
      binaries += outcome.binaries;
      references += outcome.references;
    }
    lines = [];
    chars = 0;
    isComment = false;
  }

  function checkCount(stated: number): void {
    const found = entries + (isEntry() ? 1 : 0);
    if (found !== stated) throw incomplete(stated, found);
    entries = isEntry() ? -1 : 0;
  }

  function takeLine(line: string): void {
    const code = line.charCodeAt(0);
    if (code === SPACE) {
      if (isComment) return;
      // Without a line to continue, the LDIF line is kept, so that the entry is reported as invalid.
      if (lines.length === 0) lines.push(line);
      else lines[lines.length - 1] += line.slice(1);
      return;
    }
    isComment = code === HASH;
    hasComments ||= isComment;
    if (isComment) {
      const stated = /^# numEntries: (\d{1,15})$/.exec(line)?.[1];
      if (stated !== undefined) checkCount(Number(stated));
      return;
    }
    const isVersion = isFirst && /^version:/i.test(line);
    isFirst = false;
    if (!isVersion) lines.push(line);
  }

  function takeBlock(block: string, isLast: boolean, isWanted: boolean): void {
    for (const line of splitter.push(block, isLast)) {
      if (line === '') {
        finishEntry(isWanted);
        continue;
      }
      // Two LDIF entries without an empty line between them are still two people.
      if (line !== undefined && isBegun() && isBeginning(line)) finishEntry(isWanted);
      const isLong = line === undefined || lines.length >= MAX_ENTRY_LINES;
      chars += isLong ? MAX_ENTRY_CHARS + 1 : line.length;
      if (isLong || chars > MAX_ENTRY_CHARS) {
        checkName();
        lines = [];
      } else takeLine(line);
    }
    if (isLast) finishEntry(isWanted);
  }

  return {
    push(block, isLast) {
      records = [];
      takeBlock(block, isLast, true);
      return records;
    },
    check: (block, isLast) => takeBlock(block, isLast, false),
    describe: (first) => ({ columns: new Set(first.flatMap((record) => Object.keys(record))) }),
    takeNotes() {
      const notes = {
        ...(binaries > 0 && { 'values that are not text (photographs, certificates), left out': binaries }),
        ...(references > 0 && { 'values in other files, left out': references }),
      };
      binaries = 0;
      references = 0;
      return Object.keys(notes).length > 0 ? notes : undefined;
    },
  };
}

const isBeginning = (line: string) => line.charCodeAt(2) === COLON && /^dn:/i.test(line);
