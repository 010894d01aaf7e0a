import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { runServiceCommand } from '../support/commands.js';
import { envelope } from '../support/envelopes.js';
import { eventually } from '../support/eventually.js';
import { freshTenant, Http } from '../support/http.js';
import { startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService;
let client: MongoClient;
beforeAll(async () => {
  service = await startWholeService();
  client = await MongoClient.connect(service.databaseUri);
});
afterAll(async () => {
  await client.close();
  await service.stop();
});

const audit = (...args: readonly string[]) => runServiceCommand('audit', args);

/** A tenant with events, and a map above them that a checkpoint covers. */
async function mapped(operator: Http): Promise<{ readonly tenantId: string; readonly http: Http }> {
  const { tenantId, http } = await freshTenant(operator, ['admin']);
  for (const n of [1, 2, 3]) expect((await http.post('/v1/events', envelope(n))).status).toBe(200);
  const { json } = await http.post('/v1/bundles', { scope: { member_id: 'M-1' } });
  // The build of a bundle waits for a map under a checkpoint.
  const sealed = await eventually(
    () => http.get(`/v1/bundles/${json.bundle_id}`),
    (answer) => answer.json.status !== 'REQUESTED' && answer.json.status !== 'BUILDING',
  );
  expect(sealed.json.status).toBe('SEALED');
  return { tenantId, http };
}

const verdictOf = async (tenantId: string) => {
  const { code, text } = await audit(service.databaseUri, '--tenant', tenantId, '--json');
  return { code, ...JSON.parse(text) };
};

describe('npm run audit', () => {
  it('says VALID with the folded root and the checkpoint, and exits with 0', async () => {
    const { tenantId } = await mapped(service.operator);
    const found = await verdictOf(tenantId);
    expect(found).toMatchObject({ code: 0, tenant_id: tenantId, verdict: 'VALID', fault: null, differing: [] });
    expect(found.folded).toBe(found.map.root);
    const { text } = await audit(service.databaseUri, '--tenant', tenantId);
    expect(text).toMatch(
      new RegExp(
        `^${tenantId}: VALID\n {2}map of the first \\d+ entries: ([0-9a-f]{64}) .*\n {2}folded from \\d+ entries: \\1\n`,
      ),
    );
  });

  it.each<[string, RegExp, (row: Document) => Document]>([
    ['gives an event to another member', /^[^_]/, () => ({ member_tag: 'f'.repeat(64) })],
    ['gives an event another hash', /^[^_]/, () => ({ entry_hash: 'f'.repeat(64) })],
    [
      'changes a byte of a fact',
      /^_records$/,
      ({ record }) => ({ record: Buffer.concat([record.buffer, Buffer.of(32)]) }),
    ],
  ])('says INVALID and exits with 1 when someone %s', async (_what, source_system, edit) => {
    const { tenantId } = await mapped(service.operator);
    const ledger = client.db('eas').collection<Document>('ledger');
    const row = await ledger.findOne({ tenant_id: tenantId, source_system });
    if (row === null) throw new Error('no entry');
    await ledger.updateOne({ _id: row._id }, { $set: edit(row) });
    expect(await verdictOf(tenantId)).toMatchObject({ code: 1, verdict: 'INVALID' });
  });

  it('reads the data folder of a stopped service, and leaves it as it is', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'audited-'));
    try {
      const running = await startServiceProcess(dataDir);
      const { tenantId } = await mapped(new Http(running.url, TEST_OPERATOR_KEY));
      await running.stop();
      const { code, text } = await audit(dataDir, '--json');
      const found = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(found).toContainEqual(expect.objectContaining({ tenant_id: tenantId, verdict: 'VALID' }));
      expect(code).toBe(found.every(({ verdict }) => verdict === 'VALID') ? 0 : 1);
      const [keys, away] = [`${dataDir}-signer/data-keys.json`, join(dataDir, 'keys-elsewhere.json')];
      await rename(keys, away);
      expect(await audit(dataDir)).toMatchObject({ code: 2, text: expect.stringMatching(/is encrypted.*--keys FILE/) });
      expect((await audit(dataDir, '--json', '--keys', away)).text).toBe(text);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it.each([
    ['no place', [], /Name one folder or URI/],
    ['an option that it does not have', ['a', '--fold'], /--fold/],
    ['a folder without data', [tmpdir()], /is missing: name a backup or a data folder/],
    ['a tenant that cannot be', ['a', '--tenant', 'Not A Tenant'], /must be a tenant id/],
  ])('refuses %s in one sentence', async (_what, args, sentence) => {
    const { code, text } = await audit(...args);
    expect(code).toBe(2);
    expect(text).toMatch(sentence);
    expect(text).not.toContain('    at ');
  });

  it('refuses a tenant that the copy does not hold', async () => {
    expect(await audit(service.databaseUri, '--tenant', 'never-made')).toEqual({
      code: 2,
      text: 'The copy holds no ledger, or none of that tenant.\n',
    });
  });
});
