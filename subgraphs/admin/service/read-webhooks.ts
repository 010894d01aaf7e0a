import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { WebhookQuery, WebhookRecord, WebhookStore } from './ports/webhook-store.js';

interface ReadDeps {
  readonly webhooks: WebhookStore;
}

/** Subscriptions of the tenant. */
export async function listWebhooks(
  deps: ReadDeps,
  context: RequestContext,
  query: WebhookQuery,
): Promise<Page<WebhookRecord>> {
  const rows = await deps.webhooks.forTenant(authorise(context, 'webhooks:read')).list(query);
  return pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row.webhook_id }));
}

/** Null for one that is not there and for another tenant's: the two must not differ. */
export async function getWebhook(
  deps: ReadDeps,
  context: RequestContext,
  webhookId: string,
): Promise<WebhookRecord | null> {
  const tenantId = authorise(context, 'webhooks:read');
  return isIdOf('webhook', webhookId) ? deps.webhooks.forTenant(tenantId).get(webhookId) : null;
}
