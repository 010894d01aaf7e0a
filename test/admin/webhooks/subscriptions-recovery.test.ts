import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { EVENT_KINDS, type EventKindName } from '../../../shared/outbox/event-kinds.js';
import { storedMessage } from '../../../subgraphs/admin/webhooks/messages/publish.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { answered, asTenant, subscriptionsOver } from './subscriptions-kit.js';

/** Messages of one recovery (docs/webhooks.md). */
const MAX_RECOVERED = 10_000;

// What a recovery sends again: all that a subscription wants of a span and has not got, once.

let server: TestServer;
let kit: Awaited<ReturnType<typeof subscriptionsOver>>;
beforeAll(async () => {
  server = await startTestServer();
  kit = await subscriptionsOver(server, 'webhook-recovery');
});
afterAll(() => server.stop());

let tenants = 0;
const fresh = () => {
  tenants += 1;
  const tenantId = asTenant(`tenant-${tenants}`);
  return { tenantId, http: kit.as(tenantId) };
};

const SPAN = { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z' };
const WITHIN = '2026-03-01T12:00:00.000Z';

let messages = 0;
/** A message of a tenant, as the relay keeps it. */
const message = (tenantId: TenantId, type: EventKindName, at = WITHIN, more: Record<string, string> = {}) => {
  messages += 1;
  const message_id = `msg_01JQ${String(messages).padStart(22, '0')}`;
  return storedMessage(tenantId, { message_id, type, at, data: { ...EVENT_KINDS[type].example, ...more } });
};
const keep = (tenantId: TenantId, ...kept: readonly ReturnType<typeof message>[]) =>
  kit.messages.forTenant(tenantId).insert(kept);
const sentMessages = async (http: ReturnType<typeof kit.as>, webhook: string): Promise<string[]> =>
  (await answered(http.deliveries(webhook))).items.map((one: { message_id: string }) => one.message_id).sort();

describe('a recovery', () => {
  it('sends the wanted messages of the span and tenant, without tests', async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create({ event_types: ['bundle.*', 'rule.created'] }));
    const wanted = [message(tenantId, 'bundle.sealed', SPAN.since), message(tenantId, 'rule.created')];
    const others = [
      message(tenantId, 'legal-hold.created'),
      message(tenantId, 'bundle.sealed', SPAN.until),
      message(tenantId, 'bundle.sealed', '2026-02-28T23:59:59.999Z'),
      { ...message(tenantId, 'bundle.failed'), test: true },
    ];
    await keep(tenantId, ...wanted, ...others);
    const stranger = asTenant('tenant-stranger');
    await keep(stranger, message(stranger, 'bundle.sealed'));
    expect(await answered(http.recover(webhook_id, { ...SPAN, dry_run: true }))).toMatchObject({ count: 2 });
    expect(await sentMessages(http, webhook_id)).toEqual([]);
    expect(kit.systemLedger.typesOf(tenantId)).toEqual(['webhook.created']);
    const narrowed = await answered(http.recover(webhook_id, { ...SPAN, event_types: ['rule.*'] }));
    expect(narrowed.count).toBe(1);
    expect(await answered(http.recover(webhook_id, SPAN))).toMatchObject({ count: 1, continue_from: null });
    expect(await sentMessages(http, webhook_id)).toEqual(wanted.map(({ message_id }) => message_id).sort());
    expect(await answered(http.recover(webhook_id, SPAN))).toMatchObject({ count: 0 });
    const entry = kit.systemLedger.entries.findLast((one) => one.tenant_id === tenantId);
    expect(entry).toMatchObject({
      event_type: 'webhook.recovered',
      payload: { webhook_id, messages: 1, since: '2026-03-01T00:00:00.000Z', until: '2026-03-02T00:00:00.000Z' },
    });
  });

  it('skips delivered and waiting messages and sends failed ones', async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create({ event_types: ['*'] }));
    const statuses = ['DELIVERED', 'PENDING', 'RETRY_SCHEDULED', 'FAILED', 'CANCELLED'];
    const kept = statuses.map(() => message(tenantId, 'bundle.sealed'));
    await keep(tenantId, ...kept);
    await answered(http.recover(webhook_id, SPAN));
    const rows = kit.database.db.collection<{ _id: string; message_id: string }>('webhook_deliveries');
    for (const [index, { message_id }] of kept.entries()) {
      await rows.updateOne({ message_id }, { $set: { status: statuses[index] } });
    }
    expect(await answered(http.recover(webhook_id, SPAN))).toMatchObject({ count: 2 });
    const ids = await sentMessages(http, webhook_id);
    expect(ids).toHaveLength(7);
    for (const [index, { message_id }] of kept.entries()) {
      expect(ids.filter((id) => id === message_id)).toHaveLength(index < 3 ? 1 : 2);
    }
  });

  it('sends events of reserved partitions only to webhooks that name them', async () => {
    const { tenantId, http } = fresh();
    const systems = ['um-core', 'claims', '_platform', 'ai-provenance'];
    const kept = systems.map((source_system) => message(tenantId, 'event.ingested', WITHIN, { source_system }));
    await keep(tenantId, ...kept);
    const countFor = async (source_systems?: string[]) => {
      const { webhook_id } = await answered(http.create(source_systems ? { source_systems } : {}));
      return (await answered(http.recover(webhook_id, SPAN))).count;
    };
    expect(await countFor()).toBe(2);
    expect(await countFor(['claims'])).toBe(1);
    expect(await countFor(['_platform', 'um-core'])).toBe(2);
  });

  it('sends a limited number and returns where to continue', async () => {
    const { tenantId, http } = fresh();
    const { webhook_id } = await answered(http.create({ event_types: ['bundle.sealed'] }));
    const startMs = Date.parse(SPAN.since);
    const extra = 7;
    // Three of each millisecond: the edge of the first part lies within one.
    const kept = Array.from({ length: MAX_RECOVERED + extra }, (_, n) =>
      message(tenantId, 'bundle.sealed', new Date(startMs + Math.floor(n / 3)).toISOString()),
    );
    await keep(tenantId, ...kept);
    const first = await answered(http.recover(webhook_id, SPAN));
    expect(first.count).toBe(MAX_RECOVERED);
    expect(first.continue_from).toBe(new Date(startMs + Math.floor(MAX_RECOVERED / 3)).toISOString());
    const rest = await answered(http.recover(webhook_id, { ...SPAN, since: first.continue_from }));
    expect(rest).toMatchObject({ count: extra, continue_from: null });
    const rows = kit.database.db.collection('webhook_deliveries');
    expect(await rows.countDocuments({ webhook_id })).toBe(MAX_RECOVERED + extra);
    expect(await rows.distinct('message_id', { webhook_id })).toHaveLength(MAX_RECOVERED + extra);
  });
});
