import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { repositoryFile } from '../../app/repository.js';
import { connectDatabase, type Database } from '../../shared/db/database.js';
import { freshTenant } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { makeOld, OLD_KINDS, type OldKind, type Tenant } from './old-rows-kit.js';

// `npm run facts:adopt` gives rows of earlier versions their first facts, and adopts no row that someone has forged.

const MASTER_KEY = '11'.repeat(32);
const APPLY = ['--apply', '--reason', 'The service was upgraded.', '--by', 'operator@plan.example'];

let service: WholeService;
let database: Database;
let dataDir: string;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_MASTER_KEY: MASTER_KEY, SERVICE_REDACTION_TWO_PEOPLE: 'false' });
  database = await connectDatabase(service.databaseUri);
  dataDir = await mkdtemp(join(tmpdir(), 'facts-adopt-'));
});
afterAll(async () => {
  await database.close();
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly lines: readonly string[];
}

/** Runs the command on the database of the service. */
function adopt(...args: readonly string[]): Promise<Ran> {
  const env = {
    ...process.env,
    MONGODB_URI: service.databaseUri,
    SERVICE_DATA_DIR: dataDir,
    SERVICE_MASTER_KEY: MASTER_KEY,
    SERVICE_LOG_LEVEL: 'silent',
  };
  const command = [repositoryFile('dist/app/commands/facts-adopt.js'), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { env }, (error, stdout) => {
      const code = typeof error?.code === 'number' ? error.code : 0;
      resolve({ code, lines: stdout.split('\n').filter((line) => line !== '') });
    });
  });
}

const fresh = (): Promise<Tenant> => freshTenant(service.operator, ['admin']);

const verified = async ({ http }: Tenant) => (await http.get('/v1/ledger/verify')).json;

const ledger = () => database.db.collection<Document>('ledger');

/** The entries of a tenant that the command has appended. */
const adoptionsOf = ({ tenantId }: Tenant) =>
  ledger().countDocuments({
    tenant_id: tenantId,
    'query.event_type': { $in: ['record.adopted', 'records.adopted'] },
  });

/** Of the queue that a row waits in: the running service claims it meanwhile. */
const QUEUE_FIELDS = { claims: 0, lease_owner: 0, lease_token: 0, lease_until: 0, next_attempt_at: 0 } as const;

const rowsOf = (kind: OldKind, { tenantId }: Tenant) => {
  const filter = kind.kind === 'event-redaction' ? { '_id.tenant_id': tenantId } : { tenant_id: tenantId };
  return database.db
    .collection<Document>(kind.collection)
    .find(filter, { sort: { _id: 1 }, projection: QUEUE_FIELDS })
    .toArray();
};

type Old = Awaited<ReturnType<typeof makeOld>>;

