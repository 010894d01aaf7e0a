import { readFile } from 'node:fs/promises';
import { repositoryFile } from '../../app/repository.js';
import { envelope } from '../support/envelopes.js';
import { type Answer, freshTenant, Http } from '../support/http.js';

/** A tenant with records of every kind, and its administrator's key. */
export interface World {
  readonly tenantId: string;
  readonly http: Http;
  /** Stands in whatever text of this tenant's records is free: seen elsewhere, it is a leak. */
  readonly marker: string;
  readonly ids: Readonly<Record<RecordKind, string>>;
  /** Every identifier of a record of this tenant that a stranger must not meet. */
  readonly secrets: readonly string[];
}

export type RecordKind = 'tenant' | 'event' | 'ingest' | 'actor' | 'role' | 'key' | 'signingKey' | 'flag' | 'lead';

/** Names that both tenants give alike: what is the callers' own may be equal. */
export const SAME = {
  flag: 'same-flag',
  changedFlag: 'same-flag-to-change',
  sourceRecord: 'PA-SAME',
  member: 'M-SAME',
} as const;

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
  const ids = {
    tenant: tenantId,
    event: await twice(event, 'event_id'),
    ingest: await made(http.post('/v1/ingest/raw?source_system=claims', claims, edi), 'ingest_id'),
    role: await twice((n) => http.post('/v1/roles', { name: `${marker}-${n}`, scopes: ['events:read'] }), 'role_id'),
    actor: await twice((n) => http.post('/v1/actors', { name: `${marker} ${n}` }), 'actor_id'),
    key: await twice((n) => http.post('/v1/api-keys', { name: `${marker} ${n}`, scopes: ['events:read'] }), 'key_id'),
    signingKey: await twice(signingKey, 'key_id'),
    flag: await made(flag(`only-${marker}`), 'key'),
    lead: await twice(() => http.post('/v1/leads', { lead_type: 'PROSPECT', summary: marker }), 'lead_id'),
  };
  return { tenantId, http, marker, ids, secrets };
}

/** Every identifier or marked text of the other tenant that an answer holds. */
export const leaksOf = (other: World, text: string): string[] =>
  other.secrets.filter((secret) => text.includes(secret));
