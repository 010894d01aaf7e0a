import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_KIND_NAMES } from '../../../shared/outbox/event-kinds.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import {
  hasFailedForTooLong,
  NO_ATTEMPTS,
  SUSPEND_AFTER_FAILING_MS,
  unknownTypes,
  WEBHOOK_MACHINE,
  wantsSource,
  wantsType,
} from '../../../subgraphs/admin/webhooks/domain.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { answered, asTenant, type Subscriber, subscriptionsOver } from './subscriptions-kit.js';

// The life of a subscription by the clock, over a real database; effects are performed by the sweep where a crash is meant.

let server: TestServer;
let kit: Awaited<ReturnType<typeof subscriptionsOver>>;
beforeAll(async () => {
  server = await startTestServer();
  kit = await subscriptionsOver(server, 'webhook-states');
});
afterAll(() => server.stop());

let tenants = 0;
const fresh = () => {
  tenants += 1;
  const tenantId = `tenant-${tenants}`;
  return { tenantId, http: kit.as(tenantId) };
};
const document = (id: string) =>
  kit.database.db.collection<{ _id: string; [member: string]: unknown }>('webhooks').findOne({ _id: id });
const typesOf = (tenantId: string) => kit.systemLedger.typesOf(tenantId);

describe('the event types of a webhook', () => {
  it.each([
    [['*'], 'bundle.sealed', true],
    [['bundle.*'], 'bundle.sealed', true],
    [['bundle.*'], 'event.ingested', false],
    [['event.ingested'], 'event.ingested', true],
    [['event.ingested'], 'event.duplicated', false],
    [['legal-hold.*', 'rule.created'], 'rule.created', true],
  ] as const)('%j wants %s: %s', (types, kind, wanted) => {
    expect(wantsType(types, kind)).toBe(wanted);
  });

  it('must be in the catalogue', () => {
    const given = [
      '*',
      'bundle.*',
      'bundle.sealed',
      'bundle.',
      'bundle',
      '.*',
      '**',
      'b*',
      'nothing.*',
      'EVENT.INGESTED',
    ];
    expect(unknownTypes(given, EVENT_KIND_NAMES)).toEqual(given.slice(3));
  });

  it('include reserved partitions only by name', () => {
    expect([wantsSource(null, 'um-core'), wantsSource(null, '_platform'), wantsSource(null, 'ai-provenance')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([wantsSource(['_platform'], '_platform'), wantsSource(['_platform'], 'um-core')]).toEqual([true, false]);
  });
});

describe('a change of a webhook', () => {
  it('is an entry of _platform with the changed members, but without the URL', async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create());
    await answered(http.update(webhook_id, { description: 'mine', max_in_flight: 4 }));
    await answered(http.update(webhook_id, { status: 'PAUSED', event_types: ['*'] }));
    expect(typesOf(tenantId)).toEqual(['webhook.created', 'webhook.updated', 'webhook.paused', 'webhook.updated']);
    const [created, updated] = kit.systemLedger.entries.filter((entry) => entry.tenant_id === tenantId);
    expect(created).toMatchObject({ source_system: '_platform', event_family: 'webhook' });
    expect(created?.payload).toMatchObject({ webhook_id, url_host: 'receiver.example.com', to: 'ACTIVE' });
    expect(updated?.payload).toMatchObject({ changed: ['description', 'max_in_flight'], revision: 2 });
    expect(JSON.stringify(kit.systemLedger.entries)).not.toContain('tell-nobody');
  });

  it('leaves no entry if nothing changes', async () => {
    const { tenantId, http } = fresh();
    const made = await answered(http.create());
    const same = { url: made.url, event_types: made.event_types, status: 'ACTIVE', description: null };
    expect((await answered(http.update(made.webhook_id, same))).revision).toBe(1);
    expect(typesOf(tenantId)).toEqual(['webhook.created']);
  });

  it('applies only to the named revision', async () => {
    const { http } = fresh();
    const { webhook_id } = await answered(http.create());
    await answered(http.update(webhook_id, { description: 'one', revision: 1 }));
    expect((await http.update(webhook_id, { description: 'two', revision: 1 })).code).toBe('CONFLICT');
    expect((await answered(http.get(webhook_id))).description).toBe('one');
  });

  it('is not lost under concurrency', async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create());
    const answers = await Promise.all([
      http.update(webhook_id, { description: 'described' }),
      http.update(webhook_id, { max_in_flight: 3 }),
      http.update(webhook_id, { throttle_per_second: 7 }),
      http.rotate(webhook_id),
    ]);
    expect(answers.map(({ code }) => code)).toEqual([null, null, null, null]);
    expect(await answered(http.get(webhook_id))).toMatchObject({
      description: 'described',
      max_in_flight: 3,
      throttle_per_second: 7,
      revision: 5,
    });
    expect(typesOf(tenantId)).toHaveLength(5);
  });

  it('is recorded by the sweep after a crash', async () => {
    const { tenantId, http } = fresh();
    kit.systemLedger.failure = new Error('away');
    const { webhook_id } = await answered(http.create());
    kit.systemLedger.failure = undefined;
    expect(typesOf(tenantId)).toEqual([]);
    await kit.sweep();
    expect(typesOf(tenantId)).toEqual(['webhook.created']);
    expect((await document(webhook_id))?.['pending']).toEqual([]);
  });
});

