import { bytesOf, HashPart, isPart, PackedPart, zeroed } from './encodings.ts';
import type { FormOptions, Formula, HashCost, HashForm, LastDecoy, Strength } from './form.ts';
import { OpenedHash } from './form.ts';
import type { PossibleRepair } from './mistakes.ts';
import { HashRefused } from './refused.ts';
import { type OwnParts, type Parts, Template } from './template.ts';

export interface WholeNumberSetting {
  min: number;
  max: number;
  default: number;
  description: string;
}

export interface HashMaker {
  readonly example: string;
  make(password: Buffer): Promise<string>;
}

type OwnSettings = Readonly<Record<string, number>>;

/** How the service makes hashes of a family itself. */
interface OwnHashes {
  settings: Readonly<Record<string, WholeNumberSetting>>;
  /** Setting to which messages refer if a new hash would take too much memory or time. */
  mainSetting: string;
  cost(settings: OwnSettings): HashCost;
  /** Returns a sentence for each broken rule between settings. */
  conflicts?(settings: OwnSettings): string[];
  maker(settings: OwnSettings): HashMaker;
}

interface EncodedText {
  charset?: 'utf8' | 'latin1';
  /** Beginning of the hash that the encoded text does not contain. */
  omitted?: string;
  /** Beginning of the encoded text. */
  mark?: RegExp;
}

/** One spelling of a family's hashes, with their formula. */
export class Form extends Template implements HashForm {
  readonly formula: Formula;
  readonly options: FormOptions;
  owner?: string | undefined;
  last?: LastDecoy;
  readonly #as: string;

  constructor(as: string, formula: Formula, options: FormOptions = {}) {
    super(as, options);
    this.formula = formula;
    this.options = options;
    this.#as = as;
  }

  /** @throws {HashRefused} `format` */
  open(encoded: string): OpenedHash | undefined {
    const parts = this.read(encoded);
    return parts && new OpenedHash(this, encoded, this.options.open?.(parts, packedOf(parts)) ?? parts);
  }

  zeroed({ encoded, parts: opened }: OpenedHash, names?: ReadonlySet<string>, words?: Parts): string {
    const { open, sealPacked } = this.options;
    const isZeroed = (name: string) => names?.has(name) !== false;
    const parts: OwnParts = { ...(open === undefined ? opened : this.read(encoded)) };
    for (const name in words) if (parts[name] !== undefined) parts[name] = words[name];
    const packed = packedOf(parts);
    if (open !== undefined && packed.length > 0) {
      for (const [name, part] of Object.entries(open({ ...parts }, packed)))
        if (part instanceof PackedPart && isZeroed(name)) part.bytes.fill(0);
      sealPacked?.(packed);
      const { encoding, length } = parts.packed as HashPart;
      parts.packed = new HashPart(encoding.encode(packed), length, encoding);
    }
    for (const name in parts) {
      const part = parts[name];
      if (isPart(part) && name !== 'packed' && isZeroed(name)) parts[name] = zeroed(part);
    }
    return this.write(parts);
  }

  /** Returns the form for hashes that have other text before them. */
  after(before: string, more: FormOptions): Form {
    const { byName: _, isExact: __, mark: ___, second, ...others } = this.options;
    // A key replaces the password, so that the second form of the password no longer applies.
    const kept = second && more.key === undefined ? { ...others, second } : others;
    return this.#ofOwner(new Form(before + this.#as, this.formula, { ...kept, ...more }));
  }

  /** Returns the form for hashes whose whole text is encoded once more, after `before`. */
  encodedAs(before: string, encoding: string, text: EncodedText = {}): Form {
    return this.#ofOwner(new EncodedForm(this, `${before}<packed:${encoding}>`, text));
  }

  #ofOwner(made: Form): Form {
    made.owner = this.owner;
    return made;
  }
}

class EncodedForm extends Form {
  readonly #inner: Form;
  readonly #text: EncodedText;

