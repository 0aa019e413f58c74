import {
  AB64,
  AIX64,
  ANY_HEX,
  BARE_BASE64,
  BASE64,
  BCRYPT64,
  CRYPT64,
  CRYPT64_BIG,
  type Encoding,
  HashPart,
  HEX,
  isPart,
  PADDED_BASE64,
  PADDED_BASE64URL,
  partOf,
  TEXT,
  UPPER_HEX,
} from './encodings.ts';
import { DIGEST_BYTES } from './kdf/digests.ts';
import { HashRefused, orRefusal } from './refused.ts';

/** Parts of a hash, by the names in its template: bytes, words and numbers. */
export type Parts = Readonly<Record<string, HashPart | string | number | undefined>>;
export type OwnParts = { -readonly [Name in keyof Parts]: Parts[Name] };

/** Encodings by their names in templates. Rows may bring encodings of their own. */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  text: TEXT,
  hex: HEX,
  HEX: ANY_HEX,
  upperhex: UPPER_HEX,
  b64: BASE64,
  bare64: BARE_BASE64,
  pad64: PADDED_BASE64,
  url64: PADDED_BASE64URL,
  ab64: AB64,
  crypt64: CRYPT64,
  crypt64big: CRYPT64_BIG,
  bcrypt64: BCRYPT64,
  aix64: AIX64,
};

/**
 * Place in a template for a part. The length is in bytes; `of` is the name of the part that names the digest with this
 * length.
 */
interface Hole {
  name: string;
  encoding: Encoding | undefined;
  length: { min: number; max: number } | { of: string } | undefined;
  /** Number of bytes, if a text that matches `source` is sure to be valid. */
  bytes: number | undefined;
  /** Words that are permitted here, and the meaning of each. */
  words: ReadonlyMap<string, string | number> | undefined;
  radix: 10 | 16 | undefined;
  min: number;
  /** Named fields in this place, instead of a part. */
  list: Fields | undefined;
  mayBeEmpty: boolean;
  /** Regular expressions for the text of the hole, and for its first character. */
  source: string;
  first: string;
}

/** All holes have the same members in the same order, because reading them is then twice as fast. */
const HOLE: Hole = {
  name: '_',
  encoding: undefined,
  length: undefined,
  bytes: undefined,
  words: undefined,
  radix: undefined,
  min: 1,
  list: undefined,
  mayBeEmpty: false,
  source: '',
  first: '',
};

interface Field extends Hole {
  key: string;
  isOptional: boolean;
}

/** Named fields in any order. The last result is kept, because hashes of one system mostly have the same fields. */
interface Fields {
  fields: readonly Field[];
  separator: string;
  read(text: string): readonly [string, Parts[string]][];
}

/** Part of a template: a text, a hole, or a bracket around what may be left out. */
interface Node {
  text?: string;
  hole?: Hole;
  bracket?: '[' | ']';
  /** Regular expression. */
  source: string;
  /** How documents show the part. */
  shown: string;
}

/** Text of one hole in a hash, which may be malformed. `start` and `end` are its position. */
export interface LooseHole {
  hole: Pick<Hole, 'name' | 'encoding' | 'words' | 'radix'>;
  /** Key of a named field. */
  key?: string;
  text: string;
  start: number;
  end: number;
}

export interface TemplateOptions {
  /** Constants, and values of parts that a hash may leave out. */
  defaults?: Parts;
  /** Encodings of the row's own, by their names in its templates. */
  encodings?: Readonly<Record<string, Encoding>>;
  /** Set if only the whole template, not its beginning, distinguishes hashes of this form from others. */
  isExact?: true;
  /** Beginning of the hashes, if the template does not show it. */
  mark?: RegExp;
}

