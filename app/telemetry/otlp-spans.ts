import {
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { OpenSpan, SpanMaker, SpanOptions } from '../../shared/telemetry/spans.js';

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;
/** W3C Trace Context, version 00. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Makes spans of OpenTelemetry. An error is recorded by its class alone, because its text may hold data. */
export function openTelemetrySpans(tracer: Tracer): SpanMaker {
  const optionsOf = ({ kind = 'internal', attributes = {} }: SpanOptions) => ({ kind: KINDS[kind], attributes });
  return {
    run: (options, work) => {
      const around = parentOf(options.parent);
      return tracer.startActiveSpan(options.name, optionsOf(options), around, async (span) => {
        try {
          return await work(openSpan(span));
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          span.setAttribute('error.type', error instanceof Error ? error.constructor.name : typeof error);
          throw error;
        } finally {
          span.end();
        }
      });
    },
    bind: () => {
      const around = context.active();
      return {
        record: ({ startMs, endMs, failed, ...options }) => {
          const span = tracer.startSpan(options.name, { ...optionsOf(options), startTime: startMs }, around);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(endMs);
        },
      };
    },
  };
}

function openSpan(span: Span): OpenSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    set: (attributes) => void span.setAttributes({ ...attributes }),
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
  };
}

function parentOf(header: string | undefined): Context {
  const around = context.active();
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return around;
  const traceFlags = Number.parseInt(flags ?? '', 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(around, { traceId, spanId, traceFlags, isRemote: true });
}
