import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { eventually } from '../../support/eventually.js';
import { freshTenant } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { upload } from '../../vault/vault-kit.js';
import { appended, asked, said } from './analysis-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
});

afterAll(async () => service.stop());

const DAY_MS = 86_400_000;

describe('GET /v1/questions', () => {
  it('lists each question with name, title, explanation, query and described variables', async () => {
    const { http } = await freshTenant(service.operator, ['events:read']);
    const { json } = await http.get('/v1/questions');
    expect(json.items.map(({ name }: { name: string }) => name)).toEqual([
      'deniedAndAppealed',
      'withinTwoHops',
      'unmatchedRemittances',
      'memberTimeline',
      'exceptionsByKindAndAge',
      'overriddenDecisions',
      'denialsByProviderCodeProgramMonth',
      'claimConversation',
      'holdsAndMatters',
      'bundleCustody',
    ]);
    for (const { name, query, variables } of json.items) {
      const declared = [...query.split(')')[0].matchAll(/\$(\w+): (\w+!?)/g)].map(([, own, type]) => [own, type]);
      const listed = variables.map((variable: { name: string; type: string }) => [variable.name, variable.type]);
      expect([name, listed]).toEqual([name, query.includes('$') ? declared : []]);
    }
  });

  it('is closed without a key', async () => {
    expect((await service.operator.as(null).get('/v1/questions')).status).toBe(401);
  });

  it('lists only queries that the composed graph takes, within the limits of an ad-hoc query', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const examples = { member_id: 'M-1', claim: 'C-1', bundle_id: 'bdl_01JQ0000000000000000000001' };
    const { json } = await http.get('/v1/questions');
    for (const { name, query, variables } of json.items) {
      const given = variables.map((variable: { name: string }) => [variable.name, Object(examples)[variable.name]]);
      const answer = await http.post('/graphql', { query, variables: Object.fromEntries(given) });
      expect([name, answer.status, answer.json.errors]).toEqual([name, 200, undefined]);
    }
  });
});

describe('the saved question exceptionsByKindAndAge', () => {
  it('counts unresolved exceptions by kind and age in whole days', async () => {
    const { http, tenantId } = await freshTenant(service.operator, ['admin']);
    const conflict = (n: number) =>
      ['APPROVED', 'DENIED'].map((outcome) => said(`r-${n}`, { outcome, payload: { service: outcome } }));
    const ages = [0, 7, 8, 30, 31, 90, 91, 400];
    await http.post(
      '/v1/events',
      ages.flatMap((_, n) => conflict(n)),
    );
    const list = () => http.get('/v1/exceptions?kind=SOURCE_RECORD_CONFLICT');
    const { json } = await eventually(list, (answer) => answer.json.items.length === ages.length);
    const client = await new MongoClient(service.databaseUri).connect();
    try {
      const rows = client.db('eas').collection<{ _id: string }>('exceptions');
      for (const [n, days] of ages.entries()) {
        const created_at = new Date(Date.now() - days * DAY_MS - 60_000);
        await rows.updateOne({ _id: json.items[n].exception_id, tenant_id: tenantId }, { $set: { created_at } });
      }
    } finally {
      await client.close();
    }
    const { exceptionSummary } = await asked(http, 'exceptionsByKindAndAge');
    const counts = exceptionSummary.items.map(({ kind, age, count }: Record<string, unknown>) => [kind, age, count]);
    expect(counts).toEqual([
      ['SOURCE_RECORD_CONFLICT', 'DAYS_0_7', 2],
      ['SOURCE_RECORD_CONFLICT', 'DAYS_8_30', 2],
      ['SOURCE_RECORD_CONFLICT', 'DAYS_31_90', 2],
      ['SOURCE_RECORD_CONFLICT', 'OVER_90_DAYS', 2],
    ]);
    expect(exceptionSummary.count).toBe(8);
  });

  it('leaves out resolved exceptions', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    for (const outcome of ['APPROVED', 'DENIED']) await http.post('/v1/events', said('r', { outcome }));
    const list = () => http.get('/v1/exceptions');
    const { json } = await eventually(list, (answer) => answer.json.items.length === 1);
    const resolved = await http.post(`/v1/exceptions/${json.items[0].exception_id}/resolve`, { resolution: 'known' });
    expect(resolved.status).toBe(200);
    expect((await asked(http, 'exceptionsByKindAndAge')).exceptionSummary).toMatchObject({ count: 0, items: [] });
  });
});

