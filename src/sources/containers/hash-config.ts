import { readHead } from './decode-bytes.ts';
import {
  type Beginning,
  type Container,
  type ContainerName,
  invalidFile,
  type KindMatch,
  type SourceRecord,
} from './table.ts';

/** Maximum size of a file with the parameters of Firebase's scrypt. Such a file has only a few lines. */
const MAX_BYTES = 16_384;

/** Our names of the parameters, by those of Firebase's console and REST interface: lower case, no `base64_`, no `_`. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['algorithm', 'algorithm'],
  ['signerkey', 'signerKey'],
  ['saltseparator', 'saltSeparator'],
  ['rounds', 'rounds'],
  ['memcost', 'memCost'],
  ['memorycost', 'memCost'],
]);

/** Text before the first parameter. The REST interface has another object around the parameters. */
const HEAD = /^(?:\s*\{)?["'\s]*(?:hash_?config\b["'\s]*[:=]?\s*)?(?:\{\s*)?/i;
/** A hash parameter: name, colon or equals sign, value with or without quotes, and optional comma. */
const MEMBER = /["']?([A-Za-z0-9_]{1,64})["']?\s*[:=]\s*["']?([A-Za-z0-9+/_=-]+)["']?\s*[,;]?\s*/y;
const TAIL = /^(?:\}\s*){0,2}["'\s,;]*$/;

/** Line break within a base64 value of Firebase's console that was broken into several lines when it was copied. */
const BREAK = /\n(?=[A-Za-z0-9+/]+={0,2},?$)/gm;

/** Beginning of the block in Firebase's console. An incomplete block matches, too, so that a message can explain it. */
const BEGINNING = /^["'\s]*hash_?config\b["'\s]*[:=]?\s*\{/i;

/** Real signer keys of Firebase have 64 bytes; base64 of 24 bytes or more is accepted. */
const KEY = /^[A-Za-z0-9+/_-]{32,}={0,2}$/;

const HOW_TO_COPY =
  'Copy the whole block and nothing else: Firebase console, Authentication, Users, ⋮, Password hash parameters.';

/** Detects Firebase's hash parameters. They must be the whole of a small file: any export may have the same words. */
export function matchHashConfig({ text, isWhole }: Beginning): KindMatch {
  if (isWhole && text.length <= MAX_BYTES && parseHashConfig(text) !== undefined) return 'fits';
  return BEGINNING.test(text.slice(0, 256))
    ? { but: 'it has no base64_signer_key, or it has other text as well', advice: HOW_TO_COPY }
    : undefined;
}

/**
 * Reads hash parameters pasted from the Firebase console, in any form, or JSON of Firebase's REST interface.
 */
export const readHashConfig = oneRecord(
  'hash-config',
  parseHashConfig,
  `The hash parameters have no base64_signer_key, or the file has other text as well. ${HOW_TO_COPY}`,
);

/** Detects a signer key. It must be the whole file, because other files contain such texts, too. */
export const matchSignerKey = ({ text, isWhole }: Beginning): KindMatch =>
  isWhole && text.length <= MAX_BYTES && parseSignerKey(text) !== undefined ? 'fits' : undefined;

export const readSignerKey = oneRecord(
  'signer-key',
  parseSignerKey,
  'The file is not one line of base64, as a signer key is. Copy base64_signer_key alone, or the whole block hash_config { … }.',
);

/**
 * Reads a file whose text is one record.
 * @throws FileProblem if the file is larger than MAX_BYTES, or with `message` if `parse` returns undefined
 */
function oneRecord(
  container: ContainerName,
  parse: (text: string) => SourceRecord | undefined,
  message: string,
): Container {
  return async function* (bytes, _options, wanted) {
    const head = await readHead(bytes, MAX_BYTES);
    if (!head.isWhole)
      throw invalidFile(
        'The file is too long for hash parameters. Copy the block hash_config { … } into a separate file.',
      );
    const record = parse(head.bytes.toString());
    if (record === undefined) throw invalidFile(message);
    const table = { container, name: '', columns: new Set(Object.keys(record)), first: [record], root: {} };
    if (wanted(table)) yield { table, firstRow: 1, records: [record] };
  };
}

/** Parses a signer key. Returns undefined if the text is not base64 of enough bytes, or has only letters. */
function parseSignerKey(text: string): SourceRecord | undefined {
  const signerKey = text.trim();
  const isKey = KEY.test(signerKey) && signerKey.replace(/=+$/, '').length % 4 !== 1;
  return isKey && /[0-9+/=]/.test(signerKey) ? { signerKey } : undefined;
}

/** Parses hash parameters. Returns undefined if the text has anything else, two values of one, or no signer key. */
function parseHashConfig(text: string): SourceRecord | undefined {
  const lines = text.split(/\r?\n|\r/).map((line) => line.trim());
  const block = lines.join('\n').replaceAll(BREAK, '');
  const record: Record<string, string> = {};
  for (let at = HEAD.exec(block)?.[0].length ?? 0; ; ) {
    MEMBER.lastIndex = at;
    const [all, name = '', value = ''] = MEMBER.exec(block) ?? [];
    if (all === undefined) return TAIL.test(block.slice(at)) && record.signerKey ? record : undefined;
    const ours = NAMES.get(name.toLowerCase().replaceAll(/^base64|_/g, ''));
    if (ours === undefined || (record[ours] ?? value) !== value) return undefined;
    record[ours] = value;
    at += all.length;
  }
}
