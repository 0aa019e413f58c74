import { HashRefused } from '../verifier.ts';
import type { Encoding } from './encodings.ts';
import { encodedPart, type HashPart } from './hash-part.ts';

export type Groups = Readonly<Record<string, string | undefined>>;

/**
 * Syntax of a hash: a regular expression whose groups, all named, are its parts. Groups are read by position,
 * which takes half the time of reading them by name.
 */
export class HashPattern<Part extends string> {
  readonly #pattern: RegExp;
  readonly #withPlaces: RegExp;
  readonly #names: readonly string[];
  readonly #parts: Readonly<Record<Part, Encoding>>;
  readonly #looksLike: string;

  /**
   * @param source regular expression for the whole hash, without anchors
   * @param parts named groups of `source` that stand for bytes, such as salt and digest, with their encodings
   * @param looksLike syntax of the hash in messages, after "expected"
   */
  constructor(source: RegExp, { parts, looksLike }: { parts: Record<Part, Encoding>; looksLike: string }) {
    this.#names = [...source.source.matchAll(/\(\?<([a-zA-Z0-9]+)>/g)].map(([, name = '']) => name);
    this.#pattern = whole(source.source.replaceAll(/\(\?<[a-zA-Z0-9]+>/g, '('));
    this.#withPlaces = whole(source.source, 'd');
    this.#parts = parts;
    this.#looksLike = looksLike;
    if (new RegExp(`${this.#pattern.source}|`, 'u').exec('')?.length !== this.#names.length + 1) {
      throw new Error(`a group of ${source.source} has no name`);
    }
  }

  /** @throws {HashRefused} `format` if the hash does not match the pattern */
  read(encoded: string): Groups {
    const match = this.#pattern.exec(encoded);
    if (match === null) throw new HashRefused('format', `expected ${this.#looksLike}`);
    const groups: Record<string, string | undefined> = {};
    for (let place = 0; place < this.#names.length; place += 1) {
      groups[this.#names[place] as string] = match[place + 1];
    }
    return groups;
  }

  matches(encoded: string): boolean {
    return this.#pattern.test(encoded);
  }

  /**
   * Returns a part of the hash. A group that did not match is an empty part.
   * @throws {HashRefused} `format` if the encoding of the part is wrong
   */
  part(groups: Groups, name: Part): HashPart {
    return encodedPart(name, groups[name] ?? '', this.#parts[name]);
  }

  zeroed(encoded: string): string {
    return this.rewritten(encoded, (text, encoding) => encoding.zeros(text));
  }

  /** Replaces each part of the hash by the result of `write`. Returns a text of another form unchanged. */
  rewritten(encoded: string, write: (text: string, encoding: Encoding, name: Part) => string): string {
    const places = this.#withPlaces.exec(encoded)?.indices?.groups ?? {};
    const parts = (Object.keys(this.#parts) as Part[])
      .flatMap((name) => {
        const place = places[name];
        return place === undefined ? [] : [{ start: place[0], end: place[1], name }];
      })
      .sort((a, b) => b.start - a.start);
    return parts.reduce((text, { start, end, name }) => {
      const part = write(text.slice(start, end), this.#parts[name], name);
      return text.slice(0, start) + part + text.slice(end);
    }, encoded);
  }
}

/** Unlike `$`, the look-ahead never matches before a line break, even with the flag `m`. */
const whole = (source: string, flags = '') => new RegExp(`^(?:${source})(?![^])`, `u${flags}`);
