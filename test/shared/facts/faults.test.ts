import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubgraphName } from '../../../shared/graph/subgraph-names.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { FAULT_KINDS, type FaultKind, Faults } from '../../ledger/append/faults.js';
import { eventually } from '../../support/eventually.js';
import {
  Acts,
  openVault,
  startTestServer,
  type TestServer,
  type VaultProcess,
} from '../../vault/retention/retention-kit.js';
import { faultyDatabase } from './faulty-database.js';

// Every call of the database that a change or a read of a proven record makes is spoilt. Then another process, without
// faults, reads the record and repeats the change, and the ledger verifies. Here some calls are spoilt;
// `npm run test:long` spoils each call in every way.

const STRIDE = Number(process.env['FAULT_STRIDE'] ?? 29);
/** Each round opens a process; every call spoilt makes some twenty rounds. */
const MOST_MS = STRIDE === 1 ? 1_800_000 : 180_000;
/** Far more than any of them makes; a loop that comes here is broken. */
const MOST_CALLS = 400;
const SETTINGS = { SERVICE_REDACTION_TWO_PEOPLE: 'false' };

let server: TestServer;
let next: VaultProcess;
let stopWork: () => Promise<unknown>;
let nextTenant = 0;

beforeAll(async () => {
  server = await startTestServer();
  next = await openVault(server, { env: SETTINGS });
  const works = next.local.all.map((subgraph) => subgraph.background());
  stopWork = () => Promise.all(works.map((work) => work.stop()));
});

afterAll(async () => {
  await stopWork();
  await next.close();
  await server.stop();
});

/** The subject of a round, and a process that serves it. */
interface Round {
  readonly vault: VaultProcess;
  readonly tenant: TenantId;
  readonly id: string;
}

interface Spoilt {
  readonly name: string;
  /** Returns the identifier of the record. */
  readonly prepare: (vault: VaultProcess, tenant: TenantId) => Promise<string>;
  readonly work: (round: Round) => Promise<unknown>;
  /** The state that a process without faults reads. */
  readonly state: (round: Round) => Promise<string>;
  readonly before: string;
  readonly after: string;
}

const field = async (
  { vault, tenant }: Pick<Round, 'vault' | 'tenant'>,
  subgraph: SubgraphName,
  [document, variables]: readonly [string, object],
) => Object.values(await vault.ask(subgraph, tenant, document, variables))[0] as Record<string, string>;

const matterOf = (round: Omit<Round, 'id'>) =>
  field(round, 'bundles', [
    'mutation($input: LegalMatterInput!) { createLegalMatter(input: $input) { matter_id } }',
    { input: { name: 'Roe v. Acme', kind: 'LITIGATION' } },
  ]);

async function redactionOf(vault: VaultProcess, tenant: TenantId): Promise<string> {
  const [event = ''] = await new Acts(vault, tenant).ingest(['one'], { payload: { note: 'unutterable' } });
  const subject = { kind: 'EVENT', id: event };
  const input = { subject, pointers: ['/payload/note'], reason: 'r', basis: 'b' };
  const draft = 'mutation($input: RedactionDraft!) { draftRedaction(input: $input) { redaction_id } }';
  const { redaction_id = '' } = await field({ vault, tenant }, 'vault', [draft, { input }]);
  return `${redaction_id} ${event}`;
}

const EVENT = 'query($id: String!) { event(event_id: $id) { event_id state payload } }';