  constructor(inner: Form, as: string, text: EncodedText) {
    super(as, inner.formula, { ...inner.options, ...(text.mark && { mark: text.mark }) });
    this.#inner = inner;
    this.#text = text;
  }

  override open(encoded: string): OpenedHash | undefined {
    const { charset = 'utf8', omitted = '' } = this.#text;
    const packed = this.read(encoded)?.packed;
    if (!isPart(packed)) return undefined;
    const text = bytesOf(packed).toString(charset);
    if (charset === 'utf8' && text.includes('\ufffd')) return undefined;
    const found = this.#inner.open(omitted + text);
    return found && new OpenedHash(this, encoded, found.parts, found);
  }

  override zeroed(whole: OpenedHash, names?: ReadonlySet<string>, words?: Parts): string {
    const { charset = 'utf8', omitted = '' } = this.#text;
    const packed = this.read(whole.encoded)?.packed;
    if (whole.inner === undefined || !isPart(packed)) throw new Error('a hash of another form');
    const text = Buffer.from(this.#inner.zeroed(whole.inner, names, words).slice(omitted.length), charset);
    return this.write({ packed: new HashPart(packed.encoding.encode(text), text.length, packed.encoding) });
  }
}

const NOTHING = Buffer.alloc(0);
const packedOf = ({ packed }: Parts) => (isPart(packed) ? bytesOf(packed) : NOTHING);

/** Returns the forms of these families with other text before them, and with these options. */
export const within = (before: string, members: readonly Family[], options: FormOptions = {}): Form[] =>
  members.flatMap(({ forms }) => forms.map((one) => one.after(before, options)));

/** Returns the family of this name. */
export function named(members: readonly Family[], name: string): Family {
  const found = members.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no family ${name}`);
  return found;
}

/** Options of one form. The row's formula and options apply unless the form has its own. */
export type Spelling = FormOptions & { formula?: Formula };

export interface Row extends FormOptions {
  /** Name in messages, such as `BCrypt` in "Password hash is in invalid BCrypt format". Defaults to the name. */
  title?: string;
  /** Further names that requests may use, in lower case. They are never stored. */
  aliases?: readonly string[];
  /**
   * Template, or several templates, each with the options in which it differs from the row. `@` stands for `$<name>$`:
   * the form for systems that store salt and digest in separate columns, `$<name>$<params>$<salt>$<hash>`.
   */
  as?: string | Readonly<Record<string, Spelling>>;
  formula?: Formula;
  /** Further forms, often those of other families, which come after those of `as`. */
  forms?: readonly Form[];
  /** Syntax in Markdown, if the templates do not show it well. */
  looksLike?: string;
  /** Rank among the families that fit a hash: lower ranks are suggested first. Defaults to 0. */
  rank?: number;
  superTokensName?: string;
  /** Set if the service can make new hashes of this family. */
  own?: OwnHashes;
  /** Returns possible originals of a hash, for mistakes that are possible only in this family. */
  repairs?(encoded: string, secret: Uint8Array | undefined): PossibleRepair[];
}

/** A family of hashes, with everything that follows from its row. */
export interface Family extends Pick<Row, 'own' | 'repairs'> {
  /** Name in `hashingAlgorithm`, which is saved beside each hash. */
  readonly name: string;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly superTokensName: string;
  readonly looksLike: string;
  /** Strength of the family's usual hashes. */
  readonly strength: Strength;
  readonly forms: readonly Form[];
  /** Whether other families' hashes look the same, so that requests must name the family. */
  readonly byName: boolean;
  readonly rank: number;
  /** `required`: a hash is refused without a configured secret. `optional`: only some hashes need one. */
  readonly secret: 'required' | 'optional' | undefined;
  /** Returns whether the text looks like a hash of this family and of no other. */
  recognises(encoded: string): boolean;
  /** Returns whether the text looks like a hash of this family, even if hashes of other families look the same. */
  resembles(encoded: string): boolean;
  /** Returns the family of the hash that a wrapped hash contains. */
  innerOf?(encoded: string): Family | undefined;
  /**
   * Parses the whole hash, and computes nothing.
   * @throws {HashRefused}
   */
  read(encoded: string): OpenedHash;
}

export const families = (rows: Readonly<Record<string, Row>>): Family[] =>
  Object.entries(rows).map(([name, row]) => family(name, row));

/** @param formula default for rows without one */
export const familiesOf = (formula: Formula, rows: Readonly<Record<string, Row>>): Family[] =>
  Object.entries(rows).map(([name, row]) => family(name, { formula, ...row }));

/**
 * Maximum characters of a hash. Leaves room for 1024 bytes each of salt and digest and 512 of associated data, more
 * than any known hash has.
 */
export const MAX_LENGTH = 4096;

/**
 * Returns a function that checks whether a text matches one of these expressions. They are joined, because fewer and
 * larger expressions take less time.
 */
function anyOf(members: readonly { mark: RegExp }[]): (text: string) => boolean {
  const sources = new Map<string, Set<string>>();
  for (const { mark } of members)
    sources.set(mark.flags, (sources.get(mark.flags) ?? new Set()).add(mark.source));
  const marks = [...sources].map(([flags, all]) => new RegExp([...all].join('|'), flags));
  return (text) => text.length <= MAX_LENGTH && marks.some((mark) => mark.test(text));
}

export function family(name: string, row: Row): Family {
  const { as = {}, forms: more = [], rank = 0, aliases = [], ...shared } = row;
  const { mark, ...unmarked } = shared;
  // With several templates, the row's mark is that of the family, and not of each form.
  const spellings = typeof as === 'string' ? { [as]: shared } : as;
  const own = Object.entries(spellings).map(([text, { formula = row.formula, ...spelling }]) => {
    if (formula === undefined) throw new Error(`${name} has no formula`);
    const options = { ...unmarked, ...spelling };
    if (!text.startsWith('@')) return new Form(text, formula, options);
    // This mark contains more than the name, because hashes of other families may begin with the same name.
    const beginning = new RegExp(`^\\$${name}\\$[^$]*\\$[^$]*\\$`, 'u');
    return new Form(text.replace('@', `$${name}$`), formula, { mark: beginning, ...options });
  });
  const forms = [...own, ...more];
  for (const one of forms) one.owner ??= name;
  const [first] = forms;
  if (first === undefined) throw new Error(`${name} has no form`);
  const recognised = row.byName ? [] : forms.filter(({ options }) => options.byName === undefined);
  const secrets = forms.map(({ options }) => options.secret);
  const isRequired = secrets.every((secret) => secret === 'required');
  return {
    name,
    title: row.title ?? name,
    aliases,
    superTokensName: row.superTokensName ?? name,
    looksLike: row.looksLike ?? [...new Set(forms.map(({ looksLike }) => `\`${looksLike}\``))].join(', '),
    strength:
      row.strength ?? (typeof first.formula.strength === 'string' ? first.formula.strength : 'legacy'),
    forms,
    byName: row.byName === true,
    rank,
    secret: isRequired ? 'required' : secrets.some((secret) => secret !== undefined) ? 'optional' : undefined,
    ...(row.own && { own: row.own }),
    ...(row.repairs && { repairs: row.repairs }),
    recognises: anyOf(mark && !row.byName ? [{ mark }] : recognised),
    resembles: anyOf([...forms, ...(mark ? [{ mark }] : [])]),
    read,
  };

  function read(encoded: string): OpenedHash {
    for (const one of forms) {
      const opened = one.open(encoded);
      if (opened === undefined) continue;
      one.options.check?.(opened.parts);
      return opened;
    }
    const problem = forms.map((one) => one.problemOf(encoded)).find((one) => one !== undefined);
    const looksLike = row.looksLike?.replaceAll('`', '') ?? forms.map((one) => one.looksLike).join(' or ');
    throw new HashRefused('format', problem ?? `expected ${looksLike}`);
  }
}
