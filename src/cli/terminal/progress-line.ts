import stringWidth from 'string-width';
import type { Terminal } from './terminal.ts';
import { durationText } from './text.ts';

const REDRAW_MS = 200;
/** Time over which the shown rate (rows per second) is averaged. */
const RATE_WINDOW_MS = 5000;

interface Progress {
  amount: number;
  /** Share of the work that is done, from 0 to 1. */
  share?: number | undefined;
  /** Further counts, such as `imported 12`. The most important is first. */
  others?: readonly string[];
}

/** A line that is redrawn in place, until the next text or the end of the command. Draws nothing without a terminal on stderr, or with --quiet or --json. */
export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #title: string;
  readonly #say: (amount: number) => string;
  readonly #now: () => number;
  readonly #samples: { atMs: number; amount: number; share: number }[] = [];
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
    this.#drawnAtMs = now();
  }

  /** `read` is called only if the line is redrawn. */
  update(read: () => Progress): void {
    if (!this.#terminal.hasScreen) return;
    const now = this.#now();
    if (now - this.#drawnAtMs < REDRAW_MS) return;
    this.#drawnAtMs = now;
    const progress = read();
    const { amount, share } = progress;
    this.#samples.push({ atMs: now, amount, share: share ?? 0 });
    while ((this.#samples[1]?.atMs ?? now) < now - RATE_WINDOW_MS) this.#samples.shift();
    this.#terminal.drawLine(fit(this.#parts(progress), this.#terminal.columns - 1));
  }

  #parts({ amount, share, others = [] }: Progress): string[] {
    const say = this.#say;
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    const ms = first && last ? last.atMs - first.atMs : 0;
    const perSecond = first && ms > 0 ? ((amount - first.amount) * 1000) / ms : 0;
    const sharePerMs = first && ms > 0 ? ((share ?? 0) - first.share) / ms : 0;
    const left = share !== undefined && sharePerMs > 0 ? (1 - share) / sharePerMs : undefined;
    return [
      `${this.#title} ${say(amount)}${share === undefined ? '' : ` (${Math.floor(share * 100)}%)`}`,
      ...(perSecond > 0 ? [`${say(Math.round(perSecond))}/s`] : []),
      ...(left === undefined ? [] : [`${durationText(left)} left`]),
      ...others,
    ];
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
