import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../embedded-mongo/index.js';
import { systemClock } from '../../shared/clock/clock.js';
import { connectDatabase, type Database } from '../../shared/db/database.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { createIndexes } from '../../shared/records/collections.js';
import type { PersonRecord } from '../../subgraphs/members-graph/matching/domain/comparable.js';
import { storedKeys } from '../../subgraphs/members-graph/members/domain/keys.js';
import { type Demographics, NOTHING_KNOWN } from '../../subgraphs/members-graph/members/domain/member.js';
import { membersArea } from '../../subgraphs/members-graph/members/index.js';
import { MEMBERS, memberStore } from '../../subgraphs/members-graph/members/model/members.js';
import { mergeStore } from '../../subgraphs/members-graph/members/model/merges.js';
import type { MemberStore, MergeStore, StoredMember } from '../../subgraphs/members-graph/members/ports.js';
import { MemoryFacts, memoryGuard } from '../../test/support/memory-facts.js';

const BATCH = 1_000;
const AT = new Date('2026-01-01T00:00:00Z');

/** The directory's stores over a separate database. */
export interface BenchDirectory {
  readonly database: Database;
  readonly members: MemberStore;
  readonly merges: MergeStore;
  stop(): Promise<void>;
}

/** MONGODB_URI measures on that server instead of the embedded database. */
export async function startDirectory(): Promise<BenchDirectory> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-directory-'));
  const given = process.env['MONGODB_URI'];
  const server = given === undefined ? await startChild({ dataDir: join(folder, 'embedded') }) : undefined;
  const database = await connectDatabase(given ?? server?.uri ?? '');
  await createIndexes(database.db, membersArea.collections ?? []);
  const relay = { relay: async () => undefined };
  return {
    database,
    members: memberStore(database.db, relay),
    merges: mergeStore({
      db: database.db,
      outbox: relay,
      guard: memoryGuard(new MemoryFacts(), systemClock),
      referenceOf: (_, id) => id,
    }),
    stop: async () => {
      await database.close();
      await server?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function memberOf(tenantId: TenantId, member_id: string, record: PersonRecord): StoredMember {
  const known: Demographics = {
    ...NOTHING_KNOWN,
    name: { family: record.family || null, given: record.given ?? [], suffix: record.suffix ?? null },
    birth_date: record.birthDate || null,
    identifiers: record.identifiers ?? [],
    addresses: record.addresses ?? [],
    phones: record.phones ?? [],
  };
  return {
    tenant_id: tenantId,
    member_id,
    ...known,
    own_status: 'ACTIVE',
    merged_into: null,
    revision: 1,
    created_at: AT,
    created_by: 'bench',
    updated_at: AT,
    told_at: AT,
    told_event: null,
    created_work_id: null,
    last_work_id: null,
  };
}

/** Inserts many rows at once in the form that the repository writes. */
export async function fill({ database }: BenchDirectory, members: Iterable<StoredMember>): Promise<void> {
  const rows = database.db.collection<{ _id: string }>(MEMBERS.name);
  let batch: { _id: string }[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await rows.insertMany(batch, { ordered: false });
    batch = [];
  };
  for (const member of members) {
    const _id = `${member.tenant_id}/${member.member_id}`;
    batch.push({ _id, ...member, status: 'ACTIVE', keys: storedKeys(member), pending: [] } as { _id: string });
    if (batch.length === BATCH) await flush();
  }
  await flush();
}
