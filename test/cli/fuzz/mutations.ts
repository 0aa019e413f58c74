import { gzipSync } from 'node:zlib';
import type { Random } from '../../support/random.ts';

/** Changes a file as downloads, editors and attackers do. `other` is a file of any other kind. */
export type Mutation = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

const placeIn = (bytes: Buffer, random: Random) => random.below(bytes.length + 1);

function splice(bytes: Buffer, at: number, removed: number, added: Buffer | string): Buffer {
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(added), bytes.subarray(at + removed)]);
}

const linesOf = (bytes: Buffer) => bytes.toString('latin1').split('\n');
const ofLines = (lines: readonly string[]) => Buffer.from(lines.join('\n'), 'latin1');

/** Texts that have a meaning to some reader. */
const TOKENS = [
  ...['"', "'", '\\', '\0', '\n', '\r', '\t', ',', ';', '|', ':', '{', '}', '[', ']', '(', ')', '/*', '--'],
  ...['$$', '\\.', '\\N', 'NULL', 'null', 'true', '1e400', '-0', '999999999999999', '9'.repeat(400), '0x'],
  ...["X'", '__proto__', 'constructor', 'toString', 'problem', '{"$date":{"$numberLong":"9e999"}}'],
  ...['{"$oid":1}', '\x1b[31m\x1b]0;x\x07', '\u009b31m', '\u202e', '\ud800', '\ufeff', '\u2028', '=', '=='],
  ...['@', 'a@b', '\uffff', 'INSERT INTO x VALUES (', 'COPY x FROM stdin;\n', 'dn: x', 'users:', '$2a$10$'],
  ...['$argon2id$v=19$m=1,t=1,p=1$', '{"a":'.repeat(600), '['.repeat(5000), '('.repeat(5000)],
  ...['REPEAT('.repeat(100), 'x'.repeat(70_000), '\\u0000', '\\x', '\\777', '&#0;', '0000-00-00 00:00:00'],
  ...['infinity', '-1', '[null]', '{}', '""', 'NaN'],
];

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  none: (bytes) => bytes,
  cut: (bytes, random) => bytes.subarray(0, placeIn(bytes, random)),
  cutHead: (bytes, random) => bytes.subarray(placeIn(bytes, random)),
  flip(bytes, random) {
    const copy = Buffer.from(bytes);
    for (let left = 1 + random.below(8); left > 0 && copy.length > 0; left -= 1)
      copy[random.below(copy.length)] = random.below(256);
    return copy;
  },
  drop: (bytes, random) => splice(bytes, placeIn(bytes, random), 1 + random.below(200), ''),
  token: (bytes, random) => splice(bytes, placeIn(bytes, random), random.below(3), random.one(TOKENS)),
  tokens(bytes, random) {
    let changed = bytes;
    for (let left = 1 + random.below(20); left > 0; left -= 1)
      changed = splice(changed, placeIn(changed, random), 0, random.one(TOKENS));
    return changed;
  },
  zeros: (bytes, random) =>
    splice(bytes, placeIn(bytes, random), random.below(600), Buffer.alloc(1 + random.below(5000))),
  noise: (bytes, random) =>
    splice(
      bytes,
      placeIn(bytes, random),
      0,
      Buffer.from(Array.from({ length: 300 }, () => random.below(256))),
    ),
  move(bytes, random) {
    const from = placeIn(bytes, random);
    const block = bytes.subarray(from, from + random.below(800));
    return splice(bytes, placeIn(bytes, random), random.chance(0.5) ? block.length : 0, block);
  },
  repeatLines(bytes, random) {
    const lines = linesOf(bytes);
    const at = random.below(lines.length);
    return ofLines([
      ...lines.slice(0, at),
      ...Array<string>(2 + random.below(50)).fill(lines[at] ?? ''),
      ...lines.slice(at),
    ]);
  },
  swapLines(bytes, random) {
    const lines = linesOf(bytes);
    const [a, b] = [random.below(lines.length), random.below(lines.length)];
    return ofLines(
      lines.map((line, index) => (index === a ? lines[b] : index === b ? lines[a] : line) ?? ''),
    );
  },
  dropLine(bytes, random) {
    const lines = linesOf(bytes);
    lines.splice(random.chance(0.4) ? 0 : random.below(lines.length), 1);
    return ofLines(lines);
  },
  join: (bytes, random, other) =>
    random.chance(0.5) ? Buffer.concat([bytes, other]) : splice(bytes, placeIn(bytes, random), 0, other),
  twice: (bytes) => Buffer.concat([bytes, bytes]),
  /** Replaces a word everywhere, usually the name of a column. */
  rename(bytes, random) {
    const text = bytes.toString('latin1');
    const word = random.one(text.match(/[A-Za-z_]\w{1,30}/g) ?? ['x']);
    const name = random.one([
      '__proto__',
      'problem',
      'email',
      'password',
      'hash',
      '',
      'id',
      'constructor',
      '\x1b[2Jx',
      `${word}X`,
    ]);
    return Buffer.from(text.replaceAll(word, name), 'latin1');
  },
  /** Replaces a value everywhere. */
  replace(bytes, random) {
    const text = bytes.toString('latin1');
    const value = random.one(text.match(/[\w.@$/+-]{2,80}/g) ?? ['x']);
    return Buffer.from(text.replaceAll(value, () => random.one(TOKENS)));
  },
  long: (bytes, random) =>
    splice(
      bytes,
      placeIn(bytes, random),
      0,
      random.one(['a', ' ', '[', '"', ',', "''", '\\']).repeat(1_500_000),
    ),
  gzip: (bytes) => gzipSync(bytes),
  gzipCut(bytes, random) {
    const packed = gzipSync(bytes);
    return packed.subarray(0, placeIn(packed, random));
  },
  gzipBroken: (bytes, random, other) => MUTATIONS.flip?.(gzipSync(bytes), random, other) ?? bytes,
  utf16: (bytes) => Buffer.from(`\ufeff${bytes.toString()}`, 'utf16le'),
  utf16Unmarked: (bytes) => Buffer.from(bytes.toString(), 'utf16le').swap16(),
  latin1: (bytes) => Buffer.from(`${bytes.toString()}\xe9\n`, 'latin1'),
  mark: (bytes) => splice(bytes, 0, 0, '\ufeff'),
  crlf: (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
  cr: (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r'), 'latin1'),
  empty: () => Buffer.alloc(0),
};
