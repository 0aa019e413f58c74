import type { Readable, Writable } from 'node:stream';
import { hasErrno } from '../../lib/errors.ts';
import { unwritable } from '../stopped.ts';
import { type Paint, painter, wantsColours } from './colours.ts';
import { printableJson, printableLines } from './text.ts';

/** What a process talks through; tests have their own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean; fd?: number };
  stdout: Writable & { isTTY?: boolean; fd?: number };
  stderr: Writable & { isTTY?: boolean; fd?: number; columns?: number };
  env: NodeJS.ProcessEnv;
  /**
   * Called for each SIGINT, SIGTERM and SIGHUP, with the exit code that is usual for it. Returns what ends
   * that.
   */
  onSignal(listener: (exitCode: number) => void): () => void;
  /** Ends the process at once. */
  exit(exitCode: number): never;
}

export interface TerminalChoices {
  isQuiet: boolean;
  isJson: boolean;
}

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

  /**
   * Writes a result to stdout. Resolves when more may follow, to false where whoever reads has enough (`… |
   * head`): that is no
   * failure, and changes nothing of how the work came out.
   * @throws {Stopped} where it cannot be written
   */
  async result(text: string): Promise<boolean> {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      this.#io.stdout.write(this.isJson ? printableJson(text) : text, resolve);
    });
    if (error === null || error === undefined) return true;
    if (hasErrno(error, 'EPIPE')) return false;
    throw unwritable('stdout', error);
  }

  /** Something to know: not with `--quiet`. */
  say(text: string): void {
    if (!this.isQuiet) this.#io.stderr.write(`${text}\n`);
  }

  /**
   * A danger, for as long as nobody has asked for quiet. It may name hosts and files, whose names anybody may
   * have chosen.
   */
  warn(text: string): void {
    this.say(this.paint.yellow(`Warning: ${printableLines(text)}`));
  }

  /** Only for somebody who looks. */
  show(text: string): void {
    if (this.hasScreen) this.#io.stderr.write(`${text}\n`);
  }

  /** Why it did not work: always. It may name files and columns, whose names anybody may have chosen. */
  complain(text: string): void {
    this.#io.stderr.write(`${this.paint.red(printableLines(text))}\n`);
  }

  /** As it is, for lines that are drawn again. */
  draw(text: string): void {
    this.#io.stderr.write(text);
  }
}
