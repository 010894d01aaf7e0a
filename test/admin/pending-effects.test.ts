import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import { servicePorts } from '../../gateway/ports/service-ports.js';
import { internalContext } from '../../shared/auth/context.js';
import { parseAnswer } from '../../shared/contracts/call.js';
import type { SystemEntry } from '../../shared/contracts/system-ledger.js';
import type { Database } from '../../shared/db/database.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { Outbox } from '../../shared/outbox/outbox.js';
import { type LedgerEntryEffect, ledgerEntryEffect, type PendingEffect } from '../../shared/outbox/pending-effect.js';
import { performersOver } from '../../shared/outbox/performers.js';
import { INGEST, type LedgerProcess, startLedger, VERIFY } from '../ledger/ledger-kit.js';
import { startTestServer, type TestServer } from '../support/database.js';
import { envelope } from '../support/envelopes.js';
import { ManualClock, RecordingPlatformEvents, RecordingSystemLedger, recordingLogger } from '../support/fakes.js';
import { callerOf, principalOf, startAdmin } from './admin-kit.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** What every administrative route goes through: one of each area. */
type Act = readonly [type: string, run: (as: ReturnType<typeof callerOf>) => Promise<{ readonly code: string | null }>];

describe('an administrative act with a delayed ledger entry', () => {
  it('is kept, and the next sweep writes its entry once, in the order of the acts', async () => {
    const database = await server.connect('acts');
    const systemLedger = new RecordingSystemLedger();
    const { admin, clock } = await startAdmin(database, { systemLedger });
    const operator = callerOf(admin, principalOf(null, '*'));
    await operator.createTenant('acts');
    const asAdmin = callerOf(admin, principalOf('acts', 'admin'));
    const key = (await asAdmin.createApiKey({ name: 'k', scopes: ['events:read'] })).data.createApiKey.key_id;
    const actor = (await asAdmin.createActor({ name: 'a' })).data.createActor.actor_id;
    const before = systemLedger.typesOf('acts').length;

    systemLedger.failure = new Error('the ledger is away');
    const acts: readonly Act[] = [
      ['actor.suspended', (as) => as.changeActor(actor, { status: 'SUSPENDED' })],
      ['actor.reactivated', (as) => as.changeActor(actor, { status: 'ACTIVE' })],
      ['api-key.rotated', (as) => as.rotateApiKey(key, { grace_seconds: 60 })],
      ['api-key.revoked', (as) => as.revokeApiKey(key)],
      ['role.created', (as) => as.createRole({ name: 'r', scopes: ['events:read'] })],
    ];
    for (const [, run] of acts) expect((await run(asAdmin)).code).toBeNull();
    expect(systemLedger.typesOf('acts')).toHaveLength(before);

    // Another process, after the end of this one; its sweep runs at the start of its background work.
    systemLedger.failure = undefined;
    const { admin: next } = await startAdmin(await server.connect('acts'), { systemLedger, clock });
    for (let round = 0; round < 2; round++) await next.background().stop();
    const written = systemLedger.typesOf('acts').slice(before);
    expect(written.toSorted()).toEqual(acts.map(([type]) => type).toSorted());
    // Of one document they come in the order in which they were done.
    expect(written.filter((type) => type.startsWith('actor.'))).toEqual(['actor.suspended', 'actor.reactivated']);
    expect(written.filter((type) => type.startsWith('api-key.'))).toEqual(['api-key.rotated', 'api-key.revoked']);
    for (const name of ['actors', 'api_keys', 'roles', 'tenants']) {
      expect([name, await database.db.collection(name).countDocuments({ 'pending.id': { $exists: true } })]).toEqual([
        name,
        0,
      ]);
    }
    await admin.close();
    await next.close();
  });

  it('names its author and action, but no secret and no person', async () => {
    const systemLedger = new RecordingSystemLedger();
    const { admin } = await startAdmin(await server.connect('named'), { systemLedger });
    await callerOf(admin, principalOf(null, '*')).createTenant('named', 'A Telling Name');
    const asAdmin = callerOf(admin, principalOf('named', 'admin'));
    const made = (await asAdmin.createApiKey({ name: 'A Telling Name', scopes: ['events:read'] })).data.createApiKey;
    const [entry] = systemLedger.entries.filter(({ event_type }) => event_type === 'api-key.created');
    expect(entry).toMatchObject({
      tenant_id: 'named',
      source_system: '_platform',
      event_family: 'api-key',
      payload: { key_id: made.key_id, scopes: ['events:read'], by: 'key_01JQ0000000000000000000001' },
    });
    const text = JSON.stringify(systemLedger.entries);
    expect(text).not.toContain('Telling');
    expect(text).not.toContain(made.api_key.slice(22));
    await admin.close();
  });
});

