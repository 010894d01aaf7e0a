import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { entryHash } from '../../../shared/evidence/chain.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { rebuildRecord } from '../../../shared/evidence/record.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const SCOPES = ['events:read', 'events:write', 'redactions:read', 'redactions:write', 'redactions:apply', 'admin'];

async function posted(): Promise<{ http: Http; id: string }> {
  const { http } = await freshTenant(service.operator, SCOPES);
  const made = await http.post('/v1/events', envelope(1, { payload: { rationale: 'Not documented', carc: ['50'] } }));
  return { http, id: made.json.event_id };
}

describe('GET /v1/events/{id}/opening', () => {
  it('gives record, seed and header, from which commitments and entry hash follow', async () => {
    const { http, id } = await posted();
    const event = (await http.get(`/v1/events/${id}`)).json;
    const { record, seed, header, line, state } = (await http.get(`/v1/events/${id}/opening`)).json;
    expect([state, line]).toEqual(['INCLUDED', null]);
    expect(createHash('sha256').update(record).digest('hex')).toBe(event.worm_sha256);
    const made = new Committer().commit(
      Buffer.from(seed, 'hex'),
      Buffer.from(record),
      rebuildRecord(JSON.parse(record)).leaves,
    );
    expect(made).toMatchObject({ commit: header.commit, fields: header.fields });
    expect(entryHash(header)).toBe(event.entry_hash);
  });

  it('gives a redacted event as its line, without the seed that would open what is hidden', async () => {
    const { http, id } = await posted();
    const subject = { kind: 'EVENT', id };
    const draft = await http.post('/v1/redactions', {
      subject,
      pointers: ['/payload/rationale'],
      reason: 'r',
      basis: 'b',
    });
    const { tenant_id: tenantId } = draft.json;
    const second = await http.post('/v1/api-keys', {
      tenant_id: tenantId,
      name: 'second',
      scopes: ['redactions:apply'],
    });
    const applied = await http.as(second.json.api_key).post(`/v1/redactions/${draft.json.redaction_id}/apply`, {});
    expect(applied.status).toBe(200);
    const opening = await http.get(`/v1/events/${id}/opening`);
    expect(opening.json).toMatchObject({ state: 'REDACTED', record: null, seed: null, line: { state: 'REDACTED' } });
    expect(opening.text).not.toContain('Not documented');
  });

  it('returns 404 for an event of another tenant', async () => {
    const { id } = await posted();
    const { http } = await freshTenant(service.operator);
    expect((await http.get(`/v1/events/${id}/opening`)).status).toBe(404);
  });
});
