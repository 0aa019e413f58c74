import { AppError } from '../../lib/errors.ts';
import type { Counter, Metrics } from '../../lib/metrics.ts';
import type { OutcomeCounts } from '../resolve/outcome.ts';

export class StreamMeter {
  readonly #lines: Counter<'outcome' | 'dry_run'>;
  readonly #ended: Counter<'result'>;
  #running = 0;
  #chunks = 0;

  constructor(metrics: Metrics) {
    this.#lines = metrics.counter(
      'user_import_stream_lines_total',
      'Lines of bulk imports by outcome. Lines of an earlier run that are sent again count again.',
      ['outcome', 'dry_run'],
    );
    this.#ended = metrics.counter(
      'user_import_streams_ended_total',
      'Streams of bulk imports that ended: finished, failed (the service or its database could not go on), or broken_off.',
      ['result'],
    );
    for (const result of ['finished', 'failed', 'broken_off']) this.#ended.inc({ result }, 0);
    metrics.read('user_import_streams_running', 'Streams of bulk imports in progress.', () => [
      [this.#running],
    ]);
    metrics.read('user_import_stream_chunks_in_flight', 'Chunks of lines that are being written.', () => [
      [this.#chunks],
    ]);
  }

  begin(): void {
    this.#running += 1;
  }

  /** @param error the reason why the stream ended early, if it did */
  end(error?: unknown): void {
    this.#running -= 1;
    if (error === undefined) this.#ended.inc({ result: 'finished' });
    else this.#ended.inc({ result: isOwnFailure(error) ? 'failed' : 'broken_off' });
  }

  async chunk<T extends { counts: OutcomeCounts }>(isDryRun: boolean, work: () => Promise<T>): Promise<T> {
    this.#chunks += 1;
    try {
      const result = await work();
      for (const [outcome, lines] of Object.entries(result.counts))
        this.#lines.inc({ outcome, dry_run: String(isDryRun) }, lines);
      return result;
    } finally {
      this.#chunks -= 1;
    }
  }
}

/**
 * Returns whether the service or its database failed. A disconnect of the client or a stop of the service is no
 * failure.
 */
const isOwnFailure = (error: unknown) =>
  error instanceof AppError && error.status >= 500 && error.code !== 'SHUTTING_DOWN';