/**
 * Syntax of a hash, such as `pbkdf2_<digest:sha256|sha1>$<iterations:int>$<salt:text*>$<hash:pad64/32>`
 * (docs/adding-a-hash-format.md):
 *
 * - `<name:encoding>` holds bytes. `*` after the encoding: may be empty. `/16`: 16 bytes, `/4..64`: 4 to 64,
 *   `/digest`: as many as the digest has that the part `digest` names. `text` ends before the next character of
 *   the template; `text[0-9a-f]{6}` has these characters only, and `word[0-9a-f]{6}` is no bytes but a string.
 * - `<name:a|b>` is one of these words, `<name:A=a|B=b>` one of the words before the `=`. `<_:~A|B>` is a word in
 *   any case, and no part of the hash.
 * - `<name:int>` is a number from 1 on, `<name:int/0>` from 0 on, `<name:hexint>` in hexadecimal digits.
 * - `<k=name:…,e?=other:…>` are named fields in any order, separated by commas (or by `$`). `?`: may be left out.
 * - `[…]` may be left out. It contains no other brackets.
 */
export class Template {
  readonly looksLike: string;
  /** Beginning of the hashes, or the whole hash if the beginning does not distinguish it. */
  readonly mark: RegExp;
  /** Constants and defaults of parts that the text does not have. */
  readonly #defaults: Parts;
  readonly #nodes: readonly Node[];
  readonly #strict: RegExp;
  readonly #loose: RegExp;
  readonly #captures: readonly Hole[];
  readonly #constants: readonly [string, Parts[string]][];
  /** Holes whose length the regular expression does not show. */
  readonly #sized: readonly Hole[];

