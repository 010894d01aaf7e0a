import { internalContext } from '../../shared/auth/context.js';
import { GroupedCalls } from '../../shared/clock/grouped-calls.js';
import type { PlatformEvents, PlatformMessage } from '../../shared/contracts/platform-events.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { SubgraphClient } from '../subgraph-client.js';

const PUBLISH = 'mutation PublishMessages($items: [JSON!]!) { publishMessages(items: $items) }';

/**
 * The admin subgraph's door for platform events.
 *
 * @param admin client of the admin subgraph, where subscriptions live.
 * @param caller the process or part that publishes.
 */
export function platformEventsOver(admin: SubgraphClient, caller: string): PlatformEvents {
  const publish = async (tenantId: TenantId, items: readonly PlatformMessage[]): Promise<void> => {
    await admin.run(PUBLISH, { items }, internalContext(tenantId, caller));
  };
  const single = new GroupedCalls<PlatformMessage, undefined>(async (tenantId, messages) => {
    await publish(tenantId as TenantId, messages);
    return messages.map(() => undefined);
  }, MOST_TOGETHER);
  return {
    async publish(tenantId, messages) {
      const [first, ...more] = messages;
      if (first === undefined) return;
      await (more.length === 0 ? single.call(tenantId, first) : publish(tenantId, messages));
    },
  };
}

/** Messages that come one by one at the same time. */
const MOST_TOGETHER = 100;
