import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import type { BundleProfile } from '../../../shared/evidence/bundle/entries.js';
import type { BundleType } from '../../../shared/evidence/bundle/manifest.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { WorkQueue } from '../../../shared/jobs/work-queue.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { type BundleScope, scopeOf } from '../domain/bundle-scope.js';
import { BUNDLE_MACHINE } from '../domain/bundle-states.js';
import {
  changeOf,
  exceptionSubject,
  isDoneBy,
  nowOf,
  recordEffects,
  requestedEffect,
  stepByRequest,
} from './bundle-steps.js';
import type { BundlePurpose, BundleStore, BundleWrite, StoredBundle } from './ports/bundle-store.js';

export interface RequestDeps extends WorkDeps {
  readonly bundles: BundleStore;
  readonly clock: Clock;
  /** Wakes the workers. */
  readonly queue: () => Pick<WorkQueue, 'wake'>;
  /** Whether everything in the scope may go without its proofs. */
  readonly refuseMinimal: (tenantId: TenantId, scope: BundleScope, consent: BundlePurpose | null) => Promise<void>;
}

export interface BundleAsked {
  readonly scope: Omit<BundleScope, 'tenant_id'> & { readonly tenant_id?: string };
  readonly bundle_type?: BundleType;
  readonly requested_by?: string;
  readonly profile?: BundleProfile;
  readonly purpose?: string;
}

type NewBundle = Pick<
  StoredBundle,
  'bundle_type' | 'scope' | 'profile' | 'consent' | 'requested_by' | 'regenerated_from'
>;

const WAITING = { phase: 'WAITING', done: 0, total: 0 } as const;
/** Writers who meet on one bundle try again this often. */
const MAX_ATTEMPTS = 5;

/** Takes a request; a worker builds it. @throws VALIDATION_ERROR */
export async function requestBundle(
  deps: RequestDeps,
  context: RequestContext,
  asked: BundleAsked,
): Promise<StoredBundle> {
  const tenantId = authorise(context, 'bundles:request');
  const judged = scopeOf(tenantId, asked.scope, asked.bundle_type);
  if (!('scope' in judged)) throw problem('VALIDATION_ERROR', { errors: judged });
  const { principal } = context;
  const profile = asked.profile ?? 'full';
  const consent = asked.purpose === undefined ? null : purposeOf(principal, asked.purpose, asked.requested_by);
  if (profile === 'minimal') await deps.refuseMinimal(tenantId, judged.scope, consent);
  return makeBundle(deps, context, tenantId, {
    bundle_type: judged.bundleType,
    scope: judged.scope,
    profile,
    consent,
    requested_by: asked.requested_by ?? principal.actorId ?? principal.keyName,
    regenerated_from: null,
  });
}

/**
 * Of a SEALED bundle another one over the same scope; a FAILED one is built again under its id.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION while it is REQUESTED, CONFLICT
 */
export async function regenerateBundle(
  deps: RequestDeps,
  context: RequestContext,
  bundleId: string,
): Promise<StoredBundle> {
  const tenantId = authorise(context, 'bundles:request');
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isIdOf('bundle', bundleId) ? await deps.bundles(tenantId).get(bundleId) : null;
    if (standing === null) throw problem('NOT_FOUND');
    if (isDoneBy(context, standing, 'regenerate')) return standing;
    transition(BUNDLE_MACHINE, standing.status, 'regenerate');
    if (standing.status === 'SEALED') {
      const { principal } = context;
      const requested_by = principal.actorId ?? principal.keyName;
      const consent = standing.consent && purposeOf(principal, standing.consent.purpose);
      return makeBundle(deps, context, tenantId, { ...standing, consent, requested_by, regenerated_from: bundleId });
    }
    const again = await buildAgain(deps, context, standing);
    if (again !== null) return again;
  }
  throw problem('CONFLICT', { message: 'The bundle is being changed by others; read it and try again.' });
}

/** Who asks, and for whom, is asked of consent; a key's own name is nobody else's. */
function purposeOf(
  { actorId, keyId, keyName }: RequestContext['principal'],
  purpose: string,
  requestedBy?: string,
): BundlePurpose {
  const asking = actorId ?? keyId;
  const isOther = requestedBy !== undefined && ![asking, keyId, keyName].includes(requestedBy);
  return { purpose: purpose.toUpperCase(), actors: isOther ? [asking, requestedBy] : [asking] };
}

/** @param bundleId where it was fixed before the first attempt. */
export async function makeBundle(
  deps: RequestDeps,
  context: RequestContext,
  tenantId: TenantId,
  { bundle_type, scope, profile, consent, requested_by, regenerated_from }: NewBundle,
  bundleId?: string,
): Promise<StoredBundle> {
  const { ids } = forWork(deps, context, 'request-bundle');
  const now = nowOf(deps.clock);
  const bundle: BundleWrite['bundle'] = {
    bundle_id: bundleId ?? ids.next('bundle'),
    tenant_id: tenantId,
    bundle_type,
    scope,
    profile,
    consent,
    requested_by,
    status: 'REQUESTED',
    progress: WAITING,
    frozen: null,
    seal: null,
    failure: null,
    regenerated_from,
    revision: 1,
    created_at: now,
    created_by: context.principal.keyId,
    updated_at: now,
  };
  const by = stepByRequest(context);
  const step = transition(BUNDLE_MACHINE, null, 'request');
  const pending = [...recordEffects(ids, step, bundle, by), requestedEffect(ids, bundle)];
  const write = { bundle, change: changeOf(step, bundle, by), pending };
  const bundles = deps.bundles(tenantId);
  const stored = await bundles.insert(write);
  if (stored !== null) {
    deps.queue().wake([tenantId]);
    await bundles.relay(write);
  }
  // The identifier is taken only when this very request has run before: what it made is the answer.
  const standing = stored ?? (await bundles.get(bundle.bundle_id));
  if (standing === null) throw new Error('a fresh bundle collided with one of another tenant');
  return standing;
}

async function buildAgain(
  deps: RequestDeps,
  context: RequestContext,
  { history: _, ...standing }: StoredBundle,
): Promise<StoredBundle | null> {
  const { ids } = forWork(deps, context, 'regenerate-bundle');
  const step = transition(BUNDLE_MACHINE, standing.status, 'regenerate');
  const bundle: BundleWrite['bundle'] = {
    ...standing,
    status: step.to,
    progress: WAITING,
    frozen: null,
    failure: null,
    revision: standing.revision + 1,
    updated_at: nowOf(deps.clock),
  };
  const by = stepByRequest(context);
  const { tenant_id } = bundle;
  const pending = [
    ...recordEffects(ids, step, bundle, by),
    requestedEffect(ids, bundle),
    {
      id: ids.next('effect'),
      kind: 'resolve-exception',
      tenant_id,
      subject: exceptionSubject(bundle.bundle_id),
      note: 'The bundle is built again.',
    } as const,
  ];
  const write = { bundle, change: changeOf(step, bundle, by), pending };
  const bundles = deps.bundles(tenant_id);
  const stored = await bundles.again(write, standing.revision);
  if (stored === null) return null;
  deps.queue().wake([tenant_id]);
  await bundles.relay(write);
  return stored;
}
