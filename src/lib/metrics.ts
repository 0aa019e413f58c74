import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export type { Counter, Histogram };

/**
 * Values of the labels, in the order of their names, and the value. Labels must come from a bounded set, because each
 * combination is stored.
 */
export type Sample = readonly [...labels: string[], value: number];

/** Called when Prometheus scrapes. Must be fast, so it must not wait for the database. */
export type ReadSamples = () => readonly Sample[];

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Metrics of one service. Each service has a registry of its own, because several may run in one process. */
export class Metrics {
  readonly #registry = new Registry();

  counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  /** @param buckets upper bounds, in ascending order */
  histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.#registry] });
  }

  /**
   * Adds a metric whose values are read at each scrape: a counter if its name ends with `_total`, a gauge otherwise.
   * @param metric name and labels, such as `user_import_database_connections{pool,state}`
   */
  read(metric: string, help: string, read: ReadSamples): void {
    const [name = '', ...labelNames] = metric.split(/[{,}]/).filter((part) => part !== '');
    const collect = (): void => {
      // `reset` removes the values of the previous scrape, so that labels that no longer exist disappear. For a metric
      // without labels, prom-client then reports 0, which `remove` prevents.
      shown.reset();
      shown.remove({});
      for (const sample of read()) {
        const labels = Object.fromEntries(labelNames.map((label, index) => [label, String(sample[index])]));
        shown.inc(labels, Number(sample.at(-1)));
      }
    };
    const Kind = name.endsWith('_total') ? Counter : Gauge;
    const shown: Counter | Gauge = new Kind({
      ...{ name, help, labelNames, collect },
      registers: [this.#registry],
    });
  }

  /** Returns all metrics in the Prometheus text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
