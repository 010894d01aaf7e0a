import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { LEAD_MACHINE, LEAD_STATUSES, type LeadStatus } from '../../../subgraphs/admin/leads/domain.js';
import { type EdgeKit, edgeKit } from '../../rest-facade/edge-kit.js';
import { freshTenant, type Http } from '../../support/http.js';

let kit: EdgeKit;
let operator: Http;
let http: Http;
let tenantId: string;

beforeAll(async () => {
  kit = await edgeKit();
  operator = (await kit.start()).operator;
  ({ http, tenantId } = await freshTenant(operator, ['admin']));
});

afterAll(() => kit.stop());

const CONTACT = { name: 'Wilhelmina Testperson', email: 'wilhelmina@example.test', preferred_channel: 'EMAIL' };
const SUMMARY = 'Wants help with an appeal about a knee.';
const FULL = {
  lead_type: 'APPEAL_HELP',
  source: 'web-form',
  contact: CONTACT,
  summary: SUMMARY,
  consent_to_contact: true,
};

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
const made = async (body: Record<string, unknown> = FULL, as = http): Promise<any> => {
  const answer = await as.post('/v1/leads', body);
  if (answer.status !== 200) throw new Error(`no lead: ${answer.text}`);
  return answer.json;
};
const patch = (id: string, body: unknown) => http.call(`/v1/leads/${id}`, { method: 'PATCH', body });
const BODIES: Readonly<Record<string, unknown>> = {
  convert: { converted_to: { kind: 'MATTER', id: 'mat_1' } },
  close: { reason: 'RESOLVED' },
};
const act = (id: string, action: string) => http.post(`/v1/leads/${id}/${action}`, BODIES[action] ?? {});

/** Steps that bring a new lead to a status. */
const WAY: Readonly<Record<LeadStatus, readonly string[]>> = {
  NEW: [],
  CONTACTED: ['contact'],
  QUALIFIED: ['contact', 'qualify'],
  CONVERTED: ['contact', 'qualify', 'convert'],
  CLOSED: ['close'],
};

async function leadThatIs(status: LeadStatus): Promise<string> {
  const { lead_id } = await made();
  for (const action of WAY[status]) expect((await act(lead_id, action)).status).toBe(200);
  return lead_id;
}

