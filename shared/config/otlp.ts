import { z } from 'zod';
import { type ConfigTable, entry, integer, secret, type ValuesOf } from './entry.js';

// The settings of telemetry. Their names and meanings are those of the OpenTelemetry specification, "OTLP exporter
// configuration" and "General SDK configuration".

/** `name=value` pairs, separated by commas, percent-encoded as in a Baggage header. */
const headerList = z.string().transform((text, context): Readonly<Record<string, string>> => {
  const pairs = text.split(',').map((part) => /^\s*([A-Za-z0-9-]+)\s*=\s*(.+?)\s*$/.exec(part));
  try {
    if (pairs.every((pair) => pair !== null)) {
      return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, decodeURIComponent(value)]));
    }
  } catch {
    // Reported below, as for text without pairs.
  }
  context.addIssue({ code: 'custom', message: 'pairs `name=value`, separated by commas' });
  return z.NEVER;
});

const ratio = z
  .string()
  .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, 'a number between 0 and 1')
  .transform(Number);

/** Variables of telemetry. */
export const OTLP_TABLE = {
  OTEL_EXPORTER_OTLP_ENDPOINT: entry(
    z.string().refine((text) => /^https?:\/\/./.test(text) && URL.canParse(text), 'an http or https address'),
    null,
    'Collector of traces and metrics (OTLP); nothing is sent by default.',
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: entry(z.enum(['http/protobuf']), 'http/protobuf', 'The only protocol: http/protobuf.'),
  OTEL_EXPORTER_OTLP_HEADERS: secret(entry(headerList, null, 'Headers for the collector, `name=value` with commas.')),
  OTEL_SERVICE_NAME: entry(z.string().min(1), 'evidentiary-audit-service', 'Name of the service in traces.'),
  OTEL_TRACES_SAMPLER_ARG: entry(ratio, '1', 'Share of requests that are traced, unless their caller decided.'),
  OTEL_METRIC_EXPORT_INTERVAL: entry(
    integer(1_000, 3_600_000),
    '60000',
    'Milliseconds between two sendings of metrics.',
  ),
} as const satisfies ConfigTable;

/** Where traces and metrics go. */
export interface OtlpSettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampleRatio: number;
  readonly metricIntervalMs: number;
}

/** Null where nothing is sent. */
export function otlpFrom(e: ValuesOf<typeof OTLP_TABLE>): OtlpSettings | null {
  if (e.OTEL_EXPORTER_OTLP_ENDPOINT === null) return null;
  return {
    endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: e.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: e.OTEL_SERVICE_NAME,
    sampleRatio: e.OTEL_TRACES_SAMPLER_ARG,
    metricIntervalMs: e.OTEL_METRIC_EXPORT_INTERVAL,
  };
}