describe('the saved question overriddenDecisions', () => {
  it('counts overrides by model and version, and lists the overridden decisions', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const decide = async (version: string): Promise<string> => {
      const body = {
        decision_type: 'OTHER',
        model: { name: 'triage', version },
        inputs: [version],
        recommendation: 'REFER',
      };
      return (await http.post('/v1/ai-decisions', body)).json.decision_id;
    };
    const first = await decide('1.0');
    await decide('1.0');
    await decide('2.0');
    const override = { outcome: 'APPROVE', reason: 'Documented.', overridden_by: 'dr-17' };
    expect((await http.post(`/v1/ai-decisions/${first}/override`, override)).status).toBe(200);
    const { aiDecisionSummary, aiDecisions } = await asked(http, 'overriddenDecisions');
    expect(aiDecisionSummary).toMatchObject({ count: 3, overridden: 1 });
    const versions = aiDecisionSummary.by_version.map((group: Record<string, unknown>) => [
      group['count'],
      group['overridden'],
      group['override_rate'],
    ]);
    expect(versions).toEqual([
      [2, 1, 0.5],
      [1, 0, 0],
    ]);
    expect(aiDecisions.items).toMatchObject([
      { decision_id: first, model: { version: '1.0' }, overrides: [{ outcome: 'APPROVE', overridden_by: 'dr-17' }] },
    ]);
  });
});

describe('saved questions about a member', () => {
  it('show the timeline with documents, what is within two hops, and the holds and matters', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const ids = await appended(http, [
      said('claim', { payload: { claim_id: 'C-1', carc: ['50'] } }),
      said('other', { member_id: 'M-2', payload: { claim_id: 'C-2' } }),
    ]);
    const file = await upload(http, 'Dear member,', { member_id: 'M-1', event_ids: JSON.stringify([ids['claim']]) });
    expect(file.status).toBe(200);
    const { document_id } = file.json;
    const matter = (await http.post('/v1/legal-matters', { name: 'Smith', kind: 'LITIGATION', member_ids: ['M-1'] }))
      .json;
    const hold = async (scope: object): Promise<string> =>
      (await http.post('/v1/legal-holds', { name: 'Keep', reason: 'Suit.', scope })).json.hold_id;
    const [ofMember, ofEvent, ofOther] = [
      await hold({ member_ids: ['M-1'] }),
      await hold({ event_ids: [ids['claim']] }),
      await hold({ member_ids: ['M-2'] }),
    ];

    const nodes = async (name: string): Promise<string[]> => {
      const { memberNeighborhood } = await asked(http, name, { member_id: 'M-1' });
      return (memberNeighborhood?.nodes ?? []).map(({ id }: { id: string }) => id).sort();
    };
    const touching = await eventually(
      () => nodes('holdsAndMatters'),
      (seen) => seen.length === 3,
    );
    expect(touching).toEqual([`hold:${ofMember}`, `hold:${ofEvent}`, `matter:${matter.matter_id}`].sort());
    const near = await eventually(
      () => nodes('withinTwoHops'),
      (seen) => seen.includes(`document:${document_id}`),
    );
    expect(near).toEqual(
      [
        'member:M-1',
        `event:${ids['claim']}`,
        `document:${document_id}`,
        'claim:claims/C-1',
        'code:CARC/50',
        ...touching,
      ].sort(),
    );
    expect(near).not.toContain(`hold:${ofOther}`);

    const { memberTimeline } = await asked(http, 'memberTimeline', { member_id: 'M-1' });
    const [identity] = memberTimeline.identities;
    expect(memberTimeline.identities).toHaveLength(1);
    expect(identity.timeline_events.items).toMatchObject([{ id: ids['claim'], record: { source_record_id: 'claim' } }]);
    expect(identity.timeline_documents.items).toMatchObject([{ id: document_id, kind: 'DOCUMENT' }]);
  });
});
