import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { type Paint, painter, wantsColours } from './colours.ts';

/** What a process talks through; tests have their own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  env: NodeJS.ProcessEnv;
  /** Called for each SIGINT, SIGTERM and SIGHUP, with the exit code that is usual for it. Returns what ends that. */
  onSignal(listener: (exitCode: number) => void): () => void;
  /** Ends the process at once. */
  exit(exitCode: number): never;
}

export interface TerminalChoices {
  isQuiet: boolean;
  isJson: boolean;
}

/** JSON leaves these as they are, and terminals obey some of them. Written so, they mean the same to whoever reads JSON. */
const withEscapes = (text: string) =>
  text.replace(
    /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Results go to stdout, all else to stderr. */
export class Terminal {
  readonly #io: Io;
  readonly isQuiet: boolean;
  readonly isJson: boolean;
  /** For what stands on stderr, and for what stands on stdout. */
  readonly paint: Paint;
  readonly paintResult: Paint;

  constructor(io: Io, { isQuiet, isJson }: TerminalChoices) {
    this.#io = io;
    this.isQuiet = isQuiet;
    this.isJson = isJson;
    this.paint = painter(wantsColours(io.stderr, io.env));
    this.paintResult = painter(!isJson && wantsColours(io.stdout, io.env));
  }

  /** Can somebody be asked? */
  get isInteractive(): boolean {
    return this.#io.stdin.isTTY === true && this.hasTerminal;
  }

  get hasTerminal(): boolean {
    return this.#io.stderr.isTTY === true;
  }

  /** Is there somebody who looks, and wants to? */
  get hasScreen(): boolean {
    return this.hasTerminal && !this.isQuiet && !this.isJson;
  }

  get isResultShown(): boolean {
    return this.#io.stdout.isTTY === true;
  }

  get columns(): number {
    return this.#io.stderr.columns || 80;
  }

  get stdin(): Io['stdin'] {
    return this.#io.stdin;
  }

  /** Writes a result to stdout. Resolves when more may follow. */
  async result(text: string): Promise<void> {
    const written = this.isResultShown ? withEscapes(text) : text;
    if (!this.#io.stdout.write(written)) await once(this.#io.stdout, 'drain');
  }

  /** Something to know: not with `--quiet`. */
  say(text: string): void {
    if (!this.isQuiet) this.#io.stderr.write(`${text}\n`);
  }

  /** Only for somebody who looks. */
  show(text: string): void {
    if (this.hasScreen) this.#io.stderr.write(`${text}\n`);
  }

  /** Why it did not work: always. */
  complain(text: string): void {
    this.#io.stderr.write(`${text}\n`);
  }

  /** As it is, for lines that are drawn again. */
  draw(text: string): void {
    this.#io.stderr.write(text);
  }
}