  constructor(source: string, { defaults = {}, encodings = {}, isExact, mark }: TemplateOptions = {}) {
    this.#nodes = parse(source, { ...ENCODINGS, ...encodings });
    this.#defaults = defaults;
    const beginning = markSource(this.#nodes);
    this.#strict = regExp(`^(?:${sourceOf(this.#nodes)})(?![^])`);
    this.#loose = new RegExp(`^(?:${looseSource(this.#nodes)})(?![^])`, 'du');
    this.mark = mark ?? (isExact || beginning === '' ? this.#strict : regExp(`^${beginning}`));
    this.#captures = this.#nodes.flatMap(({ hole }) => hole ?? []);
    this.#constants = Object.entries(defaults);
    this.#sized = this.#captures
      .flatMap((one) => one.list?.fields ?? one)
      .filter(({ length }) => length !== undefined && !isFixed(length));
    this.looksLike = this.#nodes.map(({ shown }) => shown).join('');
  }

  /**
   * Returns the parts of a hash, or undefined if it does not have this syntax.
   * @throws {HashRefused} `format` if a part breaks a rule that the syntax cannot express
   */
  read(encoded: string): OwnParts | undefined {
    const match = this.#strict.exec(encoded);
    if (match === null) return undefined;
    const parts: OwnParts = {};
    for (const [name, value] of this.#constants) parts[name] = value;
    for (let place = 0; place < this.#captures.length; place += 1) {
      const capture = this.#captures[place] as Hole;
      const text = match[place + 1];
      if (text === undefined) continue;
      if (capture.list !== undefined)
        for (const [name, value] of capture.list.read(text)) parts[name] = value;
      else if (capture.name !== '_') parts[capture.name] = readHole(capture, text);
    }
    for (const hole of this.#sized) checkLength(hole, parts);
    return parts;
  }

  /** Returns the rule that a malformed hash of this syntax breaks. Undefined for a text of another syntax. */
  problemOf(encoded: string): string | undefined {
    for (const { hole, text } of this.#texts(encoded)) {
      const { name, words, mayBeEmpty, list } = hole;
      if (text === '' && !mayBeEmpty && words === undefined && list === undefined) return `${name} is empty`;
      const problem = orRefusal(() => (list === undefined ? checkHole(hole, text) : list.read(text)));
      if (problem instanceof HashRefused) return problem.message;
    }
    return undefined;
  }

  /**
   * Splits a text of this syntax into the texts of its holes, which may be malformed. Named fields come last. Returns
   * an empty list for a text of another syntax.
   */
  holesOf(encoded: string): LooseHole[] {
    const all = this.#texts(encoded);
    const fields = all.flatMap(({ hole: { list }, text, start }) =>
      (list?.fields ?? []).flatMap((hole): LooseHole[] => {
        const at = new RegExp(`(?<=^|[,$])${hole.key}=([^,$]*)`, 'd').exec(text)?.indices?.[1];
        if (at === undefined) return [];
        const [from, to] = at;
        return [{ hole, key: hole.key, text: text.slice(from, to), start: start + from, end: start + to }];
      }),
    );
    return [...all.filter(({ hole }) => hole.list === undefined), ...fields];
  }

  #texts(encoded: string) {
    const places = this.#loose.exec(encoded)?.indices;
    return this.#captures.flatMap((hole, index) => {
      const place = places?.[index + 1];
      if (place === undefined) return [];
      const [start, end] = place;
      return [{ hole, text: encoded.slice(start, end), start, end }];
    });
  }

  /** Writes a hash of these parts, without optional groups that have only defaults. */
  write(parts: Parts): string {
    const isDefault = (name: string) => parts[name] === undefined || parts[name] === this.#defaults[name];
    let text = '';
    let isLeftOut = false;
    for (const [index, node] of this.#nodes.entries()) {
      if (node.bracket !== undefined)
        isLeftOut =
          node.bracket === '[' &&
          groupAt(this.#nodes, index).every(({ hole }) => hole === undefined || isDefault(hole.name));
      else if (isLeftOut) continue;
      else if (node.hole?.list === undefined)
        text += node.text ?? (node.hole && textOf(node.hole, parts[node.hole.name]));
      else
        text += node.hole.list.fields
          .filter(({ isOptional, name }) => !isOptional || !isDefault(name))
          .map((field) => `${field.key}=${textOf(field, parts[field.name])}`)
          .join(node.hole.list.separator);
    }
    return text;
  }
}

/** Compiles an expression. Unicode mode takes longer, and is used only for classes of Unicode characters. */
const regExp = (source: string) => new RegExp(source, /\\[pu]/.test(source) ? 'u' : '');

const isFixed = (length: NonNullable<Hole['length']>) => 'min' in length && length.min === length.max;

function textOf({ name, words, radix }: Hole, value: Parts[string]): string {
  if (isPart(value)) return value.text;
  if (words !== undefined && name === '_') return [...words.keys()][0] ?? '';
  if (words !== undefined) return [...words].find(([, meaning]) => meaning === value)?.[0] ?? '';
  return typeof value === 'number' ? value.toString(radix ?? 10) : (value ?? '');
}

/** @throws {HashRefused} `format` */
function readHole(
  { name, encoding, bytes, words, radix, min }: Hole,
  text: string,
): HashPart | string | number {
  if (bytes !== undefined && encoding !== undefined) return new HashPart(text, bytes, encoding);
  if (encoding !== undefined) return partOf(name === 'packed' ? 'value' : name, text, encoding);
  if (words !== undefined) {
    const meaning = words.get(text);
    if (meaning !== undefined) return meaning;
    throw new HashRefused('format', `${name} must be one of ${[...words.keys()].join(', ')}`);
  }
  if (radix === undefined) return text;
  if (!(radix === 16 ? /^[1-9a-f][0-9a-f]*$/ : /^(?:0|[1-9][0-9]*)$/).test(text)) {
    throw new HashRefused(
      'format',
      `${name} is not a plain ${radix === 16 ? 'hexadecimal' : 'decimal'} number`,
    );
  }
  // A number above 2^53 loses some digits, but stays above the bound of every cost.
  const value = Number.parseInt(text, radix);
  if (value < min) throw new HashRefused('format', `${name} must be at least ${min}`);
  return value;
}

/**
 * Checks the text of one part of a malformed hash.
 * @throws {HashRefused} `format`
 */
function checkHole(hole: Hole, text: string): void {
  if (hole.name === '_') return;
  const part = readHole({ ...hole, bytes: undefined }, text);
  if (hole.length !== undefined && !('of' in hole.length)) checkLength(hole, { [hole.name]: part });
}

/** @throws {HashRefused} `format` */
function checkLength({ name, length }: Hole, parts: Parts): void {
  const part = parts[name];
  if (length === undefined || !isPart(part)) return;
  const { min, max } =
    'of' in length ? { min: bytesOfDigest(parts[length.of]), max: bytesOfDigest(parts[length.of]) } : length;
  if (part.length >= min && part.length <= max) return;
  const expected = min === max ? `${min}` : `${min} to ${max}`;
  throw new HashRefused('format', `${name} must be ${expected} bytes long, got ${part.length}`);
}

const bytesOfDigest = (digest: Parts[string]) =>
  typeof digest === 'number' ? digest : DIGEST_BYTES[digest as keyof typeof DIGEST_BYTES];

/**
 * Parses `name=value` items in any order.
 * @throws {HashRefused} `format` if an item is unknown, malformed or given twice, or if one is missing
 */
function readFields(items: readonly string[], fields: readonly Field[]): Parts {
  const parts: Record<string, HashPart | string | number> = {};
  const given = items.length === 1 && items[0] === '' ? [] : items;
  for (const [index, item] of given.entries()) {
    const field = fields.find(({ key }) => item.startsWith(`${key}=`));
    if (field === undefined) {
      const expected = fields.map(({ key }) => `${key}=`).join(' ');
      throw new HashRefused('format', `parameter ${index + 1} is none of ${expected}`);
    }
    if (field.name in parts) throw new HashRefused('format', `parameter ${field.key} is given twice`);
    const text = item.slice(field.key.length + 1);
    if (text === '' && !field.mayBeEmpty) throw new HashRefused('format', `${field.key} is empty`);
    parts[field.name] = readHole({ ...field, name: field.key }, text);
    if (!new RegExp(`^${field.source}$`, 'u').test(text))
      throw new HashRefused('format', `parameter ${field.key} is malformed`);
  }
  const missing = fields.find(({ name, isOptional }) => !isOptional && !(name in parts));
  if (missing !== undefined) throw new HashRefused('format', `parameter ${missing.key} is missing`);
  return parts;
}

/**
 * Caches the last result, because successive hashes of one system mostly have the same parameters. The text
 * is copied first, because a slice would keep its whole hash in memory.
 */
export function rememberLast<T>(answerTo: (text: string) => T): (text: string) => T {
  let last: { text: string; answer: T } | undefined;
  return (text) => {
    if (last?.text !== text) {
      const copy = Buffer.from(text).toString();
      last = { text: copy, answer: answerTo(copy) };
    }
    return last.answer;
  };
}

function parse(source: string, encodings: Readonly<Record<string, Encoding>>): Node[] {
  const tokens = source.match(/<[^>]*>|[[\]]|[^<>[\]]+/g) ?? [];
  const brackets = tokens.filter((token) => token === '[' || token === ']').join('');
  if (tokens.join('') !== source || !/^(?:\[\])*$/.test(brackets))
    throw new Error(`malformed template ${source}`);
  return tokens.map((token, index): Node => {
    if (token === '[') return { bracket: token, source: '(?:', shown: token };
    if (token === ']') return { bracket: token, source: ')?', shown: token };
    if (!token.startsWith('<')) return { text: token, source: escaped(token), shown: token };
    const following = tokens.slice(index + 1).find((one) => !/^[[\]<]/.test(one));
    return parseHole(token.slice(1, -1), following?.charAt(0) ?? '', encodings);
  });
}

const sourceOf = (nodes: readonly Node[]): string => nodes.map(({ source }) => source).join('');
const shownHole = ({ name, words }: Hole) => `<${words === undefined ? name : [...words.keys()].join('|')}>`;

/** Returns the nodes after the opening bracket at this place, up to the closing one. */
const groupAt = (nodes: readonly Node[], start: number): readonly Node[] =>
  nodes.slice(
    start + 1,
    nodes.findIndex(({ bracket }, index) => index > start && bracket === ']'),
  );

const FIELD = /^(?<key>[\w-]+)(?<optional>\?)?=(?<hole>.*)$/;

function parseHole(text: string, next: string, encodings: Readonly<Record<string, Encoding>>): Node {
  const separator = /^\w+=[^$]*\$/.test(text) ? '$' : ',';
  if (!FIELD.test(text)) {
    const hole = holeOf(text, next, encodings);
    return { hole, source: `(${hole.source})`, shown: shownHole(hole) };
  }
  const fields = text.split(separator).map((one): Field => {
    const { key = '', optional, hole = '' } = FIELD.exec(one)?.groups ?? {};
    return { ...holeOf(hole, separator, encodings), key, isOptional: optional !== undefined };
  });
  const shown = fields.map((one, index) => {
    const field = `${index === 0 ? '' : separator}${one.key}=${shownHole(one)}`;
    return one.isOptional ? `[${field}]` : field;
  });
  const read = rememberLast((given: string) => Object.entries(readFields(given.split(separator), fields)));
  return {
    hole: { ...HOLE, list: { fields, separator, read } },
    source: separator === '$' ? '([^]*)' : '([^$]*)',
    shown: shown.join(''),
  };
}

function holeOf(text: string, next: string, encodings: Readonly<Record<string, Encoding>>): Hole {
  const [, name = '', kind = ''] = /^([\w-]+):(.*)$/.exec(text) ?? [];
  const [, number, min] = /^(hexint|int)(?:\/(\d+))?$/.exec(kind) ?? [];
  if (number !== undefined) {
    const first = number === 'int' ? '[0-9]' : '[0-9a-f]';
    const source = number === 'int' ? '(?:0|[1-9][0-9]*)' : '[1-9a-f][0-9a-f]*';
    return { ...HOLE, name, radix: number === 'int' ? 10 : 16, min: Number(min ?? 1), source, first };
  }
  const [, type, characters, first] =
    /^(\w+)((\[[^\]]*\])(?:[*+]|\{[\d,]+\})?(?:\[[^\]]*\](?:[*+]|\{[\d,]+\})?)*)$/.exec(kind) ?? [];
  if (type !== undefined && characters !== undefined && first !== undefined) {
    const source = characters === first ? `${first}+` : characters;
    const mayBeEmpty = new RegExp(`^${source}$`, 'u').test('');
    const encoding = type === 'word' ? undefined : encodings[type];
    return { ...HOLE, name, encoding, mayBeEmpty, source, first };
  }
  const [, encodingName = '', empty, of, min_, max] =
    /^(\w+)(\*)?(?:\/(?:([a-z]+)|(\d+)(?:\.\.(\d+))?))?$/.exec(kind) ?? [];
  const encoding = encodings[encodingName];
  if (encoding === undefined && encodingName !== '' && /[*/]/.test(kind))
    throw new Error(`no encoding ${encodingName}`);
  if (encoding === undefined) return wordsOf(name, kind);
  const sizes = min_ === undefined ? undefined : { min: Number(min_), max: Number(max ?? min_) };
  const fixed = sizes?.min === sizes?.max ? sizes?.min : undefined;
  const char = encoding === TEXT && next !== '' ? `[^\\p{Cc}\\p{Cs}${inClass(next)}]` : encoding.char;
  const source = fixed === undefined ? char + (empty === undefined ? '+' : '*') : encoding.sourceOf(fixed);
  return {
    ...HOLE,
    ...{ name, encoding, source, first: char, mayBeEmpty: empty !== undefined },
    length: of === undefined ? sizes : { of },
    bytes: encoding.isExact ? fixed : undefined,
  };
}