describe('facts:adopt on the rows of every kind', () => {
  let target: Tenant;
  const old = new Map<OldKind, Old>();
  const before = new Map<OldKind, { readonly status: number; readonly rows: readonly Document[] }>();
  const unchanged = new Map<OldKind, readonly Document[]>();
  let ran: { readonly list: Ran; readonly apply: Ran; readonly again: Ran };
  let noted: number;

  beforeAll(async () => {
    const source = await fresh();
    target = await fresh();
    for (const kind of OLD_KINDS) old.set(kind, await makeOld(database.db, kind, source, target));
    for (const [kind, moved] of old) {
      const { status } = await kind.read(moved);
      before.set(kind, { status, rows: await rowsOf(kind, target) });
    }
    const list = await adopt(target.tenantId);
    for (const [kind] of old) unchanged.set(kind, await rowsOf(kind, target));
    noted = await adoptionsOf(target);
    const apply = await adopt(...APPLY, target.tenantId);
    ran = { list, apply, again: await adopt(...APPLY, target.tenantId) };
  });

  it.each(OLD_KINDS)('$kind: fails reads before, lists without writing, then shows the record', async (kind) => {
    const moved = old.get(kind);
    if (!moved) throw new Error('no record');
    expect(before.get(kind)?.status).toBe(500);
    expect(unchanged.get(kind)).toEqual(before.get(kind)?.rows);
    expect(ran.list.lines).toContainEqual(
      expect.stringMatching(new RegExp(`^${target.tenantId} ${kind.kind}: \\d+ ADOPT$`)),
    );
    expect(ran.apply.lines).toContainEqual(
      expect.stringMatching(new RegExp(`^${target.tenantId} ${kind.kind}: \\d+ ADOPTED$`)),
    );
    const { status, text } = await kind.read(moved);
    expect([status, text]).toEqual([200, expect.not.stringContaining('unutterable')]);
  });

  it('writes nothing without --apply, and says so', () => {
    expect(ran.list.code).toBe(0);
    expect(noted).toBe(0);
    expect(ran.list.lines.at(-1)).toContain('nothing was written');
  });

  it('adopts nothing in a second run', () => {
    expect(ran.apply.code).toBe(0);
    expect(ran.again).toEqual({ code: 0, lines: [] });
  });

  it('leaves rows that verification proves', async () => {
    const { breaks, valid } = await verified(target);
    expect({ breaks, valid }).toEqual({ breaks: [], valid: true });
  });

  it('notes who adopted how many rows of which kind, and why', async () => {
    const { items } = (await target.http.get('/v1/events?source_system=_system&event_type=records.adopted')).json;
    expect(items).toHaveLength(1);
    const { payload } = items[0];
    expect(payload).toMatchObject({ reason: APPLY[2], by: APPLY[4], before: 'NOT_PROVEN' });
    expect(payload.kinds.map(({ kind }: Document) => kind).sort()).toEqual(OLD_KINDS.map(({ kind }) => kind).sort());
  });

  it.each(OLD_KINDS.filter(({ step }) => step !== undefined))('$kind: takes the next step', async (kind) => {
    const moved = old.get(kind);
    if (!moved || !kind.step) throw new Error('no record');
    const { status, text } = await kind.step(moved);
    expect(status < 300 ? '' : text).toBe('');
    expect((await kind.read(moved)).status).toBe(200);
  });

  it('leaves rows that verification proves after their next steps', async () => {
    const { breaks, valid } = await verified(target);
    expect({ breaks, valid }).toEqual({ breaks: [], valid: true });
    expect(await adopt(...APPLY, target.tenantId)).toEqual({ code: 0, lines: [] });
  });
});

type Rows = Collection<Document & { _id: string }>;

/** A tenant with one hold of an earlier version, and the hold's row. */
interface OldHold {
  readonly target: Tenant;
  readonly id: string;
  readonly row: Document & { _id: string };
  readonly holds: Rows;
}

async function withOldHold(): Promise<OldHold> {
  const [kind] = OLD_KINDS;
  if (kind?.kind !== 'hold') throw new Error('the first kind is that of holds');
  const [source, target] = [await fresh(), await fresh()];
  const { id } = await makeOld(database.db, kind, source, target);
  const holds: Rows = database.db.collection('legal_holds');
  const row = await holds.findOne({ _id: id });
  if (row === null) throw new Error('no row');
  return { target, holds, row, id };
}

const statusOf = async ({ http }: Tenant, id: string): Promise<number> =>
  (await http.get(`/v1/legal-holds/${id}`)).status;

const lineOf = ({ lines }: Ran, id: string): string | undefined => lines.find((line) => line.includes(id));

/** Another hold that the service places in the tenant today. */
async function placed({ http }: Tenant): Promise<string> {
  const body = { name: 'New', scope: { member_ids: ['M-9'] }, reason: 'Litigation.', authority: 'Counsel' };
  const { status, json, text } = await http.post('/v1/legal-holds', body);
  if (status >= 300) throw new Error(text);
  return json.hold_id;
}

