import type { FastifyBaseLogger } from 'fastify';
import type { AppError, ErrorCode } from '../../lib/errors.ts';

const INTERVAL_MS = 1000;

interface Repeats {
  count: number;
  timer: NodeJS.Timeout;
}

/**
 * Logs problems that affect many requests at once (overload, an unreachable database). The first of a kind is
 * logged immediately, further ones as a count once per second, because a line for each would add load at the
 * worst time.
 */
export class TroubleLog {
  readonly #logger: FastifyBaseLogger;
  readonly #repeats = new Map<ErrorCode, Repeats>();

  constructor(logger: FastifyBaseLogger) {
    this.#logger = logger;
  }

  add(error: AppError): void {
    const repeats = this.#repeats.get(error.code);
    if (repeats !== undefined) {
      repeats.count += 1;
      return;
    }
    this.#logger.error({ err: error, code: error.code }, error.message);
    this.#repeats.set(error.code, { count: 0, timer: this.#later(error) });
  }

  flush(): void {
    for (const [code, { timer, count }] of this.#repeats) {
      clearTimeout(timer);
      this.#repeats.delete(code);
      if (count > 0) this.#logger.error({ code, count }, 'more requests had the same problem');
    }
  }

  #later(error: AppError): NodeJS.Timeout {
    return setTimeout(() => {
      const { count = 0 } = this.#repeats.get(error.code) ?? {};
      if (count === 0) {
        this.#repeats.delete(error.code);
        return;
      }
      this.#logger.error({ code: error.code, count }, 'more requests had the same problem');
      this.#repeats.set(error.code, { count: 0, timer: this.#later(error) });
    }, INTERVAL_MS).unref();
  }
}
