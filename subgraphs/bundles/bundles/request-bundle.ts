import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { BundleOrder } from '../../../shared/contracts/bundles.js';
import { problem } from '../../../shared/errors/problem.js';
import { storedExtra } from '../../../shared/graph/extra.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { WorkQueue } from '../../../shared/jobs/work-queue.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { StepDeps } from '../../../shared/records/steps.js';
import { type BundleScope, scopeOf } from './domain/scope.js';
import type { BundlePurpose, BundleStore, StoredBundle } from './ports.js';
import type { BundleRequest } from './schema/bundle.js';
import { requestSteps } from './steps.js';

export interface RequestDeps extends StepDeps {
  readonly bundles: BundleStore;
  /** Wakes the build workers. */
  readonly queue: Pick<WorkQueue, 'wake'>;
  /** Rejects a scope with events that a bundle without proofs cannot show. @throws VALIDATION_ERROR */
  readonly rejectMinimal: (tenantId: TenantId, scope: BundleScope, consent: BundlePurpose | null) => Promise<void>;
  /** Rejects a matter that nothing names. @throws VALIDATION_ERROR */
  readonly rejectUnknownMatter: (tenantId: TenantId, scope: BundleScope) => Promise<void>;
}

type NewBundle = Pick<
  StoredBundle,
  'bundle_type' | 'scope' | 'profile' | 'consent' | 'requested_by' | 'regenerated_from' | 'extra'
>;

/** Members of a bundle that waits for its build. */
const UNBUILT = {
  progress: { phase: 'WAITING', done: 0, total: 0 },
  frozen: null,
  sealing: null,
  failure: null,
} as const;

/**
 * Accepts a request; a worker builds the bundle.
 *
 * @throws VALIDATION_ERROR
 */
export async function requestBundle(
  deps: RequestDeps,
  context: RequestContext,
  asked: BundleRequest,
): Promise<StoredBundle> {
  const tenantId = authorise(context, 'bundles:request');
  const requested = scopeOf(tenantId, asked.scope, asked.bundle_type);
  if (!('scope' in requested)) throw problem('VALIDATION_ERROR', { errors: requested });
  await deps.rejectUnknownMatter(tenantId, requested.scope);
  const { principal } = context;
  const profile = asked.profile ?? 'full';
  const consent = asked.purpose === undefined ? null : purposeOf(principal, asked.purpose, asked.requested_by);
  if (profile === 'minimal') await deps.rejectMinimal(tenantId, requested.scope, consent);
  return createBundle(deps, context, tenantId, {
    bundle_type: requested.bundleType,
    scope: requested.scope,
    profile,
    consent,
    requested_by: asked.requested_by ?? principal.actorId ?? principal.keyName,
    regenerated_from: null,
  });
}

/**
 * Creates another bundle over the scope of a SEALED one; rebuilds a FAILED one under its id.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION while it is REQUESTED, CONFLICT
 */
export async function regenerateBundle(
  deps: RequestDeps,
  context: RequestContext,
  { bundleId, extra }: { readonly bundleId: string; readonly extra?: JsonObject | undefined },
): Promise<StoredBundle> {
  const tenantId = authorise(context, 'bundles:request');
  const kept = storedExtra(extra);
  const found: { sealed?: StoredBundle } = {};
  const bundle = await requestSteps(deps, context, deps.bundles(tenantId)).take(bundleId, 'regenerate', {
    settle: waking(deps),
    change: (before) => {
      if (before.status !== 'SEALED') return { ...UNBUILT, ...kept };
      found.sealed = before;
      return null;
    },
  });
  if (found.sealed === undefined) return bundle;
  const { principal } = context;
  return createBundle(deps, context, tenantId, {
    bundle_type: bundle.bundle_type,
    scope: bundle.scope,
    profile: bundle.profile,
    consent: bundle.consent && purposeOf(principal, bundle.consent.purpose),
    requested_by: principal.actorId ?? principal.keyName,
    regenerated_from: bundleId,
    ...kept,
  });
}

/** Requests a full bundle over one member, under an id that the caller has fixed. Does nothing if the bundle exists. */
export async function orderBundle(
  deps: RequestDeps,
  context: RequestContext,
  { bundle_id, member_id, requested_by }: BundleOrder,
): Promise<void> {
  const tenantId = authorise(context, INTERNAL_SCOPE);
  if ((await deps.bundles(tenantId).get(bundle_id)) !== null) return;
  const scope = { tenant_id: tenantId, member_id };
  // Members read their own records, so consent is not checked.
  const what = { bundle_type: 'MEMBER', scope, profile: 'full', consent: null } as const;
  await createBundle(deps, context, tenantId, { ...what, requested_by, regenerated_from: null }, bundle_id);
}

/** Consent is checked for the requester and for `requested_by`, unless that names the key itself. */
function purposeOf(
  { actorId, keyId, keyName }: RequestContext['principal'],
  purpose: string,
  requestedBy?: string,
): BundlePurpose {
  const asking = actorId ?? keyId;
  const isOther = requestedBy !== undefined && ![asking, keyId, keyName].includes(requestedBy);
  return { purpose: purpose.toUpperCase(), actors: isOther ? [asking, requestedBy] : [asking] };
}

/** @param id fixed by the caller */
async function createBundle(
  deps: RequestDeps,
  context: RequestContext,
  tenantId: TenantId,
  members: NewBundle,
  id?: string,
): Promise<StoredBundle> {
  const steps = requestSteps(deps, context, deps.bundles(tenantId));
  const settle = waking(deps);
  return steps.create(() => ({ ...members, ...UNBUILT, seal: null }), { action: 'request', id, settle });
}

/** Wakes the build workers before the effects of a request are performed. */
const waking =
  ({ queue }: RequestDeps) =>
  async (bundle: StoredBundle): Promise<StoredBundle> => {
    queue.wake([bundle.tenant_id]);
    return bundle;
  };
