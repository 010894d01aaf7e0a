import { Counter, Gauge, type Registry } from 'prom-client';
import type { JobsReport } from '../jobs/jobs-report.js';
import type { QueueFigures } from '../jobs/queue-counts.js';

/** Input of the metrics of background work. */
export interface JobsSource {
  /** Of this process, since its start. */
  figures(): readonly QueueFigures[];
  /** Of the deployment, as the database has it. */
  report(tenantId: null): Promise<JobsReport>;
}

const MS_PER_SECOND = 1_000;
/** Several metrics of one look share one report. */
const REPORT_FRESH_MS = 1_000;
const NOTHING_KNOWN: JobsReport = { queues: [], recurring: [] };

/** Read at each scrape. Each worker process reports the figures of the deployment: scrape one of them. */
export function jobMetrics(registry: Registry, prefix: string, source: JobsSource, nowMs: () => number): void {
  processMetrics(registry, prefix, source);
  let known: { readonly atMs: number; readonly report: Promise<JobsReport> } | undefined;
  const report = (): Promise<JobsReport> => {
    if (known === undefined || nowMs() - known.atMs > REPORT_FRESH_MS) {
      // The figures of the process are reported without the database too; health reports the outage.
      known = { atMs: nowMs(), report: source.report(null).catch(() => NOTHING_KNOWN) };
    }
    return known.report;
  };
  deploymentMetrics(registry, prefix, report, nowMs);
}

function processMetrics(registry: Registry, prefix: string, source: JobsSource): void {
  const registers = [registry];
  new Counter({
    name: `${prefix}job_rows_total`,
    help: 'Rows of work, by what became of them in this process.',
    labelNames: ['queue', 'fate'],
    registers,
    collect() {
      this.reset();
      for (const { queue, fates } of source.figures())
        for (const [fate, count] of Object.entries(fates)) this.inc({ queue, fate }, count);
    },
  });
  new Counter({
    name: `${prefix}job_handling_seconds_total`,
    help: 'Time that handlers took in this process.',
    labelNames: ['queue'],
    registers,
    collect() {
      this.reset();
      for (const { queue, handlingSeconds } of source.figures()) this.inc({ queue }, handlingSeconds);
    },
  });
  new Gauge({
    name: `${prefix}job_rows_running`,
    help: 'Rows with their handlers in this process.',
    labelNames: ['queue'],
    registers,
    collect() {
      for (const { queue, running } of source.figures()) this.set({ queue }, running);
    },
  });
}

function deploymentMetrics(
  registry: Registry,
  prefix: string,
  report: () => Promise<JobsReport>,
  nowMs: () => number,
): void {
  const registers = [registry];
  new Gauge({
    name: `${prefix}job_rows_waiting`,
    help: 'Rows in the deployment: due, scheduled, failed; counted up to 10,000.',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      for (const { name: queue, due, scheduled, failed } of (await report()).queues) {
        this.set({ queue, state: 'due' }, due);
        this.set({ queue, state: 'scheduled' }, scheduled);
        this.set({ queue, state: 'failed' }, failed);
      }
    },
  });
  new Gauge({
    name: `${prefix}job_oldest_due_seconds`,
    help: 'How long the oldest row that is due waits, in the deployment.',
    labelNames: ['queue'],
    registers,
    async collect() {
      for (const { name: queue, oldest_due_at } of (await report()).queues) {
        const waitsMs = oldest_due_at === null ? 0 : nowMs() - oldest_due_at.getTime();
        this.set({ queue }, Math.max(0, waitsMs) / MS_PER_SECOND);
      }
    },
  });
  new Gauge({
    name: `${prefix}job_recurring_failures`,
    help: 'Failures in a row of recurring work in the deployment.',
    labelNames: ['job'],
    registers,
    async collect() {
      for (const { name: job, failures } of (await report()).recurring) this.set({ job }, failures);
    },
  });
}