const WORKS: readonly Spoilt[] = [
  {
    name: 'the release of a hold',
    prepare: (vault, tenant) => new Acts(vault, tenant).hold({ member_ids: ['M-1'] }),
    work: ({ vault, tenant, id }) => new Acts(vault, tenant).release(id),
    state: async ({ vault, tenant, id }) => (await new Acts(vault, tenant).readHold(id)).status,
    before: 'ACTIVE',
    after: 'RELEASED',
  },
  {
    name: 'a read of a hold whose row a crash left out',
    prepare: async (vault, tenant) => {
      const id = await new Acts(vault, tenant).hold({ member_ids: ['M-1'] });
      await next.database.db.collection<{ _id: string }>('legal_holds').deleteOne({ _id: id });
      return id;
    },
    work: ({ vault, tenant, id }) => new Acts(vault, tenant).readHold(id),
    state: async ({ vault, tenant, id }) => (await new Acts(vault, tenant).readHold(id)).status,
    before: 'ACTIVE',
    after: 'ACTIVE',
  },
  {
    name: 'the close of a matter',
    prepare: async (vault, tenant) => (await matterOf({ vault, tenant }))['matter_id'] ?? '',
    work: (round) =>
      field(round, 'bundles', [
        'mutation($id: String!) { closeLegalMatter(matter_id: $id) { status } }',
        { id: round.id },
      ]),
    state: async (round) =>
      (
        await field(round, 'bundles', [
          'query($id: String!) { legalMatter(matter_id: $id) { status } }',
          { id: round.id },
        ])
      )['status'] ?? '',
    before: 'OPEN',
    after: 'CLOSED',
  },
  {
    name: 'the redaction of an event',
    prepare: redactionOf,
    work: (round) =>
      field(round, 'vault', [
        'mutation($id: String!) { applyRedaction(redaction_id: $id) { status } }',
        { id: round.id.split(' ')[0] },
      ]),
    state: async (round) => {
      const { state } = await field(round, 'ledger', [EVENT, { id: round.id.split(' ')[1] }]);
      return state ?? '';
    },
    before: 'INCLUDED',
    after: 'REDACTED',
  },
];

/** Repeats the change. The sweep of effects completes a change with a committed order. */
async function complete(round: Round, { work, state, after }: Pick<Spoilt, 'work' | 'state' | 'after'>): Promise<void> {
  next.clock.advance(1);
  const refusal = await work(round).then(
    () => null,
    (error: unknown) => error,
  );
  if (refusal === null) return;
  expect(refusal).toMatchObject({ code: 'INVALID_TRANSITION' });
  await eventually(
    () => state(round),
    (found) => found === after,
  );
}

/** Spoils the n-th call of the work; false when there is no n-th call. */
async function spoil(n: number, kind: FaultKind, { prepare, work, state, before, after }: Spoilt): Promise<boolean> {
  const faults = new Faults();
  const through = (database: VaultProcess['database']) => faultyDatabase(database, faults);
  const failing = await openVault(server, { env: SETTINGS, clock: next.clock, through });
  try {
    const tenant = await next.tenant(`spoilt-facts-${nextTenant++}`);
    const id = await prepare(failing, tenant);
    faults.arm(n, kind);
    const outcome = await work({ vault: failing, tenant, id }).then(
      () => 'done',
      () => 'failed',
    );
    const { struck } = faults;
    // A process that crashed does nothing any more.
    if (kind !== 'crash') faults.disarm();
    const round = { vault: next, tenant, id };
    const found = await state(round);
    expect({ n, kind, found }).toEqual({
      n,
      kind,
      found: outcome === 'done' ? after : expect.stringMatching(`^(${before}|${after})$`),
    });
    if (found !== after) await complete(round, { work, state, after });
    const { breaks } = await new Acts(next, tenant).verify();
    expect({ n, kind, found: await state(round), breaks }).toEqual({ n, kind, found: after, breaks: [] });
    return struck;
  } finally {
    faults.disarm();
    await failing.close();
  }
}

describe.each(FAULT_KINDS)('a spoilt call (%s)', (kind) => {
  it.each(WORKS)(
    'of $name leaves a proven record in the old or the new state, and the change can be repeated',
    async (spoilt) => {
      const first = 1 + ((FAULT_KINDS.indexOf(kind) * 2) % STRIDE);
      let n = first;
      while (n < MOST_CALLS && (await spoil(n, kind, spoilt))) n += STRIDE;
      expect(n).toBeGreaterThan(first);
      expect(n).toBeLessThan(MOST_CALLS);
    },
    MOST_MS,
  );
});