describe('the health of a webhook', () => {
  const at = (ms: number) => new Date(kit.clock.nowMs() + ms);

  it('counts failures since the last success, with the time of the first', async () => {
    const { http } = fresh();
    const { webhook_id } = await answered(http.create());
    await kit.directory.noteFailure(webhook_id, at(2_000));
    await kit.directory.noteFailure(webhook_id, at(1_000));
    const health = await kit.directory.noteFailure(webhook_id, at(3_000));
    expect(health).toEqual({
      ...NO_ATTEMPTS,
      consecutive_failures: 3,
      first_failure_at: at(1_000),
      last_failure_at: at(3_000),
    });
    await kit.directory.noteSuccess(webhook_id, at(4_000));
    expect((await answered(http.get(webhook_id))).health).toEqual({
      consecutive_failures: 0,
      first_failure_at: null,
      last_failure_at: at(3_000).toISOString(),
      last_success_at: at(4_000).toISOString(),
    });
  });

  it('is written once a second for a busy receiver, and at once after a failure', async () => {
    const { http } = fresh();
    const { webhook_id } = await answered(http.create());
    const lastSuccess = async () => (await kit.webhooks.byId(webhook_id))?.health.last_success_at;
    await kit.directory.noteSuccess(webhook_id, at(0));
    await kit.directory.noteSuccess(webhook_id, at(999));
    expect(await lastSuccess()).toEqual(at(0));
    await kit.directory.noteFailure(webhook_id, at(999));
    await kit.directory.noteSuccess(webhook_id, at(999));
    expect(await lastSuccess()).toEqual(at(999));
  });

  it('leads to a suspension after exactly five days of failures', () => {
    const failing = { ...NO_ATTEMPTS, consecutive_failures: 9, first_failure_at: new Date(0) };
    expect(hasFailedForTooLong(failing, SUSPEND_AFTER_FAILING_MS)).toBe(true);
    expect(hasFailedForTooLong(failing, SUSPEND_AFTER_FAILING_MS - 1)).toBe(false);
    expect(hasFailedForTooLong(NO_ATTEMPTS, SUSPEND_AFTER_FAILING_MS)).toBe(false);
  });

  it('restarts with a new URL and when the webhook is enabled', async () => {
    const { http } = fresh();
    const { webhook_id } = await answered(http.create());
    const failures = async () => (await answered(http.get(webhook_id))).health.consecutive_failures;
    await kit.directory.noteFailure(webhook_id, at(0));
    await answered(http.update(webhook_id, { description: 'no other address' }));
    expect(await failures()).toBe(1);
    await answered(http.update(webhook_id, { url: 'https://other.example.com/' }));
    expect(await failures()).toBe(0);
    await kit.directory.noteFailure(webhook_id, at(0));
    await answered(http.update(webhook_id, { status: 'PAUSED' }));
    expect(await failures()).toBe(1);
    await answered(http.update(webhook_id, { status: 'ACTIVE' }));
    expect(await failures()).toBe(0);
  });
});

describe('a warning about a run of failures', () => {
  const failing = async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create());
    await kit.directory.noteFailure(webhook_id, kit.now());
    const told = (desk: readonly { readonly tenantId: string; readonly kind: string }[]) =>
      desk.filter((one) => one.tenantId === tenantId).map(({ kind }) => kind);
    return {
      http,
      webhook_id,
      opened: () => told(kit.exceptions.opened),
      resolved: () => told(kit.exceptions.resolved),
    };
  };

  it('is opened once, under concurrency and after a crash', async () => {
    const { webhook_id, opened } = await failing();
    await Promise.all([kit.directory.warn(webhook_id, kit.now()), kit.directory.warn(webhook_id, kit.now())]);
    await kit.directory.warn(webhook_id, kit.now());
    await kit.sweep();
    await kit.sweep();
    expect(opened()).toEqual(['WEBHOOK_FAILING']);
  });

  it('is not opened for a healthy or inactive webhook', async () => {
    const { http, webhook_id, opened } = await failing();
    await answered(http.update(webhook_id, { status: 'PAUSED' }));
    await kit.directory.warn(webhook_id, kit.now());
    const other = await answered(http.create());
    await kit.directory.warn(other.webhook_id, kit.now());
    await kit.sweep();
    expect(opened()).toEqual([]);
  });

  it.each([
    ['a success', (id: string) => kit.directory.noteSuccess(id, kit.now())],
    ['a suspension', (id: string) => kit.directory.suspend(id, 'FAILING')],
    ['a deletion', (id: string, http: Subscriber) => answered(http.remove(id))],
    ['another address', (id: string, http: Subscriber) => answered(http.update(id, { url: 'https://example.com/' }))],
  ])('is resolved by %s', async (_, end) => {
    const { http, webhook_id, resolved } = await failing();
    await kit.directory.warn(webhook_id, kit.now());
    await end(webhook_id, http);
    await kit.sweep();
    expect(resolved()).toEqual(['WEBHOOK_FAILING']);
  });
});

