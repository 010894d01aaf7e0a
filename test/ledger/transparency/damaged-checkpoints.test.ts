import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import {
  Acts,
  openVault,
  startTestServer,
  type TestServer,
  type VaultProcess,
} from '../../vault/retention/retention-kit.js';

// Someone with the driver edits the row of a signed checkpoint.

let server: TestServer;
let vault: VaultProcess;
let next = 1;

beforeAll(async () => {
  server = await startTestServer();
  vault = await openVault(server);
});
afterAll(async () => {
  await vault.close();
  await server.stop();
});

interface Published {
  readonly acts: Acts;
  readonly eventId: string;
  readonly id: string;
}

const rows = () => vault.database.db.collection<Document & { _id: string }>('ledger_checkpoints');

/** A tenant with one event under one checkpoint. */
async function published(): Promise<Published> {
  const acts = new Acts(vault, await vault.tenant(`checkpoints-${next++}`));
  const [eventId = ''] = await acts.ingest([1]);
  const { checkpoint_id: id } = await vault.local.deps.checkpoints.force(acts.tenant);
  return { acts, eventId, id };
}

const READS: readonly (readonly [string, (of: Published) => Promise<unknown>])[] = [
  ['the list', ({ acts }) => vault.ask('ledger', acts.tenant, '{ checkpoints { items { root_hash } } }')],
  ['the latest', ({ acts }) => vault.ask('ledger', acts.tenant, '{ latestCheckpoint { root_hash } }')],
  [
    'the read by id',
    ({ acts, id }) => {
      const query = 'query($id: String!) { checkpoint(checkpoint_id: $id) { root_hash } }';
      return vault.ask('ledger', acts.tenant, query, { id });
    },
  ],
  [
    'the proof of an event',
    ({ acts, eventId }) => {
      const query = 'query($id: String!) { eventProof(event_id: $id) { tree_index } }';
      return vault.ask('ledger', acts.tenant, query, { id: eventId });
    },
  ],
];

const codeOf = (read: Promise<unknown>): Promise<unknown> =>
  read.then(
    () => 'ANSWERED',
    ({ code }: { code?: unknown }) => code,
  );

const EXCEPTIONS = '{ exceptions(kind: "CHAIN_BREAK") { items { subject { kind id } } } }';

describe('a stored checkpoint', () => {
  it.each<[string, Document]>([
    ['a note that is a number', { $set: { note: 7 } }],
    ['no note', { $unset: { note: true } }],
    ['a number that is a text', { $set: { number: 'one' } }],
    ['a time that is a text', { $set: { published_at: 'yesterday' } }],
    ['witnesses that are no list', { $set: { witnesses: 'none' } }],
    ['another root', { $set: { root_hash: '0'.repeat(64) } }],
    ['another note', { $set: { note: 'forged\n1\nAAAA\n' } }],
    ['the key of nobody', { $set: { key_id: 'forged' } }],
    ['another incarnation', { $set: { incarnation: 2 } }],
  ])('fails every read of it, and opens an exception, when it has %s', async (_, change) => {
    const of = await published();
    for (const [name, read] of READS) expect([name, await codeOf(read(of))]).toEqual([name, 'ANSWERED']);
    await rows().updateOne({ _id: of.id }, change);
    for (const [name, read] of READS) {
      // The proof of an event reads the newest checkpoint of the current incarnation.
      expect([name, await codeOf(read(of))]).toEqual([name, 'INTEGRITY_FAILURE']);
    }
    const { exceptions } = await vault.ask('ledger', of.acts.tenant, EXCEPTIONS);
    expect(exceptions.items).toContainEqual({ subject: { kind: 'CHECKPOINT', id: of.id } });
  });

  it('names a malformed row to the reader of an event too', async () => {
    const of = await published();
    await rows().updateOne({ _id: of.id }, { $set: { note: 7 } });
    expect(await of.acts.stateOf(of.eventId)).toBe('INTEGRITY_FAILURE');
    const { exceptions } = await vault.ask('ledger', of.acts.tenant, EXCEPTIONS);
    expect(exceptions.items).toContainEqual({ subject: { kind: 'CHECKPOINT', id: of.id } });
  });
});
