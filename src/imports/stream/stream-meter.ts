import type { Counter, Metrics } from '../../lib/metrics.ts';
import type { OutcomeCounts } from '../resolve/outcome.ts';

/** Counts what the streams of bulk imports do at this instance. */
export class StreamMeter {
  readonly #lines: Counter<'outcome' | 'dry_run'>;
  #running = 0;
  #chunks = 0;

  constructor(metrics: Metrics) {
    this.#lines = metrics.counter(
      'user_import_stream_lines_total',
      'Lines of bulk imports by outcome. Lines of an earlier run that are sent again count again.',
      ['outcome', 'dry_run'],
    );
    metrics.readGauge('user_import_streams_running', 'Streams of bulk imports in progress.', [], () => [
      { value: this.#running },
    ]);
    metrics.readGauge(
      'user_import_stream_chunks_in_flight',
      'Chunks of lines that are being written.',
      [],
      () => [{ value: this.#chunks }],
    );
  }

  begin(): void {
    this.#running += 1;
  }

  end(): void {
    this.#running -= 1;
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
