import { isUtf8 } from 'node:buffer';
import { lowerCase } from '../../lib/text/lower-case.ts';
import { stripControlAndSpace } from '../../lib/text/strip-control-and-space.ts';
import { bytesOf } from '../fields/bytes.ts';

/** What a step in a hash template takes or gives: the text of a cell, or bytes. */
export type Kind = 'text' | 'bytes';

/** One step of a placeholder in a hash template: `hex` in `{salt|hex}`. */
export interface Conversion {
  takes: Kind;
  gives: Kind;
  /** Returns undefined if the value does not have the form that the step expects. */
  run(value: string & Buffer): string | Buffer | undefined;
  /** Input that a step needs, as the end of the message "is not …". */
  expects: string;
}

interface Steps<In> {
  expects: string;
  run(value: In): string | Buffer | undefined;
}

/** Base64 with the standard or the URL-safe alphabet. */
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** The base64 of passlib's hashes, with `.` instead of `+`. */
const AB64 = /^[A-Za-z0-9./]*$/;
const LATIN1 = /^[\0-\xff]*$/;

const isBase64 = (text: string) => BASE64.test(text) && text.replaceAll('=', '').length % 4 !== 1;
const unpad = (text: string) => text.replace(/={1,2}$/, '');

const DECODERS: Record<string, Steps<string>> = {
  // Databases may write a prefix before hexadecimal digits: `\x` for bytea, or `0x`.
  hex: { expects: 'hexadecimal', run: (text) => bytesOf(text.replace(/^(?:\\x|0x)/i, ''), 'hex') },
  base64: { expects: 'base64', run: (text) => (isBase64(text) ? Buffer.from(text, 'base64') : undefined) },
  base64url: { expects: 'base64', run: (text) => (isBase64(text) ? Buffer.from(text, 'base64') : undefined) },
  ab64: {
    expects: 'ab64',
    run: (text) =>
      AB64.test(text) && text.length % 4 !== 1 ? Buffer.from(text.replaceAll('.', '+'), 'base64') : undefined,
  },
  utf8: { expects: 'text', run: (text) => Buffer.from(text, 'utf8') },
  latin1: {
    expects: 'Latin-1',
    run: (text) => (LATIN1.test(text) ? Buffer.from(text, 'latin1') : undefined),
  },
  utf16le: { expects: 'text', run: (text) => Buffer.from(text, 'utf16le') },
};

const ENCODERS: Record<string, Steps<Buffer>> = {
  'to-phc': { expects: 'bytes', run: (bytes) => unpad(bytes.toString('base64')) },
  'to-base64': { expects: 'bytes', run: (bytes) => bytes.toString('base64') },
  'to-base64url': { expects: 'bytes', run: (bytes) => bytes.toString('base64url') },
  'to-hex': { expects: 'bytes', run: (bytes) => bytes.toString('hex') },
  text: { expects: 'text in UTF-8', run: (bytes) => (isUtf8(bytes) ? bytes.toString() : undefined) },
};

const FILTERS: Record<string, Steps<string>> = {
  lower: { expects: 'text', run: lowerCase },
  upper: { expects: 'text', run: (text) => text.toUpperCase() },
  trim: { expects: 'text', run: stripControlAndSpace },
  unpad: { expects: 'text', run: unpad },
  log2: { expects: 'a power of two', run: log2 },
};

function log2(text: string): string | undefined {
  const log = /^\d{1,10}$/.test(text) ? Math.log2(Number(text)) : Number.NaN;
  return Number.isInteger(log) ? String(log) : undefined;
}

/** The step `part(2,':')`: the second part between colons. A negative index counts from the end. */
export const partOf = (index: number, separator: string): Conversion => ({
  takes: 'text',
  gives: 'text',
  expects: `made of so many parts between "${separator}"`,
  run: (text: string) => text.split(separator).at(index > 0 ? index - 1 : index),
});

const conversions = <In>(takes: Kind, gives: Kind, steps: Record<string, Steps<In>>) =>
  Object.entries(steps).map(([name, { expects, run }]): [string, Conversion] => [
    name,
    { takes, gives, expects, run: run as Conversion['run'] },
  ]);

export const CONVERSIONS: ReadonlyMap<string, Conversion> = new Map([
  ...conversions('text', 'bytes', DECODERS),
  ...conversions('bytes', 'text', ENCODERS),
  ...conversions('text', 'text', FILTERS),
]);

/** Base64 without padding, as in PHC strings, for a placeholder whose last step results in bytes. */
export const toPhc = (bytes: Buffer): string => unpad(bytes.toString('base64'));
