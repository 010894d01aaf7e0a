import { readFile } from 'node:fs/promises';
import { repositoryFile } from '../../app/repository.js';
import { delay } from '../../shared/clock/timers.js';
import { envelope } from '../support/envelopes.js';
import { eventually } from '../support/eventually.js';
import { type Answer, freshTenant, Http } from '../support/http.js';
import { connectorOf, decisionOf, feedOf, ruleOf } from '../support/records.js';
import { programOf, uploadScanned } from '../vault/vault-kit.js';

/** A tenant with records of every kind, and its administrator's key. */
export interface World {
  readonly tenantId: string;
  readonly http: Http;
  /** Text in every free-text field of this tenant's records. Any other place that shows it is a leak. */
  readonly marker: string;
  readonly ids: Readonly<Record<RecordKind, string>>;
  /** Every identifier of a record of this tenant that a stranger must not meet. */
  readonly secrets: readonly string[];
}

export type RecordKind =
  | 'tenant'
  | 'event'
  | 'rawEvent'
  | 'ingest'
  | 'actor'
  | 'role'
  | 'key'
  | 'session'
  | 'savedView'
  | 'signingKey'
  | 'flag'
  | 'lead'
  | 'person'
  | 'custody'
  | 'exception'
  | 'feed'
  | 'connector'
  | 'decision'
  | 'webhook'
  | 'delivery'
  | 'matter'
  | 'hold'
  | 'holdNotice'
  | 'bundle'
  | 'bundleLink'
  | 'document'
  | 'quarantined'
  | 'redaction'
  | 'rule'
  | 'consent'
  | 'appointment'
  | 'carer'
  | 'dataRight'
  | 'amendment'
  | 'deniedAmendment'
  | 'challenge'
  | 'avaRequest'
  | 'checkpoint';

/** Names that both tenants use. A caller's own names may be equal. */
export const SAME = {
  flag: 'same-flag',
  view: 'same view',
  changedFlag: 'same-flag-to-change',
  sourceRecord: 'PA-SAME',
  member: 'M-SAME',
} as const;

const CHECKPOINT_DEADLINE_MS = 150_000;

