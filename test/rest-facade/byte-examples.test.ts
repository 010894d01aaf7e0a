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
});
