import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { TenantWebhooks, WebhookStore } from './ports.js';

/** The key, or the actor behind it, that made a webhook. */
export interface WebhookOwner {
  readonly key_id: string;
  readonly actor_id: string | null;
}

const ownerOf = ({ principal }: Pick<RequestContext, 'principal'>): WebhookOwner => ({
  key_id: principal.keyId,
  actor_id: principal.actorId,
});

/**
 * Returns the webhooks that the caller may see or change. Every key has its own and those of its actor; those of others need
 * the scope, and are not found without it.
 *
 * @throws FORBIDDEN
 */
export function webhooksFor(
  store: WebhookStore,
  context: RequestContext,
  scope: 'webhooks:read' | 'webhooks:write',
): { readonly tenantId: TenantId; readonly webhooks: TenantWebhooks } {
  const tenantId = authorise(context, 'webhooks:own');
  const { scopes } = context.principal;
  const isForAll = scopes.has(scope) || scopes.has('webhooks:write');
  return { tenantId, webhooks: store.forTenant(tenantId, isForAll ? null : ownerOf(context)) };
}
