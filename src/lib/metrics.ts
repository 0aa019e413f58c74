/** Name and value of each label of a sample. Values must come from a bounded set. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Appended to the name of the family, such as `_bucket`. */
  suffix?: string;
  labels?: Labels;
  value: number;
}

/** Samples of one name, in the words of the Prometheus text format. */
export interface MetricFamily {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: readonly Sample[];
}

/** Returns families whose values are read when they are scraped. */
export type Collect = () => readonly MetricFamily[];

/** Content type of the Prometheus text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** All metrics of a service. */
export class Metrics {
  readonly #collectors: Collect[] = [];

  /** Adds families that are read at each scrape. Reading must be cheap: it must not wait for the database. */
  collect(collect: Collect): void {
    this.#collectors.push(collect);
  }

  counter(name: string, help: string): Counter {
    const counter = new Counter(name, help);
    this.collect(() => [counter.family()]);
    return counter;
  }

  /** @param bounds upper bounds of the buckets, in ascending order */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const histogram = new Histogram(name, help, bounds);
    this.collect(() => [histogram.family()]);
    return histogram;
  }

  /** Returns all metrics in the Prometheus text format. */
  text(): string {
    return this.#collectors
      .flatMap((collect) => collect())
      .map(familyText)
      .join('');
  }
}

/** Keeps one value for each combination of labels. The key of a combination is made without the names of the labels. */
class Series<Value> {
  readonly #series = new Map<string, { labels: Labels; value: Value }>();
  readonly #make: () => Value;

  constructor(make: () => Value) {
    this.#make = make;
  }

  of(labels: Labels): { labels: Labels; value: Value } {
    let key = '';
    for (const name in labels) key += `${labels[name]}\0`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels: { ...labels }, value: this.#make() };
      this.#series.set(key, series);
    }
    return series;
  }

  all() {
    return [...this.#series.values()];
  }
}

/** A number that only grows, by labels. All calls must name the same labels in the same order. */
export class Counter {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Series(() => 0);

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels, by = 1): void {
    this.#series.of(labels).value += by;
  }

  family(): MetricFamily {
    const samples = this.#series.all().map(({ labels, value }) => ({ labels, value }));
    return { name: this.#name, help: this.#help, type: 'counter', samples };
  }
}

/** Counts of observed values by bucket, by labels. All calls must name the same labels in the same order. */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series: Series<{ buckets: number[]; sum: number }>;

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
    // The last bucket has no bound.
    this.#series = new Series(() => ({ buckets: new Array<number>(bounds.length + 1).fill(0), sum: 0 }));
  }

  observe(labels: Labels, value: number): void {
    const { value: counts } = this.#series.of(labels);
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket += 1;
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
    counts.sum += value;
  }

  family(): MetricFamily {
    const samples = this.#series.all().flatMap(({ labels, value: { buckets, sum } }) => {
      let count = 0;
      const cumulative = buckets.map((inBucket, index) => {
        count += inBucket;
        return {
          suffix: '_bucket',
          labels: { ...labels, le: String(this.#bounds[index] ?? '+Inf') },
          value: count,
        };
      });
      return [
        ...cumulative,
        { suffix: '_sum', labels, value: sum },
        { suffix: '_count', labels, value: count },
      ];
    });
    return { name: this.#name, help: this.#help, type: 'histogram', samples };
  }
}

/** Returns a family with one value that can rise and fall, or several by labels. */
export const gauge = (name: string, help: string, value: number | readonly Sample[]): MetricFamily => ({
  name,
  help,
  type: 'gauge',
  samples: typeof value === 'number' ? [{ value }] : value,
});

function familyText({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map(({ suffix = '', labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join()}}` : ''} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

const escaped = (text: string) =>
  text.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
