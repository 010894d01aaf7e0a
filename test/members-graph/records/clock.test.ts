import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RequestContext } from '../../../shared/auth/context.js';
import { effectiveScopes } from '../../../shared/auth/scopes.js';
import { MasterKey } from '../../../shared/crypto/master-key.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { createCareTeamEntry, stepCareTeamEntry } from '../../../subgraphs/members-graph/care-team/change-care-team.js';
import { careTeamStore } from '../../../subgraphs/members-graph/care-team/model.js';
import { createMember, updateMember } from '../../../subgraphs/members-graph/members/change-member.js';
import { memberStore } from '../../../subgraphs/members-graph/members/model/members.js';
import { mergeStore } from '../../../subgraphs/members-graph/members/model/merges.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { MemoryFacts, memoryGuard } from '../../support/memory-facts.js';

// Every reading of this clock returns a later time: members of one change that differ come from two readings.

const TENANT = 'clock' as TenantId;
const relay: EffectRelay = { relay: async () => {} };
const MEMBERS = {
  member_id: 'M-1',
  role: 'PCP',
  npi: '1234567893',
  actor: null,
  name: null,
  organization: null,
  note: null,
};

let server: TestServer;
let nowMs = Date.parse('2026-03-02T14:00:00Z');
const clock = { nowMs: () => (nowMs += 1_000), monotonicMs: () => nowMs };
const randomness = systemRandomness();
const deps = {
  clock,
  randomness,
  ids: ulidIds(() => nowMs, randomness),
  masterKey: new MasterKey(Buffer.alloc(32, 7)),
  directory: { identityOf: async () => null },
  actorDirectory: { statusOf: async () => 'ACTIVE' as const },
};

const scopes = ['members:write', 'care-team:write'] as const;
const context: RequestContext = {
  requestId: 'req',
  traceparent: null,
  workId: null,
  tenantId: TENANT,
  principal: {
    keyId: 'key_1',
    keyName: 'test',
    actorId: null,
    tenantId: TENANT,
    grantedScopes: [...scopes],
    scopes: effectiveScopes(scopes),
  },
};

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.stop());

describe('a change of a record', () => {
  it('has one time in a care team: creation, change and history', async () => {
    const { db } = await server.connect('eas');
    const careTeam = careTeamStore({ db, outbox: relay });
    const entry = await createCareTeamEntry({ ...deps, careTeam }, context, { members: MEMBERS });
    expect([entry.updated_at, entry.history[0]?.at]).toEqual([entry.created_at, entry.created_at]);
  });

  it('has one time in a care team: end of the period, change and history', async () => {
    const { db } = await server.connect('eas');
    const services = { ...deps, careTeam: careTeamStore({ db, outbox: relay }) };
    const { care_team_id: id } = await createCareTeamEntry(services, context, {
      members: { ...MEMBERS, member_id: 'M-2' },
    });
    const ended = await stepCareTeamEntry(services, context, { id, action: 'end', reason: null });
    expect([ended.period.end, ended.history[1]?.at]).toEqual([ended.updated_at, ended.updated_at]);
  });

  it('has one time in the directory: data and change', async () => {
    const { db } = await server.connect('eas');
    const services = {
      ...deps,
      members: memberStore(db, relay),
      merges: mergeStore({
        db,
        outbox: relay,
        guard: memoryGuard(new MemoryFacts(), deps.clock),
        referenceOf: (_, id) => id,
      }),
      known: async () => {},
    };
    await createMember(services, context, { member_id: 'M-3' });
    const { member } = await updateMember(services, context, { memberId: 'M-3', patch: { sex: 'FEMALE' } });
    expect(member.told_at).toEqual(member.updated_at);
  });
});
