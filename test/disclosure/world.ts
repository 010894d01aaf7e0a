import { keyed } from '../rest-facade/edge-kit.js';
import { eventually } from '../support/eventually.js';
import { type Answer, freshTenant, type Http } from '../support/http.js';
import { decisionOf } from '../support/records.js';
import { uploadScanned } from '../vault/vault-kit.js';
import { claimOf } from './claim.js';

/** Ids of the records that a question may name, by kind. */
export type Ids = Readonly<Record<string, string>>;

/** A tenant with one member. Its records contain a word that occurs nowhere else. */
export interface DisclosedWorld {
  readonly tenantId: string;
  readonly keyId: string;
  /** Holds `admin`, and not the scope for originals. */
  readonly clerk: Http;
  /** Applies redactions. */
  readonly counsel: Http;
  readonly marker: string;
  readonly member: string;
  readonly ids: Ids;
  /** Idempotency-Key headers of the writes and reads that disclosed the word, to send them again. */
  readonly keys: Readonly<Record<'event' | 'search' | 'recode' | 'denied', Readonly<Record<string, string>>>>;
}

/** Before every retention period of the policies of these suites. */
const LONG_AGO = '2010-03-02T14:11:09.123Z';
export const PURPOSE = 'RESEARCH';

/** The event of the world; sent again, it is a duplicate. */
export const eventOf = ({ marker, member }: Pick<DisclosedWorld, 'marker' | 'member'>) => ({
  event_family: 'claims',
  event_type: 'claim.denied',
  source_system: 'um-core',
  source_record_id: `REC-${marker}`,
  member_id: member,
  event_effective_timestamp: LONG_AGO,
  outcome: 'DENIED',
  payload: { rationale: `Seen by ${marker}.`, claim_id: 'CLM-1', carc: ['50'], diagnosis_codes: ['M54.50'] },
});

const POLICIES = ['claims', 'claim'].map((event_family) => ({ event_family, years: 6 }));

let worlds = 0;

/** Makes the records, and waits until the index, the graph, the scan and the bundle have them. */
export async function disclosedWorld(operator: Http, receiverUrl: string): Promise<DisclosedWorld> {
  worlds += 1;
  const marker = `Wilhelmina${worlds}x${Date.now().toString(36)}`;
  const member = 'M-1';
  const { tenantId, keyId, http: clerk } = await freshTenant(operator, ['admin']);
  const made = async (call: Promise<Answer>): Promise<Answer['json']> => {
    const answer = await call;
    if (answer.status > 201) throw new Error(`not made: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  const key = await made(
    operator.post('/v1/api-keys', {
      tenant_id: tenantId,
      name: 'counsel',
      scopes: ['redactions:apply', 'redactions:read'],
    }),
  );
  const keys = { event: keyed(), search: keyed(), recode: keyed(), denied: keyed() };
  const policies = [...POLICIES, { document_type: 'letter', years: 6 }];
  await made(clerk.call('/v1/retention-policies', { method: 'PUT', body: { policies } }));
  await made(clerk.post('/v1/members', { member_id: member, name: { family: 'Sample', given: ['Avery'] } }));
  const webhook = await made(clerk.post('/v1/webhooks', { url: receiverUrl, event_types: ['*'] }));
  const event = await made(clerk.post('/v1/events', eventOf({ marker, member }), keys.event));
  // Another state of the same record: the service reports the conflict as an exception.
  const rival = await made(clerk.post('/v1/events', { ...eventOf({ marker, member }), outcome: 'APPROVED' }));
  const ingest = await made(
    clerk.post('/v1/ingest/raw?source_system=claims', claimOf(marker, member), {
      'content-type': 'application/edi-x12',
    }),
  );
  const [rawEvent] = (await made(clerk.get('/v1/events?source_system=claims'))).items;
  const file = { bytes: Buffer.from(`Dear ${marker}, denied.`), filename: `${marker}.txt` };
  const fields = { member_id: member, document_type: 'letter', effective_at: LONG_AGO, tags: marker };
  const document = await made(uploadScanned(clerk, file, { ...fields, event_ids: [event.event_id] }));
  const decision = await made(clerk.post('/v1/ai-decisions', decisionOf('Reviewed.')));
  const carer = await made(clerk.post('/v1/care-team', { member_id: member, role: 'PCP', npi: '1234567893' }));
  const consent = await made(
    clerk.post('/v1/consent', { member_id: member, decision: 'PERMIT', purpose: 'TREATMENT' }),
  );
  const matter = await made(clerk.post('/v1/legal-matters', { name: 'Doe', kind: 'LITIGATION', member_ids: [member] }));
  const ids = {
    event: event.event_id,
    rival: rival.event_id,
    rawEvent: rawEvent.event_id,
    ingest: ingest.ingest_id,
    document: document.document_id,
    sha256: document.sha256,
    decision: decision.decision_id,
    carer: carer.care_team_id,
    consent: consent.consent_id,
    matter: matter.matter_id,
    webhook: webhook.webhook_id,
    bundle: await sealedBundle(clerk, { scope: { member_id: member } }),
    purposeBundle: await sealedBundle(clerk, { scope: { member_id: member }, purpose: PURPOSE }),
  };
  await isFound(clerk, marker);
  await made(clerk.post('/v1/search', { query: marker }, keys.search));
  await made(clerk.post('/v1/search', { query: marker, purpose: PURPOSE }, keys.denied));
  await made(clerk.post(`/v1/advocacy/recode/${ids.event}`, {}, keys.recode));
  return {
    tenantId,
    keyId,
    clerk,
    counsel: operator.as(key.api_key),
    marker,
    member,
    ids: await withDerived(clerk, ids),
    keys,
  };
}

async function sealedBundle(http: Http, body: object): Promise<string> {
  const asked = await http.post('/v1/bundles', body);
  const read = () => http.get(`/v1/bundles/${asked.json.bundle_id}`);
  const done = await eventually(read, ({ json }) => json.status !== 'REQUESTED');
  if (done.json.status !== 'SEALED') throw new Error(`not sealed: ${asked.text} ${done.text}`);
  return done.json.bundle_id;
}

/** The search index and the graph follow the ledger. */
async function isFound(http: Http, marker: string): Promise<void> {
  const search = () => http.post('/v1/search', { query: marker });
  const found = await eventually(search, ({ json }) => json.items?.length >= 3);
  if (!(found.json.items?.length >= 3)) throw new Error(`not indexed: ${found.text}`);
  const graph = await eventually(
    () => http.get('/v1/graph/neighbors?node=member:M-1&limit=50'),
    ({ text }) => text.includes('evt_') && text.includes('doc_'),
  );
  if (graph.status !== 200) throw new Error(`no graph: ${graph.text}`);
}

/** Ids that the service makes by itself. */
async function withDerived(http: Http, ids: Ids): Promise<Ids> {
  const checkpoint = await eventually(
    () => http.get('/v1/ledger/checkpoints/latest'),
    ({ status }) => status === 200,
  );
  const conflict = await eventually(
    () => http.get('/v1/exceptions?kind=SOURCE_RECORD_CONFLICT'),
    ({ json }) => json.items.length > 0,
  );
  const deliveries = await eventually(
    () => http.get(`/v1/webhooks/${ids['webhook']}/deliveries`),
    ({ json }) => json.items.length > 0,
  );
  return {
    ...ids,
    checkpoint: checkpoint.json.checkpoint_id,
    exception: conflict.json.items[0].exception_id,
    delivery: deliveries.json.items[0].delivery_id,
  };
}
