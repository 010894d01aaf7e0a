import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../../app/repository.js';
import { freshTenant } from '../../../support/http.js';
import { describeUnless, lackOfShared } from '../../../support/needs.js';
import { startWholeService, type WholeService } from '../../../support/whole-service.js';
import { fixture } from './reading.js';

// HL7 v2 over HTTP: messages in, events out, and the same bytes again add nothing.

const samples = join(repositoryFile('.'), '..', 'shared', 'samples', 'hl7v2');
const expected: Record<string, { member_id: string | null }[]> = JSON.parse(
  readFileSync(repositoryFile('test/ledger/formats/hl7v2/samples.json'), 'utf8'),
);
const files = Object.keys(expected).filter((name) => existsSync(join(samples, name)));
const headers = { 'content-type': 'application/hl7-v2' };

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
}, 240_000);
afterAll(() => service.stop());

describe('a batch with a broken message', () => {
  it('yields the other events, and an exception for the broken message', async () => {
    const { http } = await freshTenant(service.operator);
    const answer = await http.post('/v1/ingest/raw', fixture('batch-wrong-count'), headers);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      format: 'hl7v2',
      transactions: 2,
      accepted: 2,
      rejected: 1,
      exceptions: [{ kind: 'PARSE_FAILED' }],
      warnings: [{ code: 'BATCH_COUNT_MISMATCH' }],
    });
    const listed = await http.get('/v1/events?event_family=member&member_id=SYN-MEMBER-3');
    expect(listed.json.items).toMatchObject([{ event_type: 'update', source_record_id: 'SYN-0005' }]);
  });
});

describe('a message of several events', () => {
  it.each([
    ['results', ['result_reported']],
    ['immunizations', ['immunization_deleted', 'immunization_given', 'immunization_not_given', 'immunization_refused']],
    ['charges', ['charge_posted', 'charge_posted']],
  ])('is stored once, in any framing: %s', async (name, types) => {
    const { http } = await freshTenant(service.operator);
    const text = fixture(name).toString('latin1');
    const first = await http.post('/v1/ingest/raw', Buffer.from(text, 'latin1'), headers);
    expect(first.json).toMatchObject({ accepted: types.length, rejected: 0, duplicated: 0 });
    expect(first.json.acknowledgement.content).toMatch(/\rMSA\|AA\|/);
    for (const again of [text.replaceAll('\r', '\r\n'), `\u000b${text}\u001c\r`]) {
      const answer = await http.post('/v1/ingest/raw', Buffer.from(again, 'latin1'), headers);
      expect(answer.json).toMatchObject({ accepted: 0, duplicated: types.length });
    }
    const listed = await http.get('/v1/events?limit=50');
    const found = (listed.json.items as { event_type: string }[]).map(({ event_type }) => event_type);
    expect(found.sort()).toEqual(types);
  });

  it('that was cut in its frame names no member, and says so', async () => {
    const { http } = await freshTenant(service.operator);
    const text = fixture('results').toString('latin1');
    const cut = Buffer.from(`\u000b${text.slice(0, text.lastIndexOf('OBX') + 20)}`, 'latin1');
    const answer = await http.post('/v1/ingest/raw', cut, headers);
    expect(answer.json).toMatchObject({ accepted: 1 });
    const listed = await http.get('/v1/events?limit=50');
    for (const event of listed.json.items) {
      expect(event).not.toHaveProperty('member_id', 'SYN-MEMBER-1');
      expect(event.payload.raw.wholeness).toMatchObject({ grade: 'CUT' });
    }
    const kinds = (answer.json.exceptions as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'UNKNOWN_MEMBER')).toHaveLength(1);
  });
});

describeUnless(lackOfShared('samples/hl7v2'))('sample files of ../shared/samples/hl7v2', () => {
  it('each sample file posted twice yields its events once, and the chains verify', async () => {
    const { http } = await freshTenant(service.operator);
    for (const name of files) {
      const body = readFileSync(join(samples, name));
      const wanted = expected[name] ?? [];
      const path = `/v1/ingest/raw?source_system=${encodeURIComponent(name)}`;
      const first = await http.post(path, body, headers);
      expect([name, first.status, first.json.accepted, first.json.rejected]).toEqual([name, 200, wanted.length, 0]);
      const again = await http.post(path, body, headers);
      expect([name, again.json.accepted, again.json.duplicated]).toEqual([name, 0, wanted.length]);
      const listed = await http.get(`/v1/events?limit=500&source_system=${encodeURIComponent(name)}`);
      const members = (listed.json.items as { member_id?: string }[]).map(({ member_id }) => member_id ?? null);
      expect([name, members.sort()]).toEqual([name, wanted.map(({ member_id }) => member_id).sort()]);
    }
    expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  }, 240_000);
});