describe('/v1/leads', () => {
  it('creates, reads, changes and ends a lead, with every step in its history', async () => {
    const lead = await made();
    expect(lead).toMatchObject({
      lead_type: 'APPEAL_HELP',
      status: 'NEW',
      contact: CONTACT,
      summary: SUMMARY,
      consent_to_contact: true,
      allowed_actions: ['contact', 'close', 'update'],
      revision: 1,
    });
    expect((await http.get(`/v1/leads/${lead.lead_id}`)).json).toEqual(lead);
    const patched = await patch(lead.lead_id, { assigned_to: 'intake', summary: null, score: 70, revision: 1 });
    expect(patched.json).toMatchObject({
      assigned_to: 'intake',
      summary: null,
      score: 70,
      contact: CONTACT,
      revision: 2,
    });
    for (const action of WAY.CONVERTED) expect((await act(lead.lead_id, action)).status).toBe(200);
    const ended = (await http.get(`/v1/leads/${lead.lead_id}`)).json;
    expect(ended).toMatchObject({
      status: 'CONVERTED',
      converted_to: { kind: 'MATTER', id: 'mat_1' },
      allowed_actions: [],
    });
    expect(ended.history.map((step: { action: string; to: string }) => `${step.action} ${step.to}`)).toEqual([
      'create NEW',
      'update NEW',
      'contact CONTACTED',
      'qualify QUALIFIED',
      'convert CONVERTED',
    ]);
  });

  it('records each step in the ledger of the tenant', async () => {
    const { http: own } = await freshTenant(operator, ['admin']);
    const { lead_id } = await made(FULL, own);
    await own.post(`/v1/leads/${lead_id}/contact`, {});
    await own.post(`/v1/leads/${lead_id}/close`, { reason: 'UNREACHABLE' });
    const entries = await own.get('/v1/events?source_system=_records');
    const told = entries.json.items.map(
      (item: { event_type: string; outcome: string }) => `${item.event_type} ${item.outcome}`,
    );
    expect(told.sort()).toEqual(['lead.closed CLOSED', 'lead.contacted CONTACTED', 'lead.created NEW']);
    expect(entries.json.items[0].payload).toMatchObject({ lead_id, lead_type: 'APPEAL_HELP' });
    expect((await own.get('/v1/events')).json.items).toEqual([]);
    expect((await own.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });

  it('lists leads in pages by status, type, source and assignee', async () => {
    const { http: own } = await freshTenant(operator, ['admin']);
    const first = await made({ lead_type: 'FRAUD_TIP', source: 'hotline' }, own);
    const second = await made({ lead_type: 'PROSPECT', assigned_to: 'sales' }, own);
    await own.post(`/v1/leads/${second.lead_id}/contact`, {});
    const ids = async (query: string): Promise<string[]> =>
      (await own.get(`/v1/leads?${query}`)).json.items.map((item: { lead_id: string }) => item.lead_id);
    expect(await ids('status=CONTACTED')).toEqual([second.lead_id]);
    expect(await ids('lead_type=FRAUD_TIP')).toEqual([first.lead_id]);
    expect(await ids('source=hotline')).toEqual([first.lead_id]);
    expect(await ids('assigned_to=sales')).toEqual([second.lead_id]);
    const page = await own.get('/v1/leads?limit=1');
    expect(page.json.items[0].lead_id).toBe(second.lead_id);
    expect(await ids(`limit=1&cursor=${page.json.next_cursor}`)).toEqual([first.lead_id]);
  });

  it('requires a duplicate to name the original lead', async () => {
    const [first, second] = [await made(), await made()];
    const closed = await http.post(`/v1/leads/${second.lead_id}/close`, {
      reason: 'DUPLICATE',
      duplicate_of: first.lead_id,
    });
    expect(closed.json).toMatchObject({ status: 'CLOSED', close_reason: 'DUPLICATE', duplicate_of: first.lead_id });
  });
});

describe('/v1/leads returns 409', () => {
  const ACTIONS = ['contact', 'qualify', 'convert', 'close', 'update'] as const;

  it.each(LEAD_STATUSES.map((status) => [status]))(
    'for the actions that the state table forbids from %s',
    async (status) => {
      for (const action of ACTIONS) {
        const id = await leadThatIs(status);
        const answer = action === 'update' ? await patch(id, { score: 1 }) : await act(id, action);
        const allowed = allowedActions(LEAD_MACHINE, status);
        if (allowed.includes(action)) expect(`${action} ${answer.status}`).toBe(`${action} 200`);
        else {
          expect(answer).toMatchObject({ status: 409, json: { code: 'INVALID_TRANSITION', from: status, allowed } });
        }
      }
    },
  );

  it('for another revision than the current one', async () => {
    const { lead_id } = await made();
    expect((await patch(lead_id, { score: 1, revision: 9 })).json.code).toBe('CONFLICT');
  });

  it('for one of two concurrent steps', async () => {
    const { lead_id } = await made();
    const answers = await Promise.all([act(lead_id, 'contact'), act(lead_id, 'contact')]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
  });
});

describe('/v1/leads rejects', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['no type', {}, '/lead_type'],
    ['an unknown type', { lead_type: 'GOSSIP' }, '/lead_type'],
    ['an unknown member', { lead_type: 'PROSPECT', ssn: '1' }, '/ssn'],
    ['an unknown member of the contact', { lead_type: 'PROSPECT', contact: { age: 5 } }, '/contact/age'],
    [
      'a duplicate of no lead',
      { lead_type: 'PROSPECT', duplicate_of: 'led_01JQ0000000000000000000001' },
      '/duplicate_of',
    ],
  ])('%s', async (_what, body, path) => {
    const refused = await http.post('/v1/leads', body);
    expect(refused).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } });
    expect(refused.json.errors.map((fault: { path: string }) => fault.path)).toContain(path);
    expect(refused.text).not.toContain('GOSSIP');
  });

  it('a missing lead and an unknown action', async () => {
    expect((await http.get('/v1/leads/led_01JQ0000000000000000000001')).json.code).toBe('NOT_FOUND');
    expect((await act('nonsense', 'contact')).json.code).toBe('NOT_FOUND');
    expect((await act((await made()).lead_id, 'promote')).status).toBe(404);
  });

  it('a creation by a read-only key', async () => {
    const key = await operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'r', scopes: ['leads:read'] });
    const reader = http.as(key.json.api_key);
    expect((await reader.get('/v1/leads')).status).toBe(200);
    expect((await reader.post('/v1/leads', FULL)).json.code).toBe('FORBIDDEN');
  });
});

describe('personal data of a lead', () => {
  it('is in no database and no log as plain text', async () => {
    const { lead_id } = await made();
    await patch(lead_id, { contact: { ...CONTACT, phone: '+1-555-0100' } });
    await http.post('/v1/leads', { ...FULL, lead_type: 'NONE' });
    const { db } = await kit.server.connect('eas');
    let documents = 0;
    for (const { name } of await db.listCollections().toArray()) {
      for await (const document of db.collection(name).find({}, { raw: true })) {
        const bytes = Buffer.from(document as unknown as Uint8Array).toString('latin1');
        for (const text of ['Wilhelmina', 'wilhelmina@', 'knee', '555-0100']) expect(bytes).not.toContain(text);
        documents += 1;
      }
    }
    expect(documents).toBeGreaterThan(10);
    const log = kit.log();
    expect(log).toContain('/v1/leads');
    for (const text of ['Wilhelmina', 'wilhelmina@', 'knee', '555-0100']) expect(log).not.toContain(text);
  });

  it('cannot be decrypted as part of another lead', async () => {
    const [first, second] = [await made(), await made({ ...FULL, summary: 'Another.' })];
    const { db } = await kit.server.connect('eas');
    const rows = db.collection<{ _id: string; sealed: unknown }>('leads');
    const sealed = (await rows.findOne({ _id: first.lead_id }))?.sealed;
    await rows.updateOne({ _id: second.lead_id }, { $set: { sealed } });
    expect((await http.get(`/v1/leads/${second.lead_id}`)).json.code).toBe('INTERNAL');
    await rows.deleteOne({ _id: second.lead_id });
  });
});
