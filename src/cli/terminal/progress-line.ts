import stringWidth from 'string-width';
import type { Terminal } from './terminal.ts';
import { durationText } from './text.ts';

const REDRAW_MS = 200;

interface Progress {
  amount: number;
  /** Share of the work that is done, from 0 to 1. */
  share?: number | undefined;
  /** Further counts, such as `imported 12`. The most important is first. */
  others?: readonly string[];
}

/**
 * A line that is redrawn in place, until the next text or the end of the command. Draws nothing without a terminal on
 * stderr, or with --quiet or --json.
 */
export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #title: string;
  readonly #say: (amount: number) => string;
  readonly #now: () => number;
  readonly #startedAtMs: number;
  /** Time of the last drawing. It starts as the time of creation, so that short work draws no line. */
  #drawnAtMs: number;

  /** @param say formats an amount: `12 rows` */
  constructor(
    terminal: Terminal,
    title: string,
    say: (amount: number) => string,
    now: () => number = () => performance.now(),
  ) {
    this.#terminal = terminal;
    this.#title = title;
    this.#say = say;
    this.#now = now;
    this.#startedAtMs = now();
    this.#drawnAtMs = this.#startedAtMs;
  }

  /** Redraws the line if the last drawing is long enough ago. `read` is called only then. */
  update(read: () => Progress): void {
    if (!this.#terminal.hasScreen) return;
    const now = this.#now();
    if (now - this.#drawnAtMs < REDRAW_MS) return;
    this.#drawnAtMs = now;
    const { amount, share, others = [] } = read();
    const ms = now - this.#startedAtMs;
    const perSecond = Math.round((amount * 1000) / ms);
    const percent = share === undefined ? '' : ` (${Math.floor(share * 100)}%)`;
    const parts = [`${this.#title} ${this.#say(amount)}${percent}`];
    if (perSecond > 0) parts.push(`${this.#say(perSecond)}/s`);
    if (share) parts.push(`${durationText((ms * (1 - share)) / share)} left`);
    this.#terminal.drawLine(fit([...parts, ...others], this.#terminal.columns - 1));
  }
}

function fit(parts: readonly string[], width: number): string {
  let line = '';
  for (const part of parts) {
    const longer = line === '' ? part : `${line} · ${part}`;
    if (stringWidth(longer) > width) break;
    line = longer;
  }
  return line === '' ? (parts[0] ?? '').slice(0, Math.max(0, width)) : line;
}
