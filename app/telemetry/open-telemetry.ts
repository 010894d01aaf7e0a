import { context, DiagLogLevel, diag } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { OtlpSettings } from '../../shared/config/otlp.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { MetricFamily } from '../../shared/telemetry/metric-families.js';
import type { SpanMaker } from '../../shared/telemetry/spans.js';
import { ServiceMetrics } from './otlp-metrics.js';
import { openTelemetrySpans } from './otlp-spans.js';

/** Traces and metrics on their way to a collector (OTLP over http/protobuf). */
export interface Telemetry {
  readonly spans: SpanMaker;
  /** Sends these metrics at each interval. */
  metrics(families: () => Promise<readonly MetricFamily[]>): void;
  /** Sends the remaining spans and metrics. */
  stop(): Promise<void>;
}

interface TelemetryDeps {
  readonly logger: Logger;
  readonly nowMs: () => number;
  /** The role of the process: `all`, `facade`, `ledger` … */
  readonly mode: string;
}

/** Opens the exporters. A collector that is away costs traces, never requests. */
export function openTelemetry(settings: OtlpSettings, { logger, nowMs, mode }: TelemetryDeps): Telemetry {
  const resource = resourceFromAttributes({ 'service.name': settings.serviceName, 'eas.mode': mode });
  const warn = (message: string): void => logger.warn({ telemetry: message.slice(0, 500) }, 'telemetry is not sent');
  const quiet = (): void => undefined;
  diag.setLogger({ error: warn, warn, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN);
  const { endpoint, headers } = settings;
  const exporting = (path: string) => ({ url: `${endpoint.replace(/\/$/, '')}/v1/${path}`, headers: { ...headers } });
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  const provider = new BasicTracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.sampleRatio) }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(exporting('traces')))],
  });
  const readers: PeriodicExportingMetricReader[] = [];
  return {
    spans: openTelemetrySpans(provider.getTracer('evidentiary-audit-service')),
    metrics: (families) => {
      const producer = new ServiceMetrics(families, resource, nowMs);
      const reader = new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(exporting('metrics')),
        exportIntervalMillis: settings.metricIntervalMs,
        exportTimeoutMillis: Math.min(settings.metricIntervalMs, 10_000),
      });
      reader.setMetricProducer(producer);
      readers.push(reader);
    },
    stop: async () => {
      await Promise.allSettled([provider.shutdown(), ...readers.map((reader) => reader.shutdown())]);
      context.disable();
      diag.disable();
    },
  };
}