const inserted = async ({ holds, row }: OldHold, created_at: Date): Promise<string> => {
  const _id = `hld_${row._id.slice(4, -4)}F0RG`;
  await holds.insertOne({ ...row, _id, created_at });
  return _id;
};

const changed = async ({ holds, id }: OldHold, change: object): Promise<string> => {
  await holds.updateOne({ _id: id }, change);
  return id;
};

const HOUR_MS = 3_600_000;
const NEWER = 'is newer than the first fact of its kind';
const UNKNOWN_FACT = { source_system: '_records', seq: 7, entry_hash: 'f'.repeat(64) };

/** A row that must not be adopted: how someone makes it, which returns its identifier, and what the command says. */
const REFUSED: readonly (readonly [string, (old: OldHold) => Promise<string>, string])[] = [
  [
    'names a fact that the ledger does not have',
    (old) => changed(old, { $set: { fact: UNKNOWN_FACT } }),
    'it names a fact that the ledger does not have',
  ],
  [
    'names no fact although its subject has facts',
    async (old) => {
      const id = await placed(old.target);
      return changed({ ...old, id }, { $unset: { fact: true }, $set: { reason: 'Forged.' } });
    },
    'the ledger has facts of its subject',
  ],
  ['has a member of a wrong type', (old) => changed(old, { $set: { reason: 7 } }), 'wrong types'],
  ['has no history', (old) => changed(old, { $set: { history: [] } }), 'wrong types'],
  ['has an unknown member', (old) => changed(old, { $set: { forged: true } }), 'wrong types'],
  ['has a fact that is null', (old) => changed(old, { $set: { fact: null } }), 'wrong types'],
  [
    NEWER,
    async (old) => {
      await placed(old.target);
      return inserted(old, new Date(Date.now() + HOUR_MS));
    },
    'facts of its kind are older',
  ],
];

describe('a row that facts:adopt refuses and names', () => {
  const cases = new Map<string, { readonly old: OldHold; readonly id: string }>();
  let ran: Ran;
  let included: Ran;
  const caseOf = (name: string) => {
    const found = cases.get(name);
    if (!found) throw new Error('no case');
    return found;
  };

  beforeAll(async () => {
    for (const [name, make] of REFUSED) {
      const old = await withOldHold();
      cases.set(name, { old, id: await make(old) });
    }
    const tenants = [...cases.values()].map(({ old }) => old.target.tenantId);
    ran = await adopt(...APPLY, ...tenants);
    included = await adopt(...APPLY, '--including-newer', ...tenants);
  });

  it.each(REFUSED)('%s', async (name, _, words) => {
    const { old, id } = caseOf(name);
    expect(lineOf(ran, id)).toEqual(expect.stringMatching(`legal_holds/${id} .*refused: .*${words}`));
    if (name !== NEWER) expect(await statusOf(old.target, id)).toBe(500);
  });

  it('ends with the exit code 1', () => {
    expect([ran.code, included.code]).toEqual([1, 1]);
  });

  it('leaves the adoption of the other rows alone', async () => {
    const { old } = caseOf(NEWER);
    expect(lineOf(ran, old.id)).toMatch(/adopted$/);
    expect(await statusOf(old.target, old.id)).toBe(200);
  });

  it('is adopted with --including-newer only if it is newer', async () => {
    for (const [name, , words] of REFUSED) {
      const { old, id } = caseOf(name);
      const isNewer = name === NEWER;
      expect(lineOf(included, id)).toEqual(expect.stringContaining(isNewer ? ': adopted' : words));
      expect(await statusOf(old.target, id)).toBe(isNewer ? 200 : 500);
    }
  });
});

