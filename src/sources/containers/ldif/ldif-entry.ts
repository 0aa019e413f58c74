import { isUtf8 } from 'node:buffer';
import { BadRecord, FileProblem, type SourceRecord } from '../table.ts';

export interface EntryOutcome {
  /** Undefined if the LDIF entry is not a person. */
  record: SourceRecord | BadRecord | undefined;
  /** Number of binary values (photographs, certificates), which are left out. */
  binaries: number;
  /** Number of values in other files (`jpegPhoto:< file:///…`), which are left out. */
  references: number;
  /** Number of distinct attribute names in the LDIF entry. */
  attributes: number;
}

const COLON = 58;
const LESS = 60;
const SPACE = 32;

/** Cache that maps LDIF attribute names as written in the file to their names in records. */
export type AttributeNames = Map<string, string>;

/** Real LDIF has a few dozen names; the limit keeps hostile files from filling the memory. */
const MAX_NAMES = 1_000;

/** Maximum number of attributes of an LDIF entry. Each attribute takes many times the memory of its line. */
const MAX_ATTRIBUTES = 10_000;

/**
 * Reads an LDIF entry (RFC 2849): `name: text`, `name:: base64`, `name;option: text`, `name:< url`.
 * @param lines lines of the entry, without comments, and joined with their continuation lines
 * @param names cache shared by all entries of a file, because most entries have the same attributes
 * @throws FileProblem if the entry is a change
 */
export function readLdifEntry(lines: readonly string[], names: AttributeNames): EntryOutcome {
  const record: Record<string, string[]> = {};
  const outcome: EntryOutcome = { record: undefined, binaries: 0, references: 0, attributes: 0 };
  for (const line of lines) {
    const problem = readAttribute(line, record, outcome, names);
    if (problem === undefined) continue;
    outcome.record = new BadRecord('LDIF_INVALID', problem);
    return outcome;
  }
  if (Object.hasOwn(record, 'userpassword') || Object.hasOwn(record, 'mail')) {
    const hasDn = Object.hasOwn(record, 'dn');
    outcome.record = hasDn ? record : new BadRecord('LDIF_INVALID', 'The entry has no dn.');
  }
  return outcome;
}

/** Changes of LDIF are not applied. The users that they delete would be imported in their old state. */
const holdsChanges = () =>
  new FileProblem(
    'FILE_INVALID',
    'The file holds changes of entries (changetype: delete, modify or modrdn), which are not applied, so deleted users would be imported. Export the entries themselves: slapcat, or ldapsearch -LLL.',
  );

/** Only base64 can express a line break in a dn of LDIF. */
export function hasBrokenName(line: string): boolean {
  if (!/^dn::/i.test(line)) return false;
  return /[\r\n]/.test(decodeBase64(line.slice(4).trim())?.toString() ?? '');
}

/**
 * ldapsearch writes the dn of each entry into a comment without escaping it. A line break in the dn ends the
 * comment, so the rest of the dn looks like an entry, which a user could have forged.
 */
export const tornComments = () =>
  new FileProblem(
    'FILE_INVALID',
    'The file has comments, and an entry with a line break in its name (dn). ldapsearch writes names into comments as they are, so what ' +
      'follows such a comment may be forged. Export it again without comments: ldapsearch -LLL, or slapcat.',
  );

/** Codes of RFC 4511: the time, size or administrative limit of the server has ended the search. */
export const isCutShort = (lines: readonly string[]) =>
  /^search: \d+$/.test(lines[0] ?? '') && lines.some((line) => /^result: (?:3|4|11) /.test(line));

export const cutShort = () =>
  new FileProblem(
    'FILE_TRUNCATED',
    'A limit of the server has ended the search, so entries are missing. Export again in pages (ldapsearch -E pr=500/noprompt), ' +
      'as a user without limits, or with slapcat.',
  );

export const incomplete = (stated: number, found: number) =>
  new FileProblem(
    'FILE_TRUNCATED',
    `The file says that it has ${stated} entries (numEntries), and has ${found}. Export again. If entries were removed on purpose, ` +
      'remove the line with numEntries, too.',
  );

/** Cheaper than parsing the LDIF line. */
const mayChange = (line: string) => line === '-' || (/^c/i.test(line) && /^changetype[:;]/i.test(line));

/** @throws FileProblem if the LDIF entry is a change */
export function refuseChanges(lines: readonly string[], names: AttributeNames): void {
  if (lines.some(mayChange)) readLdifEntry(lines.filter(mayChange), names);
}

/** Returns the reason if the LDIF entry cannot be read. */
function readAttribute(
  line: string,
  record: Record<string, string[]>,
  outcome: EntryOutcome,
  names: AttributeNames,
): string | undefined {
  if (line === '-') throw holdsChanges();
  const colon = line.indexOf(':');
  if (colon <= 0 || line.charCodeAt(0) === SPACE) {
    return 'A line of the entry has no attribute name with a colon after it.';
  }
  const name = attributeName(line.slice(0, colon), names);
  const kind = line.charCodeAt(colon + 1);
  if (kind === LESS) {
    outcome.references++;
    return undefined;
  }
  let value: string;
  if (kind === COLON) {
    const bytes = decodeBase64(line.slice(colon + 2).trim());
    if (bytes === undefined) return 'A value of the entry is not base64, although two colons precede it.';
    if (!isUtf8(bytes)) {
      outcome.binaries++;
      return undefined;
    }
    value = bytes.toString();
  } else {
    value = withoutFill(line, colon + 1);
  }
  if (name === 'changetype' && value.toLowerCase().trim() !== 'add') throw holdsChanges();
  if (Object.hasOwn(record, name)) record[name]?.push(value);
  else if (name !== '__proto__') {
    if (outcome.attributes === MAX_ATTRIBUTES) return `The entry has more than ${MAX_ATTRIBUTES} attributes.`;
    outcome.attributes++;
    record[name] = [value];
  }
  return undefined;
}

/** Lower case, without options: `userCertificate;binary` → `usercertificate`. */
function attributeName(text: string, names: AttributeNames): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  // The attribute name is copied, because a substring would keep its whole block of the file in memory.
  const own = Buffer.from(text).toString();
  const semicolon = own.indexOf(';');
  const name = (semicolon < 0 ? own : own.slice(0, semicolon)).toLowerCase();
  if (names.size < MAX_NAMES) names.set(own, name);
  return name;
}

function withoutFill(line: string, from: number): string {
  let at = from;
  while (line.charCodeAt(at) === SPACE) at++;
  return line.slice(at);
}

/** Returns undefined if the text is not base64; `Buffer.from` would ignore invalid characters. */
function decodeBase64(text: string): Buffer | undefined {
  let length = text.length;
  while (length > 0 && text.length - length < 2 && text.charCodeAt(length - 1) === 61) length--;
  const bytes = Buffer.from(text, 'base64');
  return length % 4 !== 1 && bytes.length === Math.floor((length * 3) / 4) ? bytes : undefined;
}
