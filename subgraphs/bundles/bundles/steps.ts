import type { RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import { type RecordKind, RecordSteps, type StepDeps, serviceTaker, stepsOf } from '../../../shared/records/steps.js';
import { BUNDLE_MACHINE } from './domain/states.js';
import type { BundleEffect, BundleStore, Seal, Sealing, StoredBundle, TenantBundles } from './ports.js';

type Members = Omit<StoredBundle, 'history'>;

/** Facts that the ledger entry of a step states besides the step: hashes, counts and codes, nothing about members. */
function factsOf(action: string, { sealing, seal, failure }: Members) {
  if (action === 'sealing' && sealing !== null) return { ...sealing };
  if (action === 'fail' && failure !== null) return { code: failure.code };
  if (action !== 'seal' || seal === null) return {};
  const { worm_blob_sha256, sealed_at, signing_key_id, event_count, document_count } = seal;
  return { worm_blob_sha256, sealed_at, signing_key_id, event_count, document_count };
}

const BUNDLE: RecordKind<StoredBundle, 'bundle_id', BundleEffect> = {
  machine: BUNDLE_MACHINE,
  idKind: 'bundle',
  id: 'bundle_id',
  noun: 'bundle',
  family: 'bundle',
  facts: true,
  payload: (after, { actor_id: _, ...step }) => ({
    bundle_id: after.bundle_id,
    bundle_type: after.bundle_type,
    ...step,
    ...factsOf(step.action, after),
  }),
  line: ({ actor_id: _, ...line }) => line,
  pending: (entries, { after, action, at, ids }) => [
    ...entries,
    ...effectsOf(action, after, isoTime(at.getTime()), ids),
  ],
};

/** The platform event of a step, then the effects on other records. */
function effectsOf(
  action: string,
  { tenant_id, seal, failure, ...bundle }: Members,
  at: string,
  ids: Ids,
): BundleEffect[] {
  const { bundle_id, bundle_type } = bundle;
  const named = { bundle_id, bundle_type };
  const subject = { bundle_id };
  if (action === 'seal' && seal !== null) {
    const { worm_blob_sha256, sealed_at } = seal;
    const data = { ...named, worm_blob_sha256, sealed_at };
    return [
      platformEventEffect(ids, { tenant_id, type: 'bundle.sealed', at, data }),
      { id: ids.next('effect'), kind: 'ask-timestamp', tenant_id, bundle_id },
    ];
  }
  if (action === 'sealing') return [];
  if (action === 'fail' && failure !== null) {
    const { code } = failure;
    return [
      platformEventEffect(ids, { tenant_id, type: 'bundle.failed', at, data: { ...named, code } }),
      {
        id: ids.next('effect'),
        kind: 'open-exception',
        tenant_id,
        exception: { kind: 'BUNDLE_FAILED', subject, detail: { code } },
      },
    ];
  }
  const requested = platformEventEffect(ids, { tenant_id, type: 'bundle.requested', at, data: named });
  if (action === 'request') return [requested];
  const note = 'The bundle is being rebuilt.';
  return [requested, { id: ids.next('effect'), kind: 'resolve-exception', tenant_id, subject, note }];
}

/** The steps that a request takes. */
export const requestSteps = (deps: StepDeps, context: RequestContext, rows: TenantBundles) =>
  stepsOf(BUNDLE, deps, context, rows);

export interface BuildStepDeps {
  readonly bundles: BundleStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The steps that a build takes while it holds the bundle. */
const buildSteps = ({ bundles, clock, ids }: BuildStepDeps, { tenant_id }: StoredBundle) =>
  new RecordSteps(BUNDLE, { clock, taker: serviceTaker(ids, 'service:bundles'), rows: bundles(tenant_id) });

/** Commits what a build is about to sign. @returns null if another worker has changed the bundle */
export const announceSeal = (
  deps: BuildStepDeps,
  bundle: StoredBundle,
  sealing: Sealing,
): Promise<StoredBundle | null> => buildSteps(deps, bundle).takeOn(bundle, 'sealing', { sealing });

/** Ends a build with its seal. @returns null if another worker has ended it. */
export function sealBundle(deps: BuildStepDeps, bundle: StoredBundle, seal: Seal): Promise<StoredBundle | null> {
  const all = seal.event_count + seal.document_count;
  const progress = { phase: 'DONE', done: all, total: all } as const;
  return buildSteps(deps, bundle).takeOn(bundle, 'seal', { seal, progress });
}

type Failure = Pick<NonNullable<StoredBundle['failure']>, 'code' | 'message'>;

const failed = ({ clock }: BuildStepDeps, { code, message }: Failure) => {
  const at = new Date(clock.nowMs());
  return [{ failure: { code, message, at: isoTime(at.getTime()) } }, { at }] as const;
};

/** Ends a build that failed for good. @returns null if another worker has ended it. */
export const failBundle = (deps: BuildStepDeps, bundle: StoredBundle, failure: Failure): Promise<StoredBundle | null> =>
  buildSteps(deps, bundle).takeOn(bundle, 'fail', ...failed(deps, failure));
