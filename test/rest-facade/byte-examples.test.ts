import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

// Examples of bodies that are not JSON are what the service takes and sends.

// biome-ignore lint/suspicious/noExplicitAny: the description is what the test is about to judge.
type Json = any;

let service: WholeService;
let description: Json;
beforeAll(async () => {
  service = await startWholeService();
  description = (await service.operator.as(null).get('/v1/openapi.json')).json;
});
afterAll(() => service.stop());

const bytesOf = ({ example, examples }: Json): Buffer =>
  example === undefined ? Buffer.from(examples.base64.value, 'base64') : Buffer.from(example);
const mediaOf = (path: string): Json => description.paths[path].get.responses['200'].content;

describe('the examples of the OpenAPI description', () => {
  it('are raw messages that POST /v1/ingest/raw reads, each with an event', async () => {
    const { content } = description.paths['/v1/ingest/raw'].post.requestBody;
    const raw = Object.entries<Json>(content).filter(
      ([type]) => !['multipart/form-data', 'application/json'].includes(type),
    );
    expect(raw.length).toBeGreaterThan(15);
    for (const [type, media] of raw) {
      const { http } = await freshTenant(service.operator);
      const body = new Uint8Array(bytesOf(media));
      const sent = type === 'multipart/mixed' ? `${type}; boundary=part` : type;
      const { status, json } = await http.post('/v1/ingest/raw', body, { 'content-type': sent });
      expect({ type, status, accepted: json.accepted, rejected: json.rejected }).toEqual({
        type,
        status: 200,
        accepted: 1,
        rejected: 0,
      });
    }
  });

  it('are a wrapper in JSON that POST /v1/ingest/raw reads', async () => {
    const { example } = description.paths['/v1/ingest/raw'].post.requestBody.content['application/json'];
    const { http } = await freshTenant(service.operator);
    expect((await http.post('/v1/ingest/raw', example)).json).toMatchObject({ accepted: 1, rejected: 0 });
  });

  it('are acknowledgements of the kind that a sender gets', async () => {
    const { content } = description.paths['/v1/ingest/raw'].post.requestBody;
    const answers = description.paths['/v1/ingest/raw'].post.responses['200'].content;
    const starts: Readonly<Record<string, RegExp>> = {
      'application/edi-x12': /^ISA[^~]+~\s*(TA1[^~]+~\s*)?GS\*FA\*SUMMITPLAN\*NORTHCLINIC.*ST\*999.*AK9\*A\*1\*1\*1/s,
      'application/hl7-v2': /^MSH\|\^~\\&\|EAS\|ACME\|EHR\|GENERAL\|.*\rMSA\|AA\|MSG00001\r$/,
      'application/fhir+xml': /^<OperationOutcome xmlns="http:\/\/hl7.org\/fhir">/,
      'application/x-ncpdp': /^D0E11A011234567893/,
      'application/xml': /<RelatesToMessageID>MSG-3<\/RelatesToMessageID>.*<Status><Code>010<\/Code><\/Status>/,
    };
    for (const [type, start] of Object.entries(starts)) {
      const { http } = await freshTenant(service.operator);
      const headers = { 'content-type': type, accept: type };
      const { text } = await http.post('/v1/ingest/raw', bytesOf(content[type]).toString(), headers);
      expect(text).toMatch(start);
      expect(answers[type].example).toMatch(start);
    }
  });

  it('have the lines of a real checkpoint and a real proof', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const content = 'service: MRI of the knee';
    const envelope = {
      event_family: 'note',
      event_type: 'note.recorded',
      source_system: 'um-core',
      source_record_id: 'N-1',
      event_effective_timestamp: '2026-03-02T14:11:09.123Z',
      payload: { content },
    };
    const { json } = await http.post('/v1/events', envelope);
    const text = { accept: 'text/plain' };
    const shapeOf = (lines: string): string =>
      lines
        .replace(/[\w.-]+\/eas\/log_\w+\/inc-\d+/g, 'ORIGIN')
        .replace(/[A-Za-z0-9+/]{43,}=*/g, 'HASH')
        .replace(/\d+/g, 'N');
    const latest = await http.get('/v1/ledger/checkpoints/latest', text);
    expect(shapeOf(mediaOf('/v1/ledger/checkpoints/latest')['text/plain'].example)).toBe(shapeOf(latest.text));
    const proof = await http.get(`/v1/events/${json.event_id}/proof`, text);
    const [first, index] = shapeOf(mediaOf('/v1/events/{id}/proof')['text/plain'].example).split('\n');
    expect(shapeOf(proof.text).split('\n').slice(0, 2)).toEqual([first, index]);
    const verified = await http.get('/v1/ledger/verify', { accept: 'application/x-ndjson' });
    const typesOf = (lines: string): string[] =>
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type);
    const shown = typesOf(mediaOf('/v1/ledger/verify')['application/x-ndjson'].example);
    expect(new Set(typesOf(verified.text))).toEqual(new Set(shown));
  });
});
