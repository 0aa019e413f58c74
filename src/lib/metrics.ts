import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export type { Counter, Histogram };

/** Label values must come from a bounded set, because each combination is stored. */
export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

/** Called when Prometheus scrapes. Must be fast, so it must not wait for the database. */
export type ReadSamples = () => readonly Sample[];

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Each service has a registry of its own, because several may run in one process. */
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

  /** Adds a gauge whose values are read at each scrape. */
  readGauge(name: string, help: string, labelNames: readonly string[], read: ReadSamples): void {
    const collect = (): void => replaceSamples(gauge, read, (labels, value) => gauge.set(labels, value));
    const gauge: Gauge = new Gauge({ name, help, labelNames, registers: [this.#registry], collect });
  }

  /** Adds a counter that is counted elsewhere. Its values are read at each scrape. */
  readCounter(name: string, help: string, labelNames: readonly string[], read: ReadSamples): void {
    const collect = (): void => replaceSamples(counter, read, (labels, value) => counter.inc(labels, value));
    const counter: Counter = new Counter({ name, help, labelNames, registers: [this.#registry], collect });
  }

  /** Returns all metrics in the Prometheus text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

/** Removes the values of the previous scrape, so that label values that no longer exist disappear. */
function replaceSamples(
  metric: { reset(): void; remove(labels: Record<string, string>): void },
  read: ReadSamples,
  write: (labels: Record<string, string>, value: number) => void,
): void {
  metric.reset();
  // After `reset`, prom-client reports 0 for a metric without labels.
  metric.remove({});
  for (const { labels = {}, value } of read()) write({ ...labels }, value);
}
