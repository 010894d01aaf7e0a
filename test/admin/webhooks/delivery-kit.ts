import { graphql } from 'graphql';
import { internalContext } from '../../../shared/auth/context.js';
import type { PlatformMessage } from '../../../shared/contracts/platform-events.js';
import { DELIVERY_COLLECTION } from '../../../subgraphs/admin/webhooks/deliveries/model.js';
import type { WebhookDelivery } from '../../../subgraphs/admin/webhooks/deliveries/ports.js';
import type { TestServer } from '../../support/database.js';
import type { ManualClock } from '../../support/fakes.js';
import type { MemoryLedgerFeed } from '../../support/ledger-feed.js';
import { startAdmin } from '../admin-kit.js';
import { answered, asTenant, type Subscriber, subscriber } from './subscriptions-kit.js';

const GROWN = 'mutation ($chains: [String!]!) { ledgerGrown(chains: $chains) }';
const PUBLISH = 'mutation ($items: [JSON!]!) { publishMessages(items: $items) }';

/** Receivers of tests stand on this machine and speak plain HTTP. */
export const OPEN_LOOPBACK = { SERVICE_WEBHOOK_ALLOW_HTTP: 'true', SERVICE_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };

export interface DeliverySettings {
  readonly clock?: ManualClock;
  readonly ledgerFeed?: MemoryLedgerFeed;
  readonly env?: Readonly<Record<string, string>>;
}

export const messageIdAt = (n: number): string => `msg_01JQ${String(n).padStart(22, '0')}`;

/** A platform event of a kind that a change raises. */
export const sealed = (n: number): PlatformMessage => ({
  message_id: messageIdAt(n),
  type: 'legal-hold.created',
  at: '2026-03-02T14:11:10.000Z',
  data: { hold_id: `hld_01JQ${String(n).padStart(22, '0')}`, at: '2026-03-02T14:11:10.000Z' },
});

/** The admin subgraph as it delivers, with a clock of the test's own: nothing is sent but by `deliver`. */
export async function deliveriesOver(server: TestServer, name: string, settings: DeliverySettings = {}) {
  const database = await server.connect(name);
  const process = await startAdmin(database, { env: OPEN_LOOPBACK, ...settings });
  const rows = database.db.collection<WebhookDelivery>(DELIVERY_COLLECTION.name);
  const internally = async (tenantId: string, source: string, variableValues: Record<string, unknown>) => {
    const contextValue = internalContext(asTenant(tenantId), 'test');
    const result = await graphql({ schema: process.admin.schema, source, variableValues, contextValue });
    if (result.errors?.[0]) throw result.errors[0].originalError ?? result.errors[0];
    return result.data ?? {};
  };
  return {
    ...process,
    database,
    rows,
    publish: async (tenantId: string, items: readonly unknown[]) =>
      (await internally(tenantId, PUBLISH, { items }))['publishMessages'] as number,
    /** The ledger tells that chains have grown. */
    grown: async (tenantId: string, chains: readonly string[]) =>
      (await internally(tenantId, GROWN, { chains }))['ledgerGrown'] as boolean,
    as: (tenantId: string): Subscriber => subscriber(process, tenantId),
    /** A subscription to every kind. @returns its id and secret. */
    subscribe: async (tenantId: string, url: string, input: Record<string, unknown> = {}) =>
      (await answered(subscriber(process, tenantId).create({ url, event_types: ['*'], ...input }))) as {
        readonly webhook_id: string;
        readonly secret: string;
      },
    /** Everything that is due by the clock. @returns how many rows were handled. */
    deliver: () => process.queue('webhooks.deliver').runDue(),
    /** Deliveries of one subscription, oldest first. */
    deliveriesOf: (webhook_id: string): Promise<WebhookDelivery[]> =>
      rows.find({ webhook_id }).sort({ created_at: 1, _id: 1 }).toArray(),
  };
}

export type Deliveries = Awaited<ReturnType<typeof deliveriesOver>>;
