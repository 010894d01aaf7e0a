import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { startTestServer, type TestServer } from '../../vault/retention/retention-kit.js';
import { StatesProcess, type Verdict } from './states-kit.js';
import { harmsOf, sampled, whileHarmed } from './type-fuzz-kit.js';

// Whatever the row of a record holds, verification answers; and it names each field that a fact states.

const ROUNDS = Math.ceil(Number(process.env['TYPE_FUZZ_ROUNDS'] ?? 40) / 5);
const SEED = Number(process.env['TYPE_FUZZ_SEED'] ?? 20);

/** The records are made by the whole service, one after another. */
const SETUP_MS = 600_000;

let server: TestServer;
let states: StatesProcess;
let tenant: TenantId;

beforeAll(async () => {
  server = await startTestServer();
  states = await StatesProcess.open(server);
  tenant = await states.tenant();
  await states.disposed(tenant, 1, 2);
  for (const name of ['M-1', 'M-2']) await states.records(tenant, name);
  for (const [id, family] of Object.entries({ 'M-a': 'Aldrich', 'M-b': 'Brewster', 'M-c': 'Czerny' })) {
    await states.member(tenant, id, family);
  }
  await states.merge(tenant, 'M-a', 'M-b');
  await states.merge(tenant, 'M-a', 'M-c');
  await states.consent(tenant, 'C-1', 'TREATMENT');
  await states.revoke(tenant, await states.consent(tenant, 'C-1', 'RESEARCH'));
  await states.consent(tenant, 'C-2', 'TREATMENT');
  await states.consentPolicy(tenant, 'sud-clinic');
  await states.policies(tenant, 6);
  await states.rule(tenant, 'acme-50', 'First');
  await states.rule(tenant, 'other-50', 'Other');
  await states.settle();
}, SETUP_MS);

afterAll(async () => {
  await states.close();
  await server.stop();
});

const COLLECTIONS = [
  'documents',
  'event_redactions',
  'redactions',
  'disposals',
  'legal_holds',
  'legal_matters',
  'bundles',
  'members',
  'member_merges',
  'consents',
  'consent_heads',
  'consent_policies',
  'retention_policies',
  'rules',
] as const;

/** Names of the members that the fact of a row states. */
async function statedIn({ fact }: Document): Promise<ReadonlySet<string>> {
  const place = { tenant_id: tenant, source_system: fact?.source_system, seq: fact?.seq };
  const entry = await states.rows('ledger').findOne({ _id: place as never });
  const { payload } = entry ? JSON.parse(Buffer.from(entry['record'].buffer).toString('utf8')) : { payload: {} };
  return new Set(['fact', ...Object.keys(payload.state ?? {})]);
}

/** The verdict, or the code of the failure. */
const verdict = (): Promise<Verdict | { readonly failed: string }> =>
  states.verify(tenant).catch((error: unknown) => ({ failed: String((error as { code?: unknown }).code ?? error) }));

/** Two rows of the tenant, or the only one twice. */
async function twoRows(rows: Collection<Document>): Promise<readonly [Document, Document]> {
  const filter = { $or: [{ tenant_id: tenant }, { '_id.tenant_id': tenant }] };
  const [row, other = row] = await rows.find(filter).sort({ _id: 1 }).limit(2).toArray();
  if (row === undefined || other === undefined) throw new Error('no row of this collection');
  return [row, other];
}

describe('verification over records of wrong types', () => {
  it.each(COLLECTIONS)('answers for any value in %s, and names each field that a fact states', async (collection) => {
    const rows = states.rows(collection) as unknown as Collection<Document>;
    const [row, other] = await twoRows(rows);
    const stated = await statedIn(row);
    for (const harm of sampled(harmsOf(row, other), ROUNDS, SEED)) {
      await whileHarmed(rows, row, harm, async () => {
        const where = { collection, path: harm.path, name: harm.name };
        const found = await verdict();
        const isAnswer = 'valid' in found && found.valid === (found.breaks.length === 0);
        expect({ ...where, isAnswer, found }).toMatchObject({ ...where, isAnswer: true });
        // A fact states a missing member as null.
        const isSame = row[harm.path] === null && harm.name === 'nothing';
        if (isSame || !stated.has(harm.path.split('.')[0] ?? '')) return;
        expect({ ...where, found }).toMatchObject({ ...where, found: { valid: false } });
      });
    }
    expect(await verdict()).toMatchObject({ valid: true, breaks: [] });
  });
});
