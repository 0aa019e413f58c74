import type { Readable, Writable } from 'node:stream';
import { hasErrno } from '../../lib/errors.ts';
import { writeError } from '../cli-error.ts';
import { printableJson, printableLines } from './text.ts';

/** Streams, environment and signals of the process. Tests replace them. */
export interface Io {
  stdin: Readable & { isTTY?: boolean; fd?: number };
  stdout: Writable & { isTTY?: boolean; fd?: number };
  stderr: Writable & { isTTY?: boolean; fd?: number; columns?: number };
  env: NodeJS.ProcessEnv;
  /** Calls the listener with the usual exit code of SIGINT, SIGTERM or SIGHUP. Returns its remover. */
  onSignal(listener: (exitCode: number) => void): () => void;
  exit(exitCode: number): never;
}

interface TerminalChoices {
  isQuiet: boolean;
  isJson: boolean;
}

/** Output of a command: results go to stdout, everything else to stderr. */
export class Terminal {
  readonly #io: Io;
  readonly isQuiet: boolean;
  readonly isJson: boolean;
  readonly paint: Paint;
  readonly #paintResult: Paint;

  constructor(io: Io, { isQuiet, isJson }: TerminalChoices) {
    this.#io = io;
    this.isQuiet = isQuiet;
    this.isJson = isJson;
    this.paint = painter(wantsColours(io.stderr, io.env));
    this.#paintResult = painter(!isJson && wantsColours(io.stdout, io.env));
  }

  get isInteractive(): boolean {
    return this.#io.stdin.isTTY === true && this.hasTerminal;
  }

  get hasTerminal(): boolean {
    return this.#io.stderr.isTTY === true;
  }

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

  /**
   * Resolves when more may be written. Resolves to false if the program that reads stdout has closed the pipe
   * (`… head`), which is no failure.
   * @throws {CliError} if stdout cannot be written
   */
  async result(text: string): Promise<boolean> {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      this.#io.stdout.write(this.isJson ? printableJson(text) : text, resolve);
    });
    if (error === null || error === undefined) return true;
    if (hasErrno(error, 'EPIPE')) return false;
    throw writeError('stdout', error);
  }

  /** Shows the result of a command as JSON with --json, and otherwise as text. Resolves as `result`. */
  answer(json: object, text: (paint: Paint) => string): Promise<boolean> {
    return this.result(this.isJson ? `${JSON.stringify(json)}\n` : text(this.#paintResult));
  }

  say(text: string): void {
    if (!this.isQuiet) this.#io.stderr.write(`${text}\n`);
  }

  /** Removes control characters, because the text may contain names of hosts and files. */
  warn(text: string): void {
    this.say(this.paint.yellow(`Warning: ${printableLines(text)}`));
  }

  show(text: string): void {
    if (this.hasScreen) this.#io.stderr.write(`${text}\n`);
  }

  /** Writes even with --quiet. Control characters of names of files and columns are removed. */
  complain(text: string): void {
    this.#io.stderr.write(`${this.paint.red(printableLines(text))}\n`);
  }

  /** Writes text to stderr as it is, for prompts and lines that are redrawn. */
  draw(text: string): void {
    this.#io.stderr.write(text);
  }
}

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

export type Paint = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

function painter(isColourful: boolean): Paint {
  const paint = ([on, off]: readonly [number, number]) =>
    isColourful ? (text: string) => `\x1b[${on}m${text}\x1b[${off}m` : (text: string) => text;
  return {
    bold: paint(CODES.bold),
    dim: paint(CODES.dim),
    red: paint(CODES.red),
    green: paint(CODES.green),
    yellow: paint(CODES.yellow),
  };
}

/** https://no-color.org and https://force-color.org. FORCE_COLOR wins over NO_COLOR, as in Node.js. */
function wantsColours(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && !NO_COLOR && TERM !== 'dumb';
}
