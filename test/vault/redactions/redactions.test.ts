import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyRedactedLine } from '../../../shared/evidence/redacted-line.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { envelope } from '../../support/envelopes.js';
import type { Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { applied, apply, draft, peopleOf, until } from './redaction-kit.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_DOCUMENT_WORK_MS: '30000' });
}, 180_000);
afterAll(() => service.stop());
const people = () => peopleOf(service.operator);

type CustodyRow = { readonly action: string; readonly member_ids?: readonly string[] };

const SECRET = 'Wilhelmina';
const eventIn = async (http: Http, name: string): Promise<string> => {
  const payload = { rationale: `Seen by ${SECRET} Testperson`, carc: ['50', '96'], note: 'stays' };
  return (await http.post('/v1/events', { ...envelope(name), member_id: 'M-7', payload })).json.event_id;
};

describe('a redacted event', () => {
  it('returns the rendition to readers without the scope, and the whole event to those with it', async () => {
    const all = await people();
    const id = await eventIn(all.clerk, 'one');
    const before = (await all.reader.get(`/v1/events/${id}`)).json;
    const done = await applied(all, {
      subject: { kind: 'EVENT', id },
      pointers: ['/payload/rationale', '/payload/carc/0'],
    });
    expect([done.status, done.json]).toEqual([
      200,
      expect.objectContaining({ status: 'APPLIED', allowed_actions: [], rendition_sha256: expect.any(String) }),
    ]);
    const seen = await all.reader.get(`/v1/events/${id}`);
    expect(seen.json).toMatchObject({
      event_id: id,
      state: 'REDACTED',
      redaction_id: done.json.redaction_id,
      payload: { carc: [null, '96'], note: 'stays' },
      entry_hash: before.entry_hash,
    });
    expect(seen.json.worm_sha256).toBeUndefined();
    expect(seen.text).not.toContain(SECRET);
    const listed = await all.reader.get('/v1/events?member_id=M-7');
    const { rendition: _, ...shown } = seen.json;
    // The tree gives the event its place at some time between the reads.
    expect(listed.json.items).toEqual([{ ...shown, tree_index: listed.json.items[0]?.tree_index }]);
    const whole = (await all.trusted.get(`/v1/events/${id}`)).json;
    expect(whole).toEqual({ ...before, redaction_id: done.json.redaction_id, tree_index: whole.tree_index });
  });

  it('is not found by hidden values, neither by words nor by filters', async () => {
    const all = await people();
    const id = await eventIn(all.clerk, 'two');
    await until(async () => (await search(all.reader, SECRET)).length === 1);
    await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/payload/rationale', '/member_id'] });
    expect(await search(all.reader, SECRET)).toEqual([]);
    expect((await search(all.reader, 'stays')).map((hit) => hit['id'])).toEqual([id]);
    expect((await all.reader.get('/v1/events?member_id=M-7')).json.items).toEqual([]);
    expect((await all.trusted.get('/v1/events?member_id=M-7')).json.items).toHaveLength(1);
  });

  it('hides the parts of all its redactions', async () => {
    const all = await people();
    const id = await eventIn(all.clerk, 'three');
    const first = await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/payload/rationale'] });
    const second = await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/member_id'] });
    const { json } = await all.reader.get(`/v1/events/${id}`);
    expect(json.payload).toEqual({ carc: ['50', '96'], note: 'stays' });
    expect(json.member_id).toBeUndefined();
    expect(json.redaction_id).toBe(second.json.redaction_id);
    expect(second.json.rendition_sha256).not.toBe(first.json.rendition_sha256);
  });

  it('hides the parts of two redactions that are applied at once', async () => {
    const all = await people();
    const id = await eventIn(all.clerk, 'four');
    const drafts = await Promise.all(
      ['/payload/rationale', '/payload/note', '/member_id'].map((pointer) =>
        draft(all.clerk, { subject: { kind: 'EVENT', id }, pointers: [pointer] }),
      ),
    );
    const answers = await Promise.all(drafts.map(({ json }) => apply(all.counsel, json.redaction_id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { json } = await all.reader.get(`/v1/events/${id}`);
    expect([json.payload, json.member_id]).toEqual([{ carc: ['50', '96'] }, undefined]);
  });

  it('returns its raw bytes only to readers with the scope', async () => {
    const all = await people();
    const body =
      'MSH|^~\\&|A|B|C|D|20260302141110||ADT^A01|1|P|2.5\rEVN|A01|20260302141110\rPID|1||M-9||Roe^Jane\rPV1|1|I';
    const taken = await all.clerk.post('/v1/ingest/raw?format=hl7v2&source_system=adt', body, {
      'content-type': 'application/hl7-v2',
    });
    const id = taken.json.results[0].event_id;
    expect((await all.reader.get(`/v1/events/${id}/raw`)).status).toBe(200);
    expect((await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/member_id'] })).status).toBe(200);
    expect((await all.reader.get(`/v1/events/${id}/raw`)).json).toMatchObject({ code: 'FORBIDDEN', status: 403 });
    expect((await all.trusted.get(`/v1/events/${id}/raw`)).text).toContain('Roe');
    const { json, text } = await all.reader.get(`/v1/events/${id}`);
    expect(json.payload.raw_sha256).toBeUndefined();
    expect(text).not.toContain(taken.json.results[0].worm_sha256);
    const custody = await all.reader.get(`/v1/custody?subject_kind=EVENT&subject_id=${id}`);
    const named = custody.json.items.map((entry: CustodyRow) => [entry.action, entry.member_ids]);
    expect(named.slice(-2)).toEqual([
      ['REDACT', undefined],
      ['READ_RAW', undefined],
    ]);
  });

  it('exposes the unsalted hash of its record in no answer', async () => {
    const all = await people();
    const sent = { ...envelope('hash'), member_id: 'M-7', payload: { note: 'x' } };
    const first = (await all.clerk.post('/v1/events', sent)).json;
    const body = 'MSH|^~\\&|A|B|C|D|20260302141110||ADT^A01|7|P|2.5\rEVN|A01\rPID|1||M-9||Roe^Jane\rPV1|1|I\r';
    const raw = { 'content-type': 'application/hl7-v2' };
    const taken = (await all.clerk.post('/v1/ingest/raw?format=hl7v2&source_system=adt', body, raw)).json;
    const [row] = taken.results;
    for (const id of [first.event_id, row.event_id]) {
      expect((await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/member_id'] })).status).toBe(200);
    }
    const again = await all.clerk.post('/v1/events', sent);
    expect(again.json).toMatchObject({ status: 'DUPLICATE', event_id: first.event_id });
    const answers = [
      again,
      await all.clerk.post('/v1/events', [sent]),
      await all.clerk.post('/v1/ingest/raw?format=hl7v2&source_system=adt', body, raw),
      await all.reader.get(`/v1/ingest/${taken.ingest_id}`),
      await all.reader.get(`/v1/ingest/${taken.ingest_id}/results`),
    ];
    for (const { status, text } of answers) {
      expect([status, text.includes(first.worm_sha256), text.includes(row.worm_sha256)]).toEqual([200, false, false]);
    }
    expect((await all.trusted.get(`/v1/ingest/${taken.ingest_id}/results`)).text).toContain(row.worm_sha256);
    // The hash of the whole message covers the hidden words too.
    const shown = await all.reader.get(`/v1/ingest/${taken.ingest_id}`);
    expect([shown.text.includes(taken.raw_sha256), shown.json.raw_sha256]).toEqual([false, undefined]);
    expect((await all.trusted.get(`/v1/ingest/${taken.ingest_id}`)).json.raw_sha256).toBe(taken.raw_sha256);
  });

  it('leaves the ledger valid, and leaves entries in custody and in the system partition', async () => {
    const all = await people();
    const id = await eventIn(all.clerk, 'five');
    const done = await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/payload/rationale'] });
    const entries = (await all.trusted.get('/v1/events?source_system=_system&event_type=redaction.applied')).json.items;
    expect(entries.map((entry: { payload: unknown }) => entry.payload)).toMatchObject([
      {
        subject: { kind: 'event-redaction', id },
        action: 'hide',
        redaction_id: done.json.redaction_id,
        ordinal: 1,
        rendition_sha256: done.json.rendition_sha256,
        subject_kind: 'EVENT',
        subject_id: id,
        revision: 2,
      },
    ]);
    const custody = (await all.trusted.get(`/v1/custody?subject_kind=EVENT&subject_id=${id}`)).json.items;
    expect(custody.map(({ action }: { action: string }) => action)).toEqual(['REDACT']);
    expect((await all.trusted.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });
});

describe('two people', () => {
  it('are required: a drafter cannot apply the redaction', async () => {
    const all = await people();
    const id = await eventIn(all.clerk, 'six');
    const made = await draft(all.clerk, { subject: { kind: 'EVENT', id }, pointers: ['/payload/note'] });
    const refused = await apply(all.clerk, made.json.redaction_id);
    expect([refused.status, refused.json.code]).toEqual([403, 'FORBIDDEN']);
    expect((await all.reader.get(`/v1/events/${id}`)).json.state).toBe('INCLUDED');
    expect((await apply(all.counsel, made.json.redaction_id)).status).toBe(200);
  });
});

describe('a draft', () => {
  it('can be changed and discarded, but not after it was applied or discarded', async () => {
    const all = await people();
    const id = await eventIn(all.clerk, 'seven');
    const { json } = await draft(all.clerk, { subject: { kind: 'EVENT', id }, pointers: ['/payload/note'] });
    const path = `/v1/redactions/${json.redaction_id}`;
    const changed = await all.clerk.call(path, { method: 'PATCH', body: { pointers: ['/payload'], revision: 1 } });
    expect(changed.json).toMatchObject({ pointers: ['/payload'], revision: 2, status: 'DRAFT' });
    expect((await all.clerk.call(path, { method: 'PATCH', body: { reason: 'x', revision: 1 } })).json.code).toBe(
      'CONFLICT',
    );
    expect((await all.clerk.call(path, { method: 'DELETE' })).json.status).toBe('DISCARDED');
    for (const again of [
      await all.clerk.call(path, { method: 'DELETE' }),
      await all.clerk.call(path, { method: 'PATCH', body: { reason: 'x' } }),
      await apply(all.counsel, json.redaction_id),
    ]) {
      expect([again.status, again.json.code]).toEqual([409, 'INVALID_TRANSITION']);
    }
    expect((await all.clerk.get(`/v1/redactions?status=DISCARDED&subject_id=${id}`)).json.items).toHaveLength(1);
  });

  it('is rejected if it would hide nothing, or a member that every rendition discloses', async () => {
    const all = await people();
    const id = await eventIn(all.clerk, 'eight');
    const subject = { kind: 'EVENT', id };
    const faultsOf = async (body: Record<string, unknown>) => {
      const answer = await draft(all.clerk, body);
      return [
        answer.status,
        (answer.json.errors ?? []).map(({ path, code }: { path: string; code: string }) => [path, code]),
      ];
    };
    expect(await faultsOf({ subject, pointers: ['/payload/note', '/payload/none'] })).toEqual([
      400,
      [['/pointers/1', 'unknown']],
    ]);
    expect(await faultsOf({ subject, pointers: ['/event_type'] })).toEqual([
      400,
      [['/pointers/0', 'always-disclosed']],
    ]);
    expect(await faultsOf({ subject })).toEqual([400, [['/pointers', 'required']]]);
    expect(await faultsOf({ subject, pointers: ['/payload'], terms: ['x'] })).toEqual([400, [['/terms', 'subject']]]);
    const other = { kind: 'EVENT', id: 'evt_01JQ0000000000000000000001' };
    expect(await faultsOf({ subject: other, pointers: ['/payload'] })).toEqual([400, [['/subject/id', 'unknown']]]);
    await draft(all.clerk, { subject, pointers: ['/payload/note'] });
    const own = (await all.clerk.get('/v1/events?source_system=_records&limit=1')).json.items[0]?.event_id;
    expect(await faultsOf({ subject: { kind: 'EVENT', id: own }, pointers: ['/payload'] })).toEqual([
      400,
      [['/subject/id', 'reserved']],
    ]);
  });
});

it('proves the disclosed part of a redacted event against its ledger entry', async () => {
  const all = await people();
  const id = await eventIn(all.clerk, 'nine');
  const before = (await all.reader.get(`/v1/events/${id}`)).json;
  const done = await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/payload/rationale'] });
  const { rendition } = (await all.reader.get(`/v1/events/${id}`)).json;
  const { v: _, ...header } = rendition.header;
  const evidence = { header, entryHash: before.entry_hash };
  expect(verifyRedactedLine(rendition.line, evidence)).toEqual([]);
  expect(verifyRedactedLine({ ...rendition.line, disclosed: rendition.line.disclosed.slice(1) }, evidence)).not.toEqual(
    [],
  );
  expect(createHash('sha256').update(canonicalJson(rendition.line)).digest('hex')).toBe(done.json.rendition_sha256);
});

const search = async (http: Http, query: string): Promise<readonly Record<string, unknown>[]> =>
  (await http.post('/v1/search', { query, kinds: ['event'] })).json.items;
