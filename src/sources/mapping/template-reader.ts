interface Problem {
  problem: string;
  position: number;
}

const NAME = /[\p{L}\p{N}_. -]*/uy;
const WORD = /\s*([a-z0-9-]*)\s*/y;
const PART = /\(\s*(-?\d{1,4})\s*,\s*(?:'([^']*)'|"([^"]*)")\s*\)\s*/y;
const LITERAL = /[^{}\\]+/y;

/** Scanner of a hash template. All regular expressions are sticky and cannot backtrack. */
export class TemplateReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Position in the hash template, counted from 1. */
  position(): number {
    return this.#at + 1;
  }

  skip(characters: string): boolean {
    const isNext = this.#text.startsWith(characters, this.#at);
    if (isNext) this.#at += characters.length;
    return isNext;
  }

  opens(): boolean {
    if (this.#text.startsWith('{{', this.#at)) return false;
    return this.skip('{') || this.skip('\\{');
  }

  closes(): Problem | undefined {
    if (this.skip('}') || this.skip('\\}')) return undefined;
    const problem = this.isAtEnd() ? 'a } is missing' : 'expected | and a step, or }';
    return { problem, position: this.position() };
  }

  /** Reads literal text of the template: an escaped brace, a backslash, or text without both. */
  literal(): string | Problem {
    const position = this.position();
    if (this.skip('{{')) return '{';
    if (this.skip('}}')) return '}';
    if (this.skip('\\\\')) return '\\';
    if (this.skip('}') || this.skip('\\}'))
      return { problem: 'a } without {: write }} for a brace', position };
    if (this.skip('\\')) return '\\';
    return this.#match(LITERAL)?.[0] ?? '';
  }

  name(): string | Problem {
    const position = this.position();
    const name = this.skip('"') ? this.#quoted() : this.#match(NAME)?.[0].trim();
    if (name === undefined) return { problem: 'a " is missing', position };
    return name === '' ? { problem: 'expected the name of a column', position } : name;
  }

  word(): string {
    return this.#match(WORD)?.[1] ?? '';
  }

  /** Reads the arguments of the step `part`: `(2,':')`. */
  partArguments(): [number, string] | undefined {
    const [, index, single, double] = this.#match(PART) ?? [];
    return index === undefined ? undefined : [Number(index), single ?? double ?? ''];
  }

  #quoted(): string | undefined {
    const end = this.#text.indexOf('"', this.#at);
    if (end === -1) return undefined;
    const quoted = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return quoted;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#text);
    if (match !== null) this.#at = expression.lastIndex;
    return match;
  }
}