describe('a suspension', () => {
  it('always writes an entry and an exception, even after a crash', async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create());
    await kit.directory.noteFailure(webhook_id, kit.now());
    await kit.directory.suspend(webhook_id, 'FAILING');
    expect(await answered(http.get(webhook_id))).toMatchObject({
      status: 'SUSPENDED',
      suspension_reason: 'FAILING',
      allowed_actions: ['update', 'pause', 'enable', 'rotate-secret', 'delete'],
    });
    expect(await kit.directory.active(asTenant(tenantId))).toEqual([]);
    await kit.sweep();
    await kit.sweep();
    expect(typesOf(tenantId)).toEqual(['webhook.created', 'webhook.suspended']);
    const opened = kit.exceptions.opened.filter((one) => one.tenantId === tenantId);
    expect(opened).toHaveLength(1);
    expect(opened[0]).toMatchObject({
      kind: 'WEBHOOK_SUSPENDED',
      subject: { webhook_id },
      detail: { reason: 'FAILING', failing_since: kit.now().toISOString() },
    });
  });

  it('changes only an ACTIVE webhook', async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create());
    await answered(http.update(webhook_id, { status: 'PAUSED' }));
    await kit.directory.suspend(webhook_id, 'GONE');
    await kit.directory.suspend('whk_01JQ0000000000000000000009', 'GONE');
    expect((await answered(http.get(webhook_id))).status).toBe('PAUSED');
    await kit.sweep();
    expect(kit.exceptions.opened.filter((one) => one.tenantId === tenantId)).toEqual([]);
  });

  it('ends with its exception when the webhook is enabled', async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create());
    await kit.directory.suspend(webhook_id, 'GONE');
    await kit.sweep();
    kit.clock.advance(1_000);
    const enabled = await answered(http.update(webhook_id, { status: 'ACTIVE' }));
    expect(enabled).toMatchObject({ status: 'ACTIVE', suspension_reason: null });
    expect(enabled.last_enabled_at).toBe(kit.now().toISOString());
    expect(kit.exceptions.resolved.filter((one) => one.tenantId === tenantId)).toMatchObject([
      { kind: 'WEBHOOK_SUSPENDED', subject: { webhook_id } },
    ]);
    expect(typesOf(tenantId)).toEqual(['webhook.created', 'webhook.suspended', 'webhook.enabled']);
  });
});

describe('a deletion', () => {
  it('erases secrets and URL, cancels waiting deliveries, and hides the webhook', async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create());
    await answered(http.rotate(webhook_id));
    const sent = await answered(http.test(webhook_id));
    expect((await answered(http.remove(webhook_id))).webhook_id).toBe(webhook_id);
    expect(await document(webhook_id)).toMatchObject({
      status: 'DELETED',
      url: '',
      wrapped_secret: '',
      former_secrets: [],
      pending: [],
    });
    expect(await kit.directory.signing(webhook_id)).toBeNull();
    expect((await kit.deliveries(asTenant(tenantId)).get(webhook_id, sent.delivery_id))?.status).toBe('CANCELLED');
    expect((await answered(http.get(webhook_id))) ?? null).toBeNull();
    for (const call of [
      http.remove(webhook_id),
      http.rotate(webhook_id),
      http.update(webhook_id, { description: 'x' }),
      http.test(webhook_id),
      http.deliveries(webhook_id),
    ]) {
      expect((await call).code).toBe('NOT_FOUND');
    }
  });
});

const STATUSES = ['ACTIVE', 'PAUSED', 'SUSPENDED', 'DELETED'] as const;

describe('the table of states', () => {
  it('allows exactly its actions from each state', () => {
    expect(Object.fromEntries(STATUSES.map((status) => [status, allowedActions(WEBHOOK_MACHINE, status)]))).toEqual({
      ACTIVE: ['update', 'pause', 'enable', 'suspend', 'rotate-secret', 'delete'],
      PAUSED: ['update', 'enable', 'pause', 'rotate-secret', 'delete'],
      SUSPENDED: ['update', 'pause', 'enable', 'rotate-secret', 'delete'],
      DELETED: [],
    });
  });

  it.each(['PAUSED', 'SUSPENDED'] as const)('forbids tests and redeliveries to a %s webhook', async (status) => {
    const { http } = fresh();
    const { webhook_id } = await answered(http.create());
    const { delivery_id } = await answered(http.test(webhook_id));
    if (status === 'PAUSED') await answered(http.update(webhook_id, { status }));
    else await kit.directory.suspend(webhook_id, 'GONE');
    const span = { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z' };
    const answers = await Promise.all([
      http.test(webhook_id),
      http.redeliver(webhook_id, delivery_id),
      http.recover(webhook_id, span),
    ]);
    expect(answers.map(({ code }) => code)).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT']);
    expect((await answered(http.rotate(webhook_id))).status).toBe(status);
  });
});