function wordsOf(name: string, kind: string): Hole {
  const isAnyCase = kind.startsWith('~');
  const pairs = kind
    .replace('~', '')
    .split('|')
    .map((one) => {
      const [word = '', meaning = word] = one.split('=');
      return [word, /^\d+$/.test(meaning) ? Number(meaning) : meaning] as const;
    });
  const sourceOf = (word: string) =>
    isAnyCase
      ? escaped(word).replace(/[a-z]/gi, (one) => `[${one.toUpperCase()}${one.toLowerCase()}]`)
      : escaped(word);
  const source = `(?:${pairs.map(([word]) => sourceOf(word)).join('|')})`;
  return { ...HOLE, name, words: new Map(pairs), source, first: source };
}

const escaped = (text: string) => text.replace(/[.*+?^$()|{}[\]\\/]/g, '\\$&');
const inClass = (character: string) => character.replace(/[\]\\^-]/, '\\$&');

/**
 * Returns an expression that also matches malformed hashes: a hole may have any text up to a character that may follow
 * it. Without such an end, the time would grow with the square of the length of a text. Next to another hole, only a
 * hole of fixed length may have any text.
 */
function looseSource(nodes: readonly Node[]): string {
  let isAfterHole = false;
  let wasAfterHole = false;
  return nodes
    .map(({ hole, bracket, source }, index) => {
      if (bracket === '[') [wasAfterHole, isAfterHole] = [isAfterHole, false];
      else if (bracket === ']') isAfterHole = wasAfterHole;
      if (bracket !== undefined) return source;
      if (hole === undefined || hole.list !== undefined) {
        isAfterHole = false;
        return source;
      }
      const stops = stopsOf(nodes, index + 1);
      const isFixedLength = /\{\d+\}\)$/.test(source);
      const keepsSource = isAfterHole || stops === undefined;
      isAfterHole = !isFixedLength;
      if (keepsSource) return source.replace(/(\[[^\]]*\])(?=\{\d+\}\)$)/, '[^]');
      return stops === '' ? '([^]*)' : `([^${[...stops].map(inClass).join('')}]*)`;
    })
    .join('');
}

