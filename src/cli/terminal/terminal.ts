import type { Readable, Writable } from 'node:stream';
import { hasErrno } from '../../lib/errors.ts';
import { writeError } from '../cli-error.ts';
import { type Paint, painter, wantsColours } from './colours.ts';
import { printableJson, printableLines } from './text.ts';

/** Streams, environment and signals of the process. Tests replace them. */
export interface Io {
  stdin: Readable & { isTTY?: boolean; fd?: number };
  stdout: Writable & { isTTY?: boolean; fd?: number };
  stderr: Writable & { isTTY?: boolean; fd?: number; columns?: number };
  env: NodeJS.ProcessEnv;
  /**
   * Registers a listener for SIGINT, SIGTERM and SIGHUP. It gets the usual exit code of the signal. Returns a
   * function that removes the listener.
   */
  onSignal(listener: (exitCode: number) => void): () => void;
  exit(exitCode: number): never;
}

export interface TerminalChoices {
  isQuiet: boolean;
  isJson: boolean;
}

/** Output of a command: results go to stdout, everything else to stderr. */
export class Terminal {
  readonly #io: Io;
  readonly isQuiet: boolean;
  readonly isJson: boolean;
  /** Colours for stderr. `paintResult` has the colours for stdout. */
  readonly paint: Paint;
  readonly paintResult: Paint;

  constructor(io: Io, { isQuiet, isJson }: TerminalChoices) {
    this.#io = io;
    this.isQuiet = isQuiet;
    this.isJson = isJson;
    this.paint = painter(wantsColours(io.stderr, io.env));
    this.paintResult = painter(!isJson && wantsColours(io.stdout, io.env));
  }

  /** Whether the operator can be asked questions, because stdin and stderr are a terminal. */
  get isInteractive(): boolean {
    return this.#io.stdin.isTTY === true && this.hasTerminal;
  }

  get hasTerminal(): boolean {
    return this.#io.stderr.isTTY === true;
  }

  /** Whether stderr is a terminal on which progress and tables may be shown. */
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
   * Writes the result of the command to stdout. Resolves when more may be written. Resolves to false if the
   * program that reads stdout has closed the pipe (`… head`), which is not a failure and does not change the
   * exit code.
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

  /** Writes a line to stderr unless --quiet is given. */
  say(text: string): void {
    if (!this.isQuiet) this.#io.stderr.write(`${text}\n`);
  }

  /**
   * Writes a warning to stderr unless --quiet is given. Control characters are removed, because the text may
   * contain names of hosts and files.
   */
  warn(text: string): void {
    this.say(this.paint.yellow(`Warning: ${printableLines(text)}`));
  }

  /** Writes a line to stderr if a person may see it there (`hasScreen`). */
  show(text: string): void {
    if (this.hasScreen) this.#io.stderr.write(`${text}\n`);
  }

  /**
   * Writes an error to stderr, even with --quiet. Control characters are removed, because the text may
   * contain names of files and columns.
   */
  complain(text: string): void {
    this.#io.stderr.write(`${this.paint.red(printableLines(text))}\n`);
  }

  /** Writes text to stderr as it is, for prompts and lines that are redrawn. */
  draw(text: string): void {
    this.#io.stderr.write(text);
  }
}
