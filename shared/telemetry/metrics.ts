import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { IdempotencyOutcome } from '../idempotency/idempotency.js';
import { type Figure, figuresText } from './figures.js';
import { type JobsSource, jobMetrics } from './job-metrics.js';
import { familiesOf, type MetricFamily } from './metric-families.js';

/** One answered request. */
interface RequestSample {
  readonly area: string;
  /** The route's pattern, never the address. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

interface IngestCounts {
  readonly accepted: number;
  readonly duplicated: number;
  readonly rejected: number;
}

/** A value that is read at each scrape. */
export interface MetricGauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | Promise<number>;
}

/** Something that waits in this process. */
export interface QueueDepth {
  readonly queue: string;
  readonly depth: number;
}

/** Counts for operators. No label holds a tenant, a key or an identifier: those are in the log. */
export interface Metrics {
  request(sample: RequestSample): void;
  ingested(kind: 'json' | 'raw', counts: IngestCounts): void;
  idempotency(outcome: IdempotencyOutcome): void;
  limited(by: 'tenant' | 'address'): void;
  limitStoreAway(): void;
  /** Work for an answer stopped, because its client left. */
  stopped(area: string): void;
  /** A value that is read at each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Queues of this process, read at each scrape; they may change. */
  queues(read: () => readonly QueueDepth[]): void;
  /** Counters of parts that count for themselves. */
  figures(read: () => readonly Figure[]): void;
  /** Adds background work, in a process that does it. */
  jobs(source: JobsSource): void;
  /** Prometheus's text form, version 0.0.4. */
  text(): Promise<string>;
  /** The same values, for other exporters. */
  families(): Promise<readonly MetricFamily[]>;
  stop(): void;
}

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

const PREFIX = 'eas_';
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const LAG_RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

export function prometheusMetrics(): Metrics {
  const registry = new Registry();
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name: PREFIX + name, help, labelNames, registers: [registry] });
  const requests = counter('http_requests_total', 'Requests answered.', ['area', 'route', 'method', 'status']);
  const seconds = new Histogram({
    name: `${PREFIX}http_request_duration_seconds`,
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['area', 'method'],
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  });
  const ingested = counter('ingest_events_total', 'Events that came in.', ['kind', 'outcome']);
  const keyed = counter('idempotency_total', 'Requests with an Idempotency-Key.', ['outcome']);
  const limited = counter('rate_limited_total', 'Requests refused.', ['by']);
  const away = counter('rate_limit_store_away_total', 'Times that the store of rate limits was slow or absent.', []);
  const stopped = counter('reads_stopped_total', 'Reads that stopped because their client left.', ['area']);
  const readers: (() => readonly Figure[])[] = [];
  const gauge: Metrics['gauge'] = (name, help, read) => {
    new Gauge({
      name: PREFIX + name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read());
      },
    });
  };
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  lag.enable();
  processGauges(gauge, lag);
  return {
    request: ({ area, route, method, status, seconds: taken }) => {
      requests.inc({ area, route, method, status });
      seconds.observe({ area, method }, taken);
    },
    ingested: (kind, { accepted, duplicated, rejected }) => {
      ingested.inc({ kind, outcome: 'accepted' }, accepted);
      ingested.inc({ kind, outcome: 'duplicated' }, duplicated);
      ingested.inc({ kind, outcome: 'rejected' }, rejected);
    },
    idempotency: (outcome) => keyed.inc({ outcome }),
    limited: (by) => limited.inc({ by }),
    limitStoreAway: () => away.inc(),
    stopped: (area) => stopped.inc({ area }),
    gauge,
    queues: (read) => {
      new Gauge({
        name: `${PREFIX}queue_depth`,
        help: 'What waits in this process.',
        labelNames: ['queue'],
        registers: [registry],
        collect() {
          for (const { queue, depth } of read()) this.set({ queue }, depth);
        },
      });
    },
    jobs: (source) => jobMetrics(registry, PREFIX, source, () => Date.now()),
    figures: (read) => readers.push(read),
    text: async () =>
      (await registry.metrics()) +
      figuresText(
        PREFIX,
        readers.flatMap((read) => read()),
      ),
    families: () =>
      familiesOf(
        registry,
        PREFIX,
        readers.flatMap((read) => read()),
      ),
    stop: () => lag.disable(),
  };
}

/** The event loop's lag since the last look, and what the process takes. */
function processGauges(gauge: Metrics['gauge'], lag: IntervalHistogram): void {
  gauge('event_loop_lag_p99_seconds', 'Lag of the event loop since the last look, 99th percentile.', () => {
    const value = lag.percentile(99) / NS_PER_SECOND;
    lag.reset();
    return Number.isFinite(value) ? value : 0;
  });
  gauge('process_resident_memory_bytes', 'Memory held.', () => process.memoryUsage.rss());
  gauge('process_cpu_seconds', 'CPU taken since the start.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  gauge('process_uptime_seconds', 'Since the start.', () => process.uptime());
}