/** Returns the characters with which the nodes from this place on may begin. Undefined if a hole may come first. */
function stopsOf(nodes: readonly Node[], start: number): string | undefined {
  const node = nodes[start];
  if (node === undefined) return '';
  if (node.bracket === ']') return stopsOf(nodes, start + 1);
  if (node.bracket === undefined) return node.text?.charAt(0);
  const behind = stopsOf(nodes, start + groupAt(nodes, start).length + 2);
  const inside = stopsOf(nodes, start + 1);
  return inside === undefined || behind === undefined ? undefined : inside + behind;
}

/**
 * Returns an expression for the beginning of the hashes, up to the first character of the first part that is no word.
 * Returns '' if no fixed text comes before.
 */
function markSource(nodes: readonly Node[]): string {
  const isMark = ({ text, hole }: Node) => text !== undefined || hole?.words !== undefined;
  let mark = '';
  let hasText = false;
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[index] as Node;
    if (node.bracket !== undefined) {
      const group = groupAt(nodes, index);
      if (!group.every(isMark)) break;
      mark += `(?:${sourceOf(group)})?`;
      index += group.length + 1;
    } else if (isMark(node)) {
      hasText ||= node.text !== undefined;
      mark += node.hole?.source ?? node.source;
    } else {
      const { list, mayBeEmpty, first } = node.hole as Hole;
      if (!hasText || mayBeEmpty) break;
      if (list === undefined) return mark + first;
      const keys = list.fields.map(({ key }) => key).join('|');
      return list.fields.every(({ isOptional }) => isOptional) ? mark : `${mark}(?:${keys})=`;
    }
  }
  return hasText ? mark : '';
}
