import { internalContext } from '../../shared/auth/context.js';
import type { PlatformEvents } from '../../shared/contracts/platform-events.js';
import type { SubgraphClient } from '../subgraph-client.js';

const PUBLISH = 'mutation PublishMessages($items: [JSON!]!) { publishMessages(items: $items) }';

/**
 * The admin subgraph's door for platform events.
 *
 * @param admin client of the admin subgraph, where subscriptions live.
 * @param caller the process or part that publishes.
 */
export const platformEventsOver = (admin: SubgraphClient, caller: string): PlatformEvents => ({
  async publish(tenantId, messages) {
    if (messages.length === 0) return;
    await admin.run(PUBLISH, { items: messages }, internalContext(tenantId, caller));
  },
});
