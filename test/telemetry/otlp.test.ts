import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Counter, Histogram, Registry } from 'prom-client';
import { familiesOf } from '../../shared/telemetry/metric-families.js';
import { inSpan } from '../../shared/telemetry/spans.js';
import { eventually } from '../support/eventually.js';
import { freshTenant, Http } from '../support/http.js';
import { startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';
import { type Collector, type ReceivedSpan, startCollector } from './collector.js';

let folder: string;
let collector: Collector;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'otlp-'));
  collector = await startCollector();
});
afterAll(async () => {
  await collector.stop();
  await rm(folder, { recursive: true, force: true });
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

describe('telemetry over OTLP', () => {
  it('joins the trace of a caller from the route to the database, with its metrics, and holds no data', async () => {
    const service = await startServiceProcess(join(folder, 'data'), {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-test=given',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
    });
    const { http } = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['events:read', 'events:write']);
    const posted = await http.post(
      '/v1/events',
      {
        event_family: 'claim',
        event_type: 'claim_submitted',
        source_system: 'secret-sender',
        source_record_id: 'secret-record',
        member_id: 'secret-member',
        event_effective_timestamp: '2026-03-02T10:00:00Z',
        payload: { note: 'secret-note' },
      },
      { traceparent: `00-${TRACE}-${CALLER}-01` },
    );
    expect(posted.status).toBe(200);
    await http.get(`/v1/events/${posted.json.event_id}?member_id=secret-member`);
    await eventually(
      async () => collector.metricNames,
      (names) => names.has('eas_http_requests_total') && names.has('eas_http_request_duration_seconds'),
    );
    // A stop sends the spans that wait.
    expect(await service.stop()).toBe(0);
    const ofTrace = collector.spans.filter(({ traceId }) => traceId === TRACE);
    const route = ofTrace.find(({ name }) => name === 'POST /v1/events');
    expect(route).toMatchObject({
      parentId: CALLER,
      attributes: { 'http.request.method': 'POST', 'http.route': '/v1/events', 'http.response.status_code': 200 },
    });
    const byId = new Map(ofTrace.map((span) => [span.spanId, span]));
    const isBelow = (span: ReceivedSpan | undefined): boolean =>
      span !== undefined && (span.spanId === route?.spanId || isBelow(byId.get(span.parentId)));
    const operation = ofTrace.find(({ name }) => name.startsWith('mutation '));
    expect(isBelow(operation)).toBe(true);
    const commands = ofTrace.filter(({ attributes }) => attributes['db.system.name'] === 'mongodb');
    expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining([expect.stringMatching(/^insert \w/)]));
    expect(commands.every(isBelow)).toBe(true);
    expect([...collector.headers]).toEqual(['given']);
    expect(collector.text()).not.toMatch(/secret-(?:sender|record|member|note)/);
  });

  it('costs no request when the collector is away', async () => {
    const service = await startServiceProcess(join(folder, 'other'), {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
    });
    const { http } = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY));
    expect((await http.get('/v1/events')).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  it('runs work as it is where no traces are wanted', async () => {
    expect(await inSpan({ name: 'x' }, async (span) => span)).toBeNull();
  });
});

describe('the metrics of a registry for other exporters', () => {
  it('have each bucket on its own, and counters of figures', async () => {
    const registry = new Registry();
    const registers = [registry];
    const seconds = new Histogram({ name: 't_seconds', help: 'h', labelNames: ['a'], buckets: [1, 2], registers });
    for (const value of [0.5, 1.5, 1.6, 9]) seconds.observe({ a: 'x' }, value);
    new Counter({ name: 't_total', help: 'c', labelNames: ['a'], registers }).inc({ a: 'y' }, 3);
    const figure = { name: 'f_total', help: 'f', labels: { b: 'z' }, value: 7 };
    expect(await familiesOf(registry, 't_', [figure])).toEqual([
      {
        name: 't_seconds',
        help: 'h',
        kind: 'histogram',
        points: [{ labels: { a: 'x' }, count: 4, sum: 12.6, boundaries: [1, 2], counts: [1, 2, 1] }],
      },
      { name: 't_total', help: 'c', kind: 'counter', points: [{ labels: { a: 'y' }, value: 3 }] },
      { name: 't_f_total', help: 'f', kind: 'counter', points: [figure] },
    ]);
  });
});
