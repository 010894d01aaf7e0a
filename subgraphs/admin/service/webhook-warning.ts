import type { Ids } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { OpenExceptionEffect, ResolveExceptionEffect } from './ports/admin-effects.js';
import type { WebhookRecord } from './ports/webhook-store.js';

// An operator is told at half of the time after which a webhook that fails is suspended: WEBHOOK_FAILING.

type Named = Pick<WebhookRecord, 'webhook_id' | 'tenant_id'>;

export const warningOf = (
  ids: Pick<Ids, 'next'>,
  { webhook_id, tenant_id }: Named,
  detail: JsonObject,
): OpenExceptionEffect => ({
  id: ids.next('effect'),
  kind: 'open-exception',
  tenant_id,
  exception: { kind: 'WEBHOOK_FAILING', subject: { webhook_id }, detail },
});

/** Of a webhook that somebody was told of: the run of failures has ended. @param note how. */
export const warningOver = (
  ids: Pick<Ids, 'next'>,
  { webhook_id, tenant_id }: Named,
  note: string,
): ResolveExceptionEffect => ({
  id: ids.next('effect'),
  kind: 'resolve-exception',
  tenant_id,
  exception_kind: 'WEBHOOK_FAILING',
  subject: { webhook_id },
  note,
});
