import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { freshTenant } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { said } from '../analysis/analysis-kit.js';
import { graph } from './query-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
});

afterAll(async () => service.stop());

const DAY_MS = 86_400_000;

describe('the field exceptionAggregate', () => {
  const QUERY = `query Q($by: [ExceptionDimension!]!, $from: String) {
    exceptionAggregate(by: $by, from: $from, limit: 20) {
      count truncated items { kind status severity month count resolved days_to_resolution }
    }
  }`;

  it('counts exceptions by kind, status and month, and measures the days to resolution', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const conflict = (n: number) =>
      ['APPROVED', 'DENIED'].map((outcome) => said(`r-${n}`, { outcome, payload: { service: outcome } }));
    await http.post('/v1/events', [0, 1, 2].flatMap(conflict));
    const list = () => http.get('/v1/exceptions?kind=SOURCE_RECORD_CONFLICT');
    const { json } = await eventually(list, (answer) => answer.json.items.length === 3);
    const [first] = json.items;
    await http.post(`/v1/exceptions/${first.exception_id}/resolve`, { resolution: 'CORRECTED_AT_SOURCE' });
    const month = first.created_at.slice(0, 7);
    const ask = async (variables: object) => (await graph(http, QUERY, variables)).exceptionAggregate;
    const byStatus = await ask({ by: ['KIND', 'STATUS', 'MONTH'] });
    const group = { kind: 'SOURCE_RECORD_CONFLICT', severity: null, month };
    expect(byStatus).toEqual({
      count: 3,
      truncated: false,
      items: [
        { ...group, status: 'OPEN', count: 2, resolved: 0, days_to_resolution: null },
        { ...group, status: 'RESOLVED', count: 1, resolved: 1, days_to_resolution: expect.any(Number) },
      ],
    });
    const resolved = (await http.get(`/v1/exceptions/${first.exception_id}`)).json;
    const days = (Date.parse(resolved.resolved_at) - Date.parse(resolved.created_at)) / DAY_MS;
    expect(byStatus.items[1].days_to_resolution).toBeCloseTo(days, 3);
    expect((await ask({ by: [] })).items).toMatchObject([{ kind: null, count: 3, resolved: 1 }]);
    expect(await ask({ by: ['KIND'], from: '2999-01-01T00:00:00Z' })).toEqual({
      count: 0,
      truncated: false,
      items: [],
    });
    const { http: other } = await freshTenant(service.operator, ['admin']);
    expect((await graph(other, QUERY, { by: ['KIND'] })).exceptionAggregate.count).toBe(0);
  });
});

describe('the field aiDecisionAggregate', () => {
  const QUERY = `query Q($by: [AiDecisionDimension!]!, $from: String, $to: String) {
    aiDecisionAggregate(by: $by, from: $from, to: $to, limit: 20) {
      count items { model_name model_version recommendation month count overridden override_rate }
    }
  }`;

  it('counts decisions by version and month, and measures the share of overridden ones', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const decide = async (version: string, decided_at: string) => {
      const { json } = await http.post('/v1/ai-decisions', {
        decision_type: 'OTHER',
        model: { name: 'triage', version },
        inputs: [version, decided_at],
        recommendation: 'REFER',
        decided_at,
      });
      expect(json).toHaveProperty('decision_id');
      return json.decision_id as string;
    };
    const id = await decide('1', '2026-03-02T00:00:00Z');
    await decide('1', '2026-03-31T23:59:59Z');
    await decide('2', '2026-04-01T00:00:00Z');
    const override = { outcome: 'APPROVE', reason: 'It was documented.', overridden_by: 'dr-18', credentials: 'MD' };
    expect((await http.post(`/v1/ai-decisions/${id}/override`, override)).status).toBeLessThan(300);
    const ask = async (variables: object) => (await graph(http, QUERY, variables)).aiDecisionAggregate;
    const none = { model_name: null, recommendation: null };
    expect(await ask({ by: ['MODEL_VERSION', 'MONTH'] })).toEqual({
      count: 3,
      items: [
        { ...none, model_version: '1', month: '2026-03', count: 2, overridden: 1, override_rate: 0.5 },
        { ...none, model_version: '2', month: '2026-04', count: 1, overridden: 0, override_rate: 0 },
      ],
    });
    const march = { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' };
    expect(await ask({ by: [], ...march })).toMatchObject({ count: 2, items: [{ count: 2, model_version: null }] });
    const { http: other } = await freshTenant(service.operator, ['admin']);
    expect((await graph(other, QUERY, { by: [] })).aiDecisionAggregate).toEqual({ count: 0, items: [] });
  });
});
