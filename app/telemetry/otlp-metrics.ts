import { type HrTime, ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricFamily } from '../../shared/telemetry/metric-families.js';

/** Hands the service's metrics to an exporter of OpenTelemetry, as `GET /metrics` shows them. */
export class ServiceMetrics implements MetricProducer {
  readonly #families: () => Promise<readonly MetricFamily[]>;
  readonly #resource: Resource;
  readonly #startTime: HrTime;
  readonly #nowMs: () => number;

  constructor(families: () => Promise<readonly MetricFamily[]>, resource: Resource, nowMs: () => number) {
    this.#families = families;
    this.#resource = resource;
    this.#nowMs = nowMs;
    this.#startTime = hrTimeOf(nowMs());
  }

  async collect(): Promise<CollectionResult> {
    const times = { startTime: this.#startTime, endTime: hrTimeOf(this.#nowMs()) };
    const metrics = (await this.#families()).map((family) => metricOf(family, times));
    const scopeMetrics = [{ scope: { name: 'evidentiary-audit-service' }, metrics }];
    return { resourceMetrics: { resource: this.#resource, scopeMetrics }, errors: [] };
  }
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

const hrTimeOf = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];

function metricOf(family: MetricFamily, times: Times): MetricData {
  const { name, help: description } = family;
  const descriptor = { unit: '', valueType: ValueType.DOUBLE, name, description };
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  if (family.kind === 'histogram') {
    return {
      descriptor,
      aggregationTemporality,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: family.points.map(({ labels, count, sum, boundaries, counts }) => ({
        ...times,
        attributes: { ...labels },
        value: { count, sum, buckets: { boundaries: [...boundaries], counts: [...counts] } },
      })),
    };
  }
  const dataPoints = family.points.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  if (family.kind === 'counter') {
    return { descriptor, aggregationTemporality, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  }
  return { descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints };
}