export async function makeWorld(operator: Http, marker: string): Promise<World> {
  const { tenantId, http } = await freshTenant(operator, ['admin']);
  const secrets: string[] = [tenantId, marker];
  const made = async (call: Promise<Answer>, id: string): Promise<string> => {
    const answer = await call;
    if (answer.status !== 200) throw new Error(`no ${id} for the isolation tests: ${answer.status} ${answer.text}`);
    secrets.push(String(answer.json[id]));
    return String(answer.json[id]);
  };
  const twice = async (make: (n: number) => Promise<Answer>, id: string): Promise<string> => {
    await made(make(1), id);
    return made(make(2), id);
  };
  const event = (n: number) =>
    http.post('/v1/events', {
      ...envelope(n, { member_id: SAME.member, source_record_id: SAME.sourceRecord, source_system: `um-${n}` }),
      payload: { rationale: marker },
    });
  const first = async (path: string): Promise<Answer> => {
    const listed = await http.get(path);
    return { ...listed, json: listed.json.items?.[0] };
  };
  const conflict = async (n: number): Promise<Answer> => {
    for (const outcome of ['APPROVED', 'DENIED']) {
      await http.post('/v1/events', envelope(`conflict-${n}`, { source_system: `um-${n}`, outcome }));
    }
    return first('/v1/exceptions?limit=1');
  };
  const custody = () =>
    http.post('/v1/custody', { action: 'NOTED', subject: { kind: 'MEMBER', id: SAME.member }, purpose: marker });
  const redaction = async (n: number) => {
    const { event_id: id } = (await http.post('/v1/events', envelope(`redacted-${n}`))).json;
    const subject = { kind: 'EVENT', id };
    return http.post('/v1/redactions', { subject, pointers: ['/payload'], reason: marker, basis: marker });
  };
  const claims = await readFile(repositoryFile('app/demo/files/claims-837p.edi'));
  const edi = { 'content-type': 'application/edi-x12' };
  const flag = (key: string) =>
    http.call(`/v1/feature-flags/${key}`, {
      method: 'PUT',
      body: { type: 'string', variants: { v: marker }, default_variant: 'v', description: marker },
    });
  const signingKey = (n: number) => http.post('/v1/signing-keys', { purpose: n === 1 ? 'BUNDLE' : 'SEGMENT' });
  for (const key of [SAME.flag, SAME.changedFlag]) {
    await made(flag(key), 'key');
    secrets.pop();
  }
  const hook = (n: number) =>
    http.post('/v1/webhooks', { url: `https://receiver.invalid/${marker}/${n}`, event_types: ['legal-hold.created'] });
  const about = { title: marker, member_id: SAME.member };
  const session = async (): Promise<Answer> => {
    await http.post('/v1/session', {}, { origin: http.url });
    return first('/v1/sessions?limit=1');
  };
  const view = (n: number) =>
    http.post('/v1/saved-views', { name: `${marker} ${n}`, address: '/events', shared: true });
  const webhook = await twice(hook, 'webhook_id');
  const ids = {
    tenant: tenantId,
    webhook,
    delivery: await made(http.post(`/v1/webhooks/${webhook}/test`, {}), 'delivery_id'),
    event: await twice(event, 'event_id'),
    ingest: await made(http.post('/v1/ingest/raw?source_system=claims', claims, edi), 'ingest_id'),
    rawEvent: await made(first('/v1/events?source_system=claims'), 'event_id'),
    custody: await twice(custody, 'custody_id'),
    exception: await twice(conflict, 'exception_id'),
    role: await twice((n) => http.post('/v1/roles', { name: `${marker}-${n}`, scopes: ['events:read'] }), 'role_id'),
    actor: await twice((n) => http.post('/v1/actors', { name: `${marker} ${n}` }), 'actor_id'),
    key: await twice((n) => http.post('/v1/api-keys', { name: `${marker} ${n}`, scopes: ['events:read'] }), 'key_id'),
    session: await twice(session, 'session_id'),
    savedView: await twice(view, 'view_id'),
    signingKey: await twice(signingKey, 'key_id'),
    flag: await made(flag(`only-${marker}`), 'key'),
    feed: await twice((n) => http.post('/v1/source-feeds', feedOf(`${marker}-${n}`)), 'feed_id'),
    connector: await twice((n) => http.post('/v1/connectors', connectorOf(`${marker}-${n}`)), 'connector_id'),
    decision: await twice(() => http.post('/v1/ai-decisions', decisionOf(marker)), 'decision_id'),
    checkpoint: await made(firstCheckpoint(http), 'checkpoint_id'),
    bundle: await twice(() => sealedBundle(http), 'bundle_id'),
    matter: await twice(
      () => http.post('/v1/legal-matters', { name: marker, kind: 'LITIGATION', member_ids: [SAME.member] }),
      'matter_id',
    ),
    document: await twice((n) => uploadScanned(http, `${marker} ${n}`, about), 'document_id'),
    quarantined: await twice((n) => uploadScanned(http, { bytes: programOf(n) }, about), 'document_id'),
    redaction: await twice(redaction, 'redaction_id'),
    rule: await twice((n) => http.post('/v1/rules', ruleOf(`${marker}-${n}`)), 'rule_id'),
    person: await twice((n) => http.post('/v1/members', personOf(`P-${marker}-${n}`, marker)), 'member_id'),
    lead: await twice(() => http.post('/v1/leads', { lead_type: 'PROSPECT', summary: marker }), 'lead_id'),
    consent: await twice(() => http.post('/v1/consent', consentOf(marker)), 'consent_id'),
    appointment: await twice((n) => http.post('/v1/appointments', visitOf(n, marker)), 'appointment_id'),
    carer: await twice((n) => http.post('/v1/care-team', carerOf(n, marker)), 'care_team_id'),
    dataRight: await twice(() => accounting(http, marker), 'data_right_id'),
    amendment: await made(dataRight(http, 'AMENDMENT', 'start', {}), 'data_right_id'),
    deniedAmendment: await made(dataRight(http, 'AMENDMENT', 'deny', { ground: marker }), 'data_right_id'),
    challenge: await made(http.post('/v1/member-auth/start', { member_id: SAME.member }), 'challenge_id'),
    avaRequest: await made(http.post('/v1/ava-access/request', accessOf(marker)), 'request_id'),
  };
  const link = { recipient: marker, purpose: marker, expires_in_hours: 1 };
  const linked = async () => ({ ...(await http.post(`/v1/bundles/${ids.bundle}/links`, link)), status: 200 });
  const notice = { custodian: marker, text: marker };
  const bundleLink = await twice(linked, 'link_id');
  const hold = await twice((n) => listedHold(http, `${marker} ${n}`, marker), 'hold_id');
  const holdNotice = await twice(() => http.post(`/v1/legal-holds/${hold}/notices`, notice), 'notice_id');
  return { tenantId, http, marker, ids: { ...ids, bundleLink, hold, holdNotice }, secrets };
}

