import { isUtf8 } from 'node:buffer';
import { decodeBase64 } from '../../lib/text/base64.ts';
import {
  LineSplitter,
  membersOf,
  type RowReader,
  readOneTable,
  type TableDescription,
} from './held-table.ts';
import {
  BadRecord,
  type Beginning,
  type Container,
  invalidFile,
  type KindMatch,
  linesOf,
  type SourceRecord,
  truncatedFile,
} from './table.ts';

/** Maximum length of an LDIF entry. Entries with photographs are long. */
const MAX_ENTRY_CHARS = 16_777_216;
/** Maximum number of lines of an LDIF entry. Each line takes more memory than its text. */
const MAX_ENTRY_LINES = 1_000_000;
/** Maximum number of attributes of an LDIF entry. Each attribute takes many times the memory of its line. */
const MAX_ATTRIBUTES = 10_000;
/** Maximum number of attribute names to remember. Real LDIF has a few dozen. */
const MAX_NAMES = 1_000;

const SPACE = 32;
const HASH = 35;
const COLON = 58;
const LESS = 60;

const LDIF_BEGINNING = /^(?:dn::? ?|version: *1 *$)/i;
/** LDIF (RFC 2849): an attribute with its options, a comment, or the `-` that ends a part of a change. */
const LDIF_LINE = /^(?:[A-Za-z0-9][A-Za-z0-9.-]*(?:;[A-Za-z0-9.;=_-]*)?:|#|-$| *$)/;

export function matchLdif(beginning: Beginning): KindMatch {
  const lines = linesOf(beginning);
  const first = lines.find((line) => line.trim() !== '' && !/^[# ]/.test(line));
  if (first === undefined || !LDIF_BEGINNING.test(first)) return undefined;
  const wrong = lines.findIndex((line, index) => !goesOn(line) && !LDIF_LINE.test(unfolded(lines, index)));
  return wrong === -1 ? 'fits' : { but: `line ${wrong + 1} has no attribute name with a colon after it` };
}

const goesOn = (line: string | undefined) => line?.startsWith(' ') === true;

/** Returns a line with its continuation lines up to a colon, because they may have a part of the attribute name. */
function unfolded(lines: readonly string[], index: number): string {
  let line = lines[index] ?? '';
  for (let next = index + 1; !line.includes(':') && goesOn(lines[next]); next++)
    line += lines[next]?.slice(1);
  return line;
}

/** Entry of 389 DS that lists in `nsRoleDN` the roles whose members are disabled. */
const DISABLED_ROLE = /^dn: *cn=nsDisabledRole *,/i;

/**
 * Reads LDIF (RFC 2849), as written by slapcat and ldapsearch. Entries without `userPassword` and `mail` are
 * not people and are skipped. An entry that cannot be read counts as a row, because it may be a person.
 */
export const readLdif: Container = (bytes, _options, wanted) =>
  readOneTable('ldif', bytes, ldifEntries(), wanted);

function ldifEntries(): RowReader {
  const splitter = new LineSplitter(MAX_ENTRY_CHARS);
  /** Cache of the names in records, by attribute name as written. Most entries have the same ones. */
  const names = new Map<string, string>();
  /** Lines of the current LDIF entry, joined with their continuation lines. */
  let entry: string[] = [];
  let chars = 0;
  let isComment = false;
  let hasComments = false;
  let hasBrokenNames = false;
  let isFirst = true;
  /** LDIF entries since the last summary of ldapsearch. With -E pr=…, each page of entries has a summary. */
  let entries = 0;
  /** `root` of the table. It is complete only at the end of the file, because a role may come after its members. */
  const root = { rolesInDisabledRole: [] as unknown[] };

  function push(block: string, isLast: boolean, isWanted: boolean): (SourceRecord | BadRecord)[] {
    const records: (SourceRecord | BadRecord)[] = [];
    const finish = () => {
      const record = finishEntry(isWanted);
      if (record !== undefined) records.push(record);
    };
    for (const line of splitter.push(block, isLast)) {
      // Two LDIF entries without an empty line between them are still two people.
      if (line === '' || (line !== undefined && isBegun() && isBeginning(line))) finish();
      if (line !== '') takeLine(line);
    }
    if (isLast) finish();
    return records;
  }

  function describe(first: readonly SourceRecord[]): TableDescription {
    return { columns: membersOf(first), root };
  }

  const isTooLong = () => chars > MAX_ENTRY_CHARS;

  const isBegun = () => entry.length > 0 || isTooLong();

  /** Whether the current lines are an LDIF entry. Others, such as the summary of ldapsearch, have no dn. */
  const isEntry = () => isTooLong() || isBeginning(entry[0] ?? '');

  function takeLine(line: string | undefined): void {
    const isLong = line === undefined || entry.length >= MAX_ENTRY_LINES;
    chars += isLong ? MAX_ENTRY_CHARS + 1 : line.length;
    if (isLong || isTooLong()) {
      checkName();
      entry = [];
    } else if (line.charCodeAt(0) === SPACE) {
      // It continues a comment, a line, or nothing. In the last case, the entry is reported as invalid.
      if (isComment) return;
      if (entry.length === 0) entry.push(line);
      else entry[entry.length - 1] += line.slice(1);
    } else if (line.charCodeAt(0) === HASH) {
      isComment = true;
      hasComments = true;
      checkCount(line);
    } else {
      isComment = false;
      if (!isFirst || !/^version:/i.test(line)) entry.push(line);
      isFirst = false;
    }
  }

  /**
   * Compares the number of entries in a comment of ldapsearch with the entries that were read.
   * @throws FileProblem if the numbers differ
   */
  function checkCount(comment: string): void {
    const stated = /^# numEntries: (\d{1,15})$/.exec(comment)?.[1];
    if (stated === undefined) return;
    const found = entries + (isEntry() ? 1 : 0);
    if (found !== Number(stated))
      throw truncatedFile(
        `The file says that it has ${stated} entries (numEntries), and has ${found}. Export again. If entries were removed on purpose, ` +
          'remove the line with numEntries, too.',
      );
    entries = isEntry() ? -1 : 0;
  }

  /**
   * ldapsearch writes the dn of each entry into a comment without escaping it. A line break in the dn ends the
   * comment, so the rest of the dn looks like an entry, which a user could have forged.
   */
  function checkName(): void {
    const [line = ''] = entry;
    // Only base64 can express a line break in a dn of LDIF.
    if (/^dn::/i.test(line))
      hasBrokenNames ||= /[\r\n]/.test(Buffer.from(line.slice(4), 'base64').toString());
    if (hasBrokenNames && hasComments)
      throw invalidFile(
        'The file has comments, and an entry with a line break in its name (dn). ldapsearch writes names into comments as they are, so what ' +
          'follows such a comment may be forged. Export it again without comments: ldapsearch -LLL, or slapcat.',
      );
  }

  /** Reads the current lines as an entry. Returns undefined if the entry is no person, or is not wanted. */
  function finishEntry(isWanted: boolean): SourceRecord | BadRecord | undefined {
    checkName();
    if (isEntry()) entries++;
    else if (isCutShort(entry))
      throw truncatedFile(
        'A limit of the server has ended the search, so entries are missing. Export again in pages (ldapsearch -E pr=500/noprompt), ' +
          'as a user without limits, or with slapcat.',
      );
    const [lines, wasTooLong] = [entry, isTooLong()];
    entry = [];
    chars = 0;
    isComment = false;
    if (lines.some(isChange))
      throw invalidFile(
        'The file holds changes of entries (changetype: delete, modify or modrdn), which are not applied, so deleted users would be imported. Export the entries themselves: slapcat, or ldapsearch -LLL.',
      );
    if (DISABLED_ROLE.test(lines[0] ?? ''))
      for (const line of lines)
        if (/^nsRoleDN:/i.test(line)) root.rolesInDisabledRole.push(readValue(line, line.indexOf(':')));
    if (!isWanted) return undefined;
    if (wasTooLong)
      return new BadRecord('RECORD_TOO_LONG', 'The entry is longer than 16 MiB, or than a million lines.');
    return readEntry(lines);
  }

  /** Reads attributes: `name: text`, `name:: base64`, `name;option: text`. */
  function readEntry(lines: readonly string[]): SourceRecord | BadRecord | undefined {
    const record: Record<string, string[]> = {};
    let attributes = 0;
    for (const line of lines) {
      const colon = line.indexOf(':');
      if (colon <= 0 || line.charCodeAt(0) === SPACE)
        return invalid('A line of the entry has no attribute name with a colon after it.');
      if (line.charCodeAt(colon + 1) === LESS)
        return invalid('A value of the entry is in another file. Export it again: ldapsearch without -t.');
      const name = nameOf(line.slice(0, colon));
      const value = readValue(line, colon);
      if (value === undefined)
        return invalid('A value of the entry is not base64, although two colons precede it.');
      // Values that are no text, such as photographs and certificates, are left out.
      if (typeof value !== 'string') continue;
      if (Object.hasOwn(record, name)) record[name]?.push(value);
      else if (attributes === MAX_ATTRIBUTES)
        return invalid(`The entry has more than ${MAX_ATTRIBUTES} attributes.`);
      else if (name !== '__proto__') {
        attributes++;
        record[name] = [value];
      }
    }
    if (!Object.hasOwn(record, 'userpassword') && !Object.hasOwn(record, 'mail')) return undefined;
    return Object.hasOwn(record, 'dn') ? record : invalid('The entry has no dn.');
  }

  /** Returns an attribute name in lower case, without options: `userCertificate;binary` → `usercertificate`. */
  function nameOf(text: string): string {
    const known = names.get(text);
    if (known !== undefined) return known;
    // The attribute name is copied, because a substring would keep its whole block of the file in memory.
    const own = Buffer.from(text).toString();
    const [name = ''] = own.toLowerCase().split(';', 1);
    if (names.size < MAX_NAMES) names.set(own, name);
    return name;
  }

  return { push, describe };
}

const invalid = (message: string) => new BadRecord('LDIF_INVALID', message);

const isBeginning = (line: string) => line.charCodeAt(2) === COLON && /^dn:/i.test(line);

/**
 * Whether a summary of ldapsearch says that a limit of the server (time, size, administrative; RFC 4511) was reached.
 */
const isCutShort = (lines: readonly string[]) =>
  /^search: \d+$/.test(lines[0] ?? '') && lines.some((line) => /^result: (?:3|4|11) /.test(line));

/** Whether a line belongs to a change. Changes are not applied, so users whom they delete would be imported. */
function isChange(line: string): boolean {
  if (line === '-') return true;
  // The first character is compared first, because this runs for every line.
  if (!'cC'.includes(line.charAt(0)) || !/^changetype[:;]/i.test(line)) return false;
  return `${readValue(line, line.indexOf(':'))}`.trim().toLowerCase() !== 'add';
}

/** Returns the value of a line: bytes if its base64 is not UTF-8, and undefined if it is not base64. */
function readValue(line: string, colon: number): string | Buffer | undefined {
  if (line.charCodeAt(colon + 1) === COLON) {
    const bytes = decodeBase64(line.slice(colon + 2).trim(), 'lenient');
    if (!Buffer.isBuffer(bytes)) return undefined;
    return isUtf8(bytes) ? bytes.toString() : bytes;
  }
  let at = colon + 1;
  while (line.charCodeAt(at) === SPACE) at++;
  return line.slice(at);
}