describe('effects over the real ledger', () => {
  const tenant = 'effects' as TenantId;
  let ledger: LedgerProcess;
  let database: Database;
  const clock = new ManualClock();
  const { logger, lines } = recordingLogger();
  let made = 0;

  beforeAll(async () => {
    database = await server.connect('effects');
    ledger = await startLedger(database, { clock });
  });
  afterAll(() => ledger.close());

  const port = () =>
    servicePorts(
      async (call, tenantId, variableValues) => {
        const contextValue = internalContext(tenantId, 'test');
        const source = call.document;
        const result = await graphql({ schema: ledger.ledger.schema, source, variableValues, contextValue });
        if (result.errors?.[0]) throw result.errors[0].originalError ?? result.errors[0];
        return parseAnswer(call, result.data?.[call.name]);
      },
      { next: () => 'cus_01JQ0000000000000000000001' },
    ).systemLedger;
  const effect = (type = 'thing.made'): LedgerEntryEffect => {
    made += 1;
    return ledgerEntryEffect(
      { next: () => `eff_${String(made).padStart(26, '0')}` },
      {
        tenant_id: tenant,
        source_system: '_platform',
        entry: {
          event_family: 'thing',
          event_type: type,
          event_effective_timestamp: new Date(clock.nowMs()).toISOString(),
          payload: { n: made, nested: { list: [1, 'two', null] } },
        },
      },
    );
  };
  const outboxOf = () =>
    new Outbox(
      {
        database,
        performers: performersOver({ systemLedger: port(), platformEvents: new RecordingPlatformEvents() }),
        logger,
      },
      ['things'],
    );
  const things = () => database.db.collection<{ _id: string; pending: PendingEffect[] }>('things');
  const entries = async () =>
    (await ledger.run('{ events(source_system: "_platform", limit: 500) { items { source_record_id } } }', {}, tenant))
      .events.items.length as number;

  it('are appended once by concurrent sweeps after a crash between the write and the relay', async () => {
    const before = await entries();
    await things().insertMany(
      Array.from({ length: 5 }, (_, n) => ({ _id: `crashed-${n}`, pending: [effect(), effect('thing.changed')] })),
    );
    await Promise.all([outboxOf().sweep(), outboxOf().sweep(), outboxOf().sweep()]);
    expect((await entries()) - before).toBe(10);
    expect(await outboxOf().sweep()).toEqual({ performed: 0, failed: 0 });
  });

  it('are not appended again after a crash between the entry and the removal of the effect', async () => {
    const pending = [effect()];
    await things().insertOne({ _id: 'kept', pending });
    await outboxOf().relay('things', 'kept', pending);
    const before = await entries();
    await things().updateOne({ _id: 'kept' }, { $set: { pending } });
    expect(await outboxOf().sweep()).toEqual({ performed: 1, failed: 0 });
    expect(await entries()).toBe(before);
  });

  it('wait after a failed effect of the same document only; the failure is logged', async () => {
    const wrong = effect();
    const broken = { ...wrong, entry: { ...wrong.entry, event_type: '' } };
    await things().insertMany([
      { _id: 'broken', pending: [broken, effect()] },
      { _id: 'sound', pending: [effect()] },
    ]);
    expect(await outboxOf().sweep()).toEqual({ performed: 1, failed: 2 });
    expect(lines.some((line) => line.includes('a pending effect waits for the sweep'))).toBe(true);
    await things().deleteOne({ _id: 'broken' });
  });

  it('of an unknown kind wait', async () => {
    await things().insertOne({ _id: 'later', pending: [{ ...effect(), kind: 'later' } as never] });
    expect(await outboxOf().sweep()).toEqual({ performed: 0, failed: 1 });
    expect(await things().countDocuments({ 'pending.kind': 'later' })).toBe(1);
    await things().deleteOne({ _id: 'later' });
  });

  it('are in verify and partitions, and in lists of events only by name of the partition', async () => {
    await ledger.run(INGEST, { items: [envelope(1)] }, tenant);
    const count = await entries();
    const { verifyLedger } = await ledger.run(VERIFY, {}, tenant);
    expect(verifyLedger).toMatchObject({ valid: true, checked: count + 1, breaks: [] });
    const { ledgerPartitions } = await ledger.run(
      '{ ledgerPartitions { items { source_system sequence } } }',
      {},
      tenant,
    );
    expect(ledgerPartitions.items).toContainEqual({ source_system: '_platform', sequence: count });
    const { events } = await ledger.run('{ events { items { source_system } } }', {}, tenant);
    expect(events.items).toHaveLength(1);
  });

  it('go to reserved partitions only; callers cannot write to these', async () => {
    for (const source_system of ['_platform', '_system', '_anything', 'ai-provenance']) {
      const { ingestEvents } = await ledger.run(INGEST, { items: [envelope(2, { source_system })] }, tenant);
      expect(ingestEvents.results[0]).toMatchObject({ status: 'REJECTED', error: { code: 'VALIDATION_ERROR' } });
    }
    const foreign = { ...envelope(3), source_system: 'um-core' } as unknown as SystemEntry;
    await expect(port().append(tenant, [foreign])).rejects.toMatchObject({ code: 'INTERNAL' });
    const source = 'mutation($items: [JSON!]!) { appendSystemEntries(items: $items) }';
    await expect(ledger.run(source, { items: [envelope(4)] }, tenant)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(internalContext(tenant, 'test').principal.scopes).toEqual(new Set(['internal']));
  });
});
