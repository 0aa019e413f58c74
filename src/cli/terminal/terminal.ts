import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { hasErrno } from '../../lib/errors.ts';
import { writeError } from '../cli-error.ts';
import { printableJson, printableLines } from './text.ts';
import { type OutputLine, shellCommand, wrap } from './wrap.ts';

type Output = Writable & { isTTY?: boolean; fd?: number; columns?: number };

/** Streams, environment and signals of the process. Tests replace them. */
export interface Io {
  stdin: Readable & { isTTY?: boolean; fd?: number };
  stdout: Output;
  stderr: Output;
  env: NodeJS.ProcessEnv;
  /** Calls the listener with the usual exit code of SIGINT, SIGTERM or SIGHUP. Returns its remover. */
  onSignal(listener: (exitCode: number) => void): () => void;
  exit(exitCode: number): never;
}

/** Width of texts if the terminal does not report its own. */
const COLUMNS = 80;
/** Width of the help if stdout is no terminal. */
const HELP_COLUMNS = 100;

/** Output of a command: results go to stdout, everything else to stderr. Texts wrap to the width of a terminal. */
export class Terminal {
  readonly #io: Io;
  readonly isQuiet: boolean;
  readonly isJson: boolean;
  readonly paint: Paint;
  readonly #paintResult: Paint;
  #hasLine = false;

  constructor(io: Io, { isQuiet, isJson }: Pick<Terminal, 'isQuiet' | 'isJson'>) {
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
    return this.#io.stderr.columns || COLUMNS;
  }

  get stdin(): Io['stdin'] {
    return this.#io.stdin;
  }

  /**
   * Writes to stdout as it is. Resolves when more may be written. Resolves to false if the program that reads stdout has
   * closed the pipe (`… head`), which is no failure.
   * @throws {CliError} if stdout cannot be written
   */
  async result(text: string): Promise<boolean> {
    if (this.isResultShown) this.clearLine();
    const error = await new Promise<Error | null | undefined>((resolve) => {
      this.#io.stdout.write(this.isJson ? printableJson(text) : text, resolve);
    });
    if (error === null || error === undefined) return true;
    if (hasErrno(error, 'EPIPE')) return false;
    throw writeError('stdout', error);
  }

  /** Shows the result of a command as JSON with --json, and otherwise as lines of text. Resolves as `result`. */
  answer(json: object, lines: (paint: Paint) => readonly string[]): Promise<boolean> {
    if (this.isJson) return this.result(`${JSON.stringify(json)}\n`);
    return this.result(`${fit(lines(this.#paintResult).join('\n'), this.#io.stdout)}\n`);
  }

  /**
   * Shows what the command has done, in the same way as `answer`, but not with --quiet, unless --json is given as well.
   */
  async done(json: object, lines: (paint: Paint) => readonly string[]): Promise<void> {
    if (this.isJson || !this.isQuiet) await this.answer(json, lines);
  }

  help(lines: readonly OutputLine[]): Promise<boolean> {
    const { isTTY, columns } = this.#io.stdout;
    const width = isTTY ? columns || COLUMNS : HELP_COLUMNS;
    return this.result(lines.map((line) => `${wrap(line, width)}\n`).join(''));
  }

  say(line: OutputLine): void {
    if (!this.isQuiet) this.#drawText(`${fit(line, this.#io.stderr)}\n`);
  }

  /**
   * Says what the operator may do next, as a command that can be pasted.
   * @param when condition for the command, as words that are shown before it
   */
  next(args: readonly string[], when?: string): void {
    if (!this.isJson) this.say(shellCommand(`Next${when === undefined ? '' : `, ${when}`}: `, args));
  }

  /** Shows a warning. Control characters are removed, because the text may contain names of hosts and files. */
  warn(text: string): void {
    this.say(this.paint.yellow(`Warning: ${printableLines(text)}`));
  }

  show(line: OutputLine): void {
    if (this.hasScreen) this.say(line);
  }

  /**
   * Shows an error, even with --quiet. Control characters are removed, because the text may contain names of files and
   * columns.
   */
  complain(text: string): void {
    this.draw(`${this.paint.red(printableLines(text))}\n`);
  }

  /** Writes text to stderr, in place of the line of progress. */
  draw(text: string): void {
    this.#drawText(fit(text, this.#io.stderr));
  }

  #drawText(text: string): void {
    this.clearLine();
    this.#io.stderr.write(text);
  }

  /** Draws a line that the next text replaces. */
  drawLine(text: string): void {
    this.#io.stderr.write(`\r${text}\x1b[K`);
    this.#hasLine = true;
  }

  clearLine(): void {
    if (this.#hasLine) this.#io.stderr.write('\r\x1b[K');
    this.#hasLine = false;
  }
}

/** Wraps a line to the width of a terminal. Output that goes to a file or a program is not wrapped. */
const fit = (line: OutputLine, { isTTY, columns }: Output): string =>
  wrap(line, isTTY ? columns || COLUMNS : Number.POSITIVE_INFINITY);

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow'] as const;

export type Paint = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>;

const painter = (isColourful: boolean): Paint =>
  Object.fromEntries(
    STYLES.map((style) => [
      style,
      (text: string) => (isColourful ? styleText(style, text, { validateStream: false }) : text),
    ]),
  ) as Paint;

/** https://no-color.org and https://force-color.org. FORCE_COLOR wins over NO_COLOR, as in Node.js. */
function wantsColours(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && !NO_COLOR && TERM !== 'dumb';
}
