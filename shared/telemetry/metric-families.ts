import type { Registry } from 'prom-client';
import type { Figure } from './figures.js';

interface Point {
  readonly labels: Readonly<Record<string, string>>;
}

/** All values of one metric. */
export type MetricFamily = { readonly name: string; readonly help: string } & (
  | { readonly kind: 'counter' | 'gauge'; readonly points: readonly (Point & { readonly value: number })[] }
  | { readonly kind: 'histogram'; readonly points: readonly HistogramPoint[] }
);

interface HistogramPoint extends Point {
  readonly count: number;
  readonly sum: number;
  /** Upper bounds, without infinity. */
  readonly boundaries: readonly number[];
  /** Observations in each bucket, not added up; the last is above all bounds. */
  readonly counts: readonly number[];
}

interface Sample {
  readonly metricName?: string;
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
}

/** The metrics of a registry, and figures, which are counters. */
export async function familiesOf(
  registry: Registry,
  prefix: string,
  figures: readonly Figure[],
): Promise<readonly MetricFamily[]> {
  const metrics = await registry.getMetricsAsJSON();
  const registered = metrics.flatMap(({ name, help, type, values }): MetricFamily[] => {
    // The registry types its values by the kind of metric; their members are the same.
    const samples = values as readonly Sample[];
    const kind = String(type);
    if (kind === 'histogram') return [{ name, help, kind, points: histogramPoints(name, samples) }];
    if (kind !== 'counter' && kind !== 'gauge') return [];
    return [{ name, help, kind, points: samples.map(({ labels, value }) => ({ labels: textsOf(labels), value })) }];
  });
  const names = [...new Set(figures.map(({ name }) => name))];
  const counted = names.map((name): MetricFamily => {
    const points = figures.filter((figure) => figure.name === name);
    return { name: prefix + name, help: points[0]?.help ?? '', kind: 'counter', points };
  });
  return [...registered, ...counted];
}

const textsOf = (labels: Sample['labels']): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));

const UPPER_BOUND = 'le';

/** Prometheus adds buckets up: each counts all observations up to its bound. */
function histogramPoints(name: string, samples: readonly Sample[]): HistogramPoint[] {
  const points = new Map<string, { labels: Record<string, string>; buckets: [number, number][]; sum: number }>();
  for (const { metricName = name, labels, value } of samples) {
    const { [UPPER_BOUND]: bound, ...own } = textsOf(labels);
    const key = JSON.stringify(Object.entries(own).sort());
    const point = points.get(key) ?? { labels: own, buckets: [], sum: 0 };
    points.set(key, point);
    if (metricName.endsWith('_sum')) point.sum = value;
    else if (bound !== undefined)
      point.buckets.push([bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), value]);
  }
  return [...points.values()].map(({ labels, buckets, sum }) => {
    const sorted = buckets.sort(([a], [b]) => a - b);
    const boundaries = sorted.flatMap(([bound]) => (Number.isFinite(bound) ? [bound] : []));
    const counts = sorted.map(([, upTo], at) => upTo - (sorted[at - 1]?.[1] ?? 0));
    return { labels, sum, boundaries, counts, count: sorted.at(-1)?.[1] ?? 0 };
  });
}
