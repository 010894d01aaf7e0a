import type { AdminDeps } from '../../shared/contracts/deps.js';
import { Outbox } from '../../shared/outbox/outbox.js';
import { type Performers, performersOver } from '../../shared/outbox/performers.js';
import { ApiKeyHmac, actorStore, apiKeyStore, KeyCheck, KeyUse, roleStore } from './access/index.js';
import { featureFlagStore } from './flags/index.js';
import { leadStore } from './leads/index.js';
import type { AdminEffect } from './parts.js';
import { SessionCheck, sessionStore } from './sessions/index.js';
import { retireFormerPerformer, Signing, signingKeyStore } from './signing-keys/index.js';
import { CachedTenantDirectory, tenantStore } from './tenants/index.js';
import { deliveryStore } from './webhooks/index.js';

export type AdminStores = ReturnType<typeof openStores>;

/**
 * Opens the stores, the caches that their commits keep current, and the outbox that performs the effects of commits.
 *
 * @param collections names of the collections with rows that carry pending effects.
 */
export function openStores(deps: AdminDeps, collections: readonly string[]) {
  const { exceptions, clock, logger } = deps;
  const { db } = deps.database;
  const over = { db, outbox: { relay: (...write: Parameters<Outbox['relay']>) => outbox.relay(...write) } };

  const tenants = tenantStore(over, ({ tenant_id }) => directory.forget(tenant_id));
  const directory = new CachedTenantDirectory(tenants, clock);
  // Any key may depend on a role or an actor.
  const forgetAll = (): void => {
    check.forgetAll();
    authority.forgetAll();
  };
  const actors = actorStore(over, forgetAll);
  const roles = roleStore(over, forgetAll);
  const keys = apiKeyStore(over, (key) => {
    check.forget(key);
    authority.forgetAll();
  });
  const hmac = new ApiKeyHmac(deps.masterKey);
  const use = new KeyUse(keys, logger);
  const check = new KeyCheck({ keys, actors, roles, hmac, use, clock });
  const sessions = sessionStore(over, ({ session_id }) => authority.forget(session_id));
  const authority = new SessionCheck({ sessions, check, clock, logger });
  const signingKeys = signingKeyStore(over);
  const deliveries = deliveryStore(db);

  const performers: Performers<AdminEffect> = {
    ...performersOver(deps),
    'successor-key': (effect) => keys.insertSuccessor(effect),
    'retire-former': retireFormerPerformer({ ...deps, signingKeys }),
    'open-exception': ({ tenant_id, exception }) => exceptions.open(tenant_id, exception),
    'resolve-exception': ({ tenant_id, exception_kind, subject, note }) =>
      exceptions.resolve(tenant_id, exception_kind, subject, note),
    'cancel-deliveries': async ({ tenant_id, webhook_id }) => {
      await deliveries(tenant_id).cancelWaiting(webhook_id);
    },
    'hasten-deliveries': async ({ tenant_id, webhook_id, at }) => {
      await deliveries(tenant_id).hastenWaiting(webhook_id, at.getTime());
    },
  };
  const outbox: Outbox<AdminEffect> = new Outbox<AdminEffect>({ ...deps, performers }, collections);
  const flags = featureFlagStore({ db, outbox });
  const leads = leadStore({ db, outbox });
  const signing = new Signing({ ...deps, signingKeys });
  const access = { actors, roles, keys, hmac, use, check, sessions, authority };
  return { tenants, directory, ...access, signingKeys, signing, deliveries, outbox, flags, leads };
}
