import { isUtf8 } from 'node:buffer';
import type { BadRecord, SourceRecord } from '../table.ts';

/** What the lines of one entry say. */
export interface EntryOutcome {
  /** Undefined where the entry is no person. */
  record: SourceRecord | BadRecord | undefined;
  /** Values that are no text (photographs, certificates). */
  binaries: number;
  /** Values that stand in other files (`jpegPhoto:< file:///…`). */
  references: number;
}

const COLON = 58;
const LESS = 60;
const SPACE = 32;

const bad = (message: string): BadRecord => ({ problem: 'LDIF_INVALID', message });

/**
 * Reads an entry (RFC 2849): `name: text`, `name:: base64`, `name;option: text`, `name:< url`.
 * @param lines unfolded, without comments
 */
export function readLdifEntry(lines: readonly string[]): EntryOutcome {
  const record: Record<string, string[]> = {};
  const outcome: EntryOutcome = { record: undefined, binaries: 0, references: 0 };
  const failed = (message: string): EntryOutcome => ({ ...outcome, record: bad(message) });

  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0 || line.charCodeAt(0) === SPACE)
      return failed('A line of the entry has no attribute name with a colon after it.');
    const name = attributeName(line.slice(0, colon));
    if (line.charCodeAt(colon + 1) === LESS) {
      outcome.references++;
      continue;
    }
    let value: string | undefined;
    if (line.charCodeAt(colon + 1) === COLON) {
      const bytes = decodeBase64(line.slice(colon + 2).trim());
      if (bytes === undefined)
        return failed('A value of the entry is not the base64 that its two colons say it is.');
      if (!isUtf8(bytes)) {
        outcome.binaries++;
        continue;
      }
      value = bytes.toString();
    } else {
      value = withoutFill(line, colon + 1);
    }
    if (name === 'changetype' && value.toLowerCase().trim() !== 'add') {
      return failed(
        'The entry is a change other than "add": export the entries themselves (slapcat, ldapsearch).',
      );
    }
    const values = Object.hasOwn(record, name) ? record[name] : undefined;
    if (values !== undefined) values.push(value);
    else if (name !== '__proto__') record[name] = [value];
  }
  const isPerson = Object.hasOwn(record, 'userpassword') || Object.hasOwn(record, 'mail');
  if (isPerson) outcome.record = Object.hasOwn(record, 'dn') ? record : bad('The entry has no dn.');
  return outcome;
}

/** Without options, in lower case: `userCertificate;binary` → `usercertificate`. */
function attributeName(text: string): string {
  const semicolon = text.indexOf(';');
  return (semicolon < 0 ? text : text.slice(0, semicolon)).toLowerCase();
}

function withoutFill(line: string, from: number): string {
  let at = from;
  while (line.charCodeAt(at) === SPACE) at++;
  return line.slice(at);
}

/** Undefined where it is none: `Buffer.from` passes over what does not belong. */
function decodeBase64(text: string): Buffer | undefined {
  let length = text.length;
  while (length > 0 && text.length - length < 2 && text.charCodeAt(length - 1) === 61) length--;
  const bytes = Buffer.from(text, 'base64');
  return length % 4 !== 1 && bytes.length === Math.floor((length * 3) / 4) ? bytes : undefined;
}
