import type { WebhookStore } from './ports/webhook-store.js';

/** The store, telling of each subscription that this process has changed: what is kept of it at hand is no longer true. */
export const watchedWebhooks = (store: WebhookStore, changed: (webhookId: string) => void): WebhookStore => ({
  ...store,
  forTenant: (tenantId) => {
    const webhooks = store.forTenant(tenantId);
    return {
      ...webhooks,
      change: async (webhookId, change) => {
        const record = await webhooks.change(webhookId, change);
        changed(webhookId);
        return record;
      },
    };
  },
});
