import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { applied, peopleOf } from '../redactions/redaction-kit.js';
import { upload } from '../vault-kit.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_DOCUMENT_WORK_MS: '30000' });
}, 180_000);
afterAll(() => service.stop());

const SECRET = 'Wilhelmina';

describe('GET /v1/documents over redacted documents', () => {
  it('finds nothing by a hidden file name, tag or hash, and shows no gap in a page', async () => {
    const all = await peopleOf(service.operator);
    const filename = `${SECRET}.txt`;
    const file = { bytes: Buffer.from(`Dear ${SECRET},`), filename, type: 'text/plain' };
    const made = await upload(all.clerk, file, { tags: [SECRET, 'letter'] });
    const { document_id: id, sha256 } = made.json;
    const done = await applied(all, { subject: { kind: 'DOCUMENT', id }, terms: [SECRET] });
    expect(done.status).toBe(200);
    const shown = (await all.reader.get(`/v1/documents/${id}/metadata`)).json;
    expect(JSON.stringify(shown)).not.toContain(SECRET);
    for (const filter of [`filename=${filename}`, `tag=${SECRET}`, `sha256=${sha256}`]) {
      const hidden = await all.reader.get(`/v1/documents?limit=1&${filter}`);
      expect([hidden.status, hidden.json]).toEqual([200, { items: [], next_cursor: null }]);
      expect((await all.trusted.get(`/v1/documents?${filter}`)).json.items).toHaveLength(1);
    }
    const visible = [`filename=${encodeURIComponent(shown.filename)}`, 'tag=letter', `sha256=${shown.sha256}`];
    for (const filter of visible) {
      expect((await all.reader.get(`/v1/documents?${filter}`)).json.items).toHaveLength(1);
    }
  });
});