/** What happens after an adoption, which returns the row that the next run meets; what it says, and how the read ends. */
const AFTER: readonly (readonly [string, (old: OldHold) => Promise<string>, string, number])[] = [
  ['refuses a row that appears later, whatever age it claims', (old) => inserted(old, new Date(0)), 'before', 500],
  [
    'completes an adoption that a crash has kept from its row',
    async ({ holds, row, id }) => {
      await holds.replaceOne({ _id: id }, row);
      return id;
    },
    'finished: its fact existed',
    200,
  ],
  [
    'refuses such a row that someone has edited',
    async ({ holds, row, id }) => {
      await holds.replaceOne({ _id: id }, { ...row, reason: 'Forged.' });
      return id;
    },
    'the ledger has facts of its subject',
    500,
  ],
];

describe('a run of facts:adopt after an adoption', () => {
  const cases = new Map<string, { readonly old: OldHold; readonly id: string; readonly facts: number }>();
  let ran: Ran;

  const factsOf = ({ target: { tenantId } }: OldHold) =>
    ledger().countDocuments({ tenant_id: tenantId, fact_key: { $regex: '^hold/' } });

  beforeAll(async () => {
    const old = new Map<string, OldHold>();
    for (const [name] of AFTER) old.set(name, await withOldHold());
    const tenants = [...old.values()].map(({ target }) => target.tenantId);
    expect((await adopt(...APPLY, ...tenants)).code).toBe(0);
    for (const [name, change] of AFTER) {
      const one = old.get(name);
      if (one) cases.set(name, { old: one, facts: await factsOf(one), id: await change(one) });
    }
    ran = await adopt(...APPLY, ...tenants);
  });

  it.each(AFTER)('%s', async (name, _, words, status) => {
    const found = cases.get(name);
    if (!found) throw new Error('no case');
    // The sweep of the running service may complete the adoption first; then the command finds nothing to do.
    const said = lineOf(ran, found.id) ?? (status === 200 ? words : undefined);
    expect(said).toEqual(expect.stringContaining(words));
    expect(await statusOf(found.old.target, found.id)).toBe(status);
    expect(await factsOf(found.old)).toBe(found.facts);
  });
});

describe('a redacted document of an earlier version', () => {
  it('is refused when someone removed its rendition', async () => {
    const kind = OLD_KINDS.find((one) => one.kind === 'document-redaction');
    if (!kind) throw new Error('no kind');
    const [source, target] = [await fresh(), await fresh()];
    const { id } = await makeOld(database.db, kind, source, target);
    const orders = database.db.collection<Document>('redactions');
    await orders.updateOne({ 'subject.id': id }, { $set: { tenant_id: target.tenantId }, $unset: { fact: true } });
    const documents: Rows = database.db.collection('documents');
    await documents.updateOne({ _id: id }, { $set: { rendition: null } });
    const ran = await adopt(...APPLY, '--kind', 'document', target.tenantId);
    expect([ran.code, lineOf(ran, id)]).toEqual([1, expect.stringContaining('another record contradicts it')]);
  });
});

describe('two runs of facts:adopt at once', () => {
  it('adopt each row once; readers write a row that both left behind its fact', async () => {
    const { target, holds, row, id } = await withOldHold();
    const runs = await Promise.all([adopt(...APPLY, target.tenantId), adopt(...APPLY, target.tenantId)]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    const facts = { tenant_id: target.tenantId, fact_key: { $regex: `^hold/${id}` } };
    expect(await ledger().countDocuments(facts)).toBe(1);
    const adopted = await holds.findOne({ _id: id });
    for (const crash of [() => holds.replaceOne({ _id: id }, row), () => holds.deleteOne({ _id: id })]) {
      await crash();
      expect(await statusOf(target, id)).toBe(200);
      const { pending: _, ...written }: Document = (await holds.findOne({ _id: id })) ?? {};
      expect(adopted).toMatchObject(written);
    }
  });
});

describe('the arguments of facts:adopt', () => {
  it.each([[['--apply']], [['--kind', 'lead']], [['no tenant']], [['--unknown']]])('rejects %j', async (args) => {
    expect((await adopt(...args)).code).not.toBe(0);
  });
});