const personOf = (member_id: string, marker: string) => ({
  member_id,
  name: { family: 'Sameson', given: ['Sam'] },
  identifiers: [{ system: 'urn:marker', value: marker }],
});

const consentOf = (note: string) => ({ member_id: SAME.member, decision: 'DENY', purpose: 'MARKETING', note });
const visitOf = (hour: number, reason: string) => ({
  member_id: SAME.member,
  practitioner: { npi: '1234567893' },
  start: `2026-04-01T0${hour}:00:00Z`,
  end: `2026-04-01T0${hour}:30:00Z`,
  reason,
});
const carerOf = (n: number, note: string) => ({ member_id: SAME.member, role: `ROLE_${n}`, npi: '1234567893', note });
const accessOf = (by: string) => ({ member_id: SAME.member, purpose: 'APPEAL_SUPPORT', requested_by: by });

/** An accounting under way: it has disclosures to list. */
async function accounting(http: Http, details: string): Promise<Answer> {
  await http.post('/v1/custody', {
    action: 'DISCLOSED',
    subject: { kind: 'MEMBER', id: SAME.member },
    recipient: details,
    at: '2026-03-02T14:11:09.123Z',
  });
  return dataRight(http, 'ACCOUNTING_OF_DISCLOSURES', 'start', {}, details);
}

/** A request that was verified, and taken one step further. */
async function dataRight(http: Http, right: string, action: string, body: object, details = ''): Promise<Answer> {
  const { json } = await http.post('/v1/data-rights', { member_id: SAME.member, right, details });
  const path = `/v1/data-rights/${json.data_right_id}`;
  await http.post(`${path}/verify`, { how: 'Known.' });
  return http.post(`${path}/${action}`, body);
}

/** A hold with all its tombstones, placed last, so that its answers do not change. */
async function listedHold(http: Http, name: string, reason: string): Promise<Answer> {
  const { json } = await http.post('/v1/legal-holds', { name, reason, scope: { member_ids: [SAME.member] } });
  const look = () => http.get(`/v1/legal-holds/${json.hold_id}`);
  return eventually(look, (answer) => answer.json.listed_at !== null);
}

/** A bundle in its final state, so that its answers do not change. */
async function sealedBundle(http: Http): Promise<Answer> {
  const { json } = await http.post('/v1/bundles', { scope: { member_id: SAME.member } });
  const deadlineMs = Date.now() + CHECKPOINT_DEADLINE_MS;
  for (;;) {
    const answer = await http.get(`/v1/bundles/${json.bundle_id}`);
    if (answer.json.status !== 'REQUESTED' || Date.now() > deadlineMs) return answer;
    await delay(100);
  }
}

/** A checkpoint follows the first entry within seconds. */
async function firstCheckpoint(http: Http): Promise<Answer> {
  const deadlineMs = Date.now() + CHECKPOINT_DEADLINE_MS;
  for (;;) {
    const answer = await http.get('/v1/ledger/checkpoints/latest');
    if (answer.status === 200 || Date.now() > deadlineMs) return answer;
    await delay(100);
  }
}

/** Every identifier or marked text of the other tenant that an answer holds. */
export const leaksOf = (other: World, text: string): string[] =>
  other.secrets.filter((secret) => text.includes(secret));
