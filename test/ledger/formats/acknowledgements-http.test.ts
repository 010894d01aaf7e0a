import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { freshTenant } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// What a sender's own system gets back over HTTP, for each format that is read.

const fixture = (path: string): Buffer => readFileSync(repositoryFile(`test/ledger/formats/${path}`));
const RAW = '/v1/ingest/raw';
const KEY = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
}, 240_000);
afterAll(() => service.stop());

const x12 = { 'content-type': 'application/edi-x12' };
const bare = { accept: 'application/edi-x12' };

describe('an X12 body', () => {
  it('is answered in JSON with its acknowledgement, which is stored with the ingest', async () => {
    const { http } = await freshTenant(service.operator);
    const answer = await http.post(RAW, fixture('x12/fixtures/professional.837'), x12);
    expect(answer.json.acknowledgement).toMatchObject({ format: 'x12', media_type: 'application/edi-x12' });
    expect(answer.json.acknowledgement.content).toMatch(/ST\*999\*0001[\s\S]*IK5\*A~[\s\S]*AK9\*A\*1\*1\*1~/);
    const kept = await http.get(`/v1/ingest/${answer.json.ingest_id}`);
    expect(kept.json.acknowledgement).toEqual(answer.json.acknowledgement);
    const alone = await http.get(`/v1/ingest/${answer.json.ingest_id}`, bare);
    expect([alone.status, alone.text]).toEqual([200, answer.json.acknowledgement.content]);
    expect(alone.headers.get('content-type')).toContain('application/edi-x12');
  });

  it('is answered with the bare acknowledgement on request, under consecutive numbers', async () => {
    const { http } = await freshTenant(service.operator);
    const answers: string[] = [];
    for (let n = 0; n < 3; n++) {
      const answer = await http.post(RAW, fixture('x12/fixtures/review.278'), { ...x12, ...bare });
      expect(answer.status).toBe(200);
      answers.push(answer.text);
    }
    const control = (text: string) => text.split('~')[0]?.split('*')[13];
    expect(answers.map(control)).toEqual(['000000001', '000000002', '000000003']);
    expect(answers[0]).toMatch(/TA1\*000000041\*260301\*0900\*A\*000~/);
    expect(answers[1]).toMatch(/TA1\*000000041\*260301\*0900\*E\*025~/);
    expect(answers[0]?.startsWith('ISA*')).toBe(true);
  });

  it('is answered in the requested form when repeated under one Idempotency-Key', async () => {
    const { http } = await freshTenant(service.operator);
    const send = (headers: Record<string, string>) =>
      http.post(RAW, fixture('x12/fixtures/status.277'), { ...x12, 'idempotency-key': KEY, ...headers });
    const first = await send(bare);
    const again = await send(bare);
    const json = await send({});
    expect(first.text).toMatch(/^ISA\*/);
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    expect(json.json).toMatchObject({ accepted: 4, duplicated: 0, acknowledgement: { content: first.text } });
  });

  it('is rejected by strict reading, with every unread transaction listed', async () => {
    const { http } = await freshTenant(service.operator);
    const strict = await http.post(`${RAW}?strict=true`, fixture('x12/fixtures/wrong-counts.837'), { ...x12, ...bare });
    expect(strict.text).toMatch(/TA1\*\d{9}\*\d{6}\*\d{4}\*R\*/);
    const unsupported = await http.post(RAW, fixture('x12/fixtures/unsupported.x12'), x12);
    const { transactions, accepted, rejected } = unsupported.json;
    expect({ transactions, accepted, rejected }).toEqual({ transactions: 2, accepted: 1, rejected: 1 });
  });

  it('opens an exception for a reused or skipped control number', async () => {
    const { http } = await freshTenant(service.operator);
    const body = fixture('x12/fixtures/eligibility.271').toString('latin1');
    const numbered = (number: string, text = body) => text.replaceAll('000000061', number);
    await http.post(RAW, body, x12);
    const repeat = await http.post(RAW, numbered('000000061', body.replace('SYN-REF-3', 'SYN-REF-9')), x12);
    expect(repeat.status).toBe(200);
    await http.post(RAW, numbered('000000064'), x12);
    const { json } = await http.get('/v1/exceptions?kind=CONTROL_NUMBER_GAP');
    const told = (json.items as { detail: { what: string; found: number } }[]).map(({ detail }) => detail);
    expect(told).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ what: 'REPEAT', found: 61 }),
        expect.objectContaining({ what: 'GAP', found: 64 }),
      ]),
    );
  });
});

describe('another format', () => {
  it('answers HL7 v2 with an ACK, bare under both media types', async () => {
    const { http } = await freshTenant(service.operator);
    const hl7 = { 'content-type': 'application/hl7-v2' };
    const answer = await http.post(RAW, fixture('hl7v2/fixtures/admit.hl7'), hl7);
    expect(answer.json.acknowledgement).toMatchObject({ format: 'hl7v2', media_type: 'application/hl7-v2' });
    for (const accept of ['application/hl7-v2', 'x-application/hl7-v2+er7']) {
      const alone = await http.post(RAW, fixture('hl7v2/fixtures/admit.hl7'), { ...hl7, accept });
      expect(alone.headers.get('content-type')).toContain(accept);
      expect(alone.text).toMatch(/^MSH.*\rMSA\|AA\|/);
    }
  });

  it('answers in JSON if the request accepts the format of another body', async () => {
    const { http } = await freshTenant(service.operator);
    for (const accept of ['application/hl7-v2', '*/*', 'application/json', 'application/edi-x12;q=0']) {
      const answer = await http.post(RAW, fixture('x12/fixtures/professional.837'), { ...x12, accept });
      expect(answer.headers.get('content-type')).toContain('application/json');
      expect(answer.json.format).toBe('x12');
    }
    const refused = await http.post(RAW, 'just some text', { 'content-type': 'text/plain', ...bare });
    expect([refused.status, refused.json.error?.code ?? refused.json.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});
