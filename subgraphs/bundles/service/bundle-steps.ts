import type { RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { ledgerEntryEffect, platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import type { TransitionRow } from '../../../shared/state-machine/state-machine.js';
import type { BundleAction, BundleStatus } from '../domain/bundle-states.js';
import type { BundleEffect } from './ports/bundle-effects.js';
import type { BundleChange, StoredBundle } from './ports/bundle-store.js';

/** Who takes a step: the key of a request, or the service. */
export interface StepBy {
  readonly keyId: string;
  readonly workId: string | null;
}

export const stepByRequest = ({ principal, workId }: RequestContext): StepBy => ({ keyId: principal.keyId, workId });
export const STEP_BY_SERVICE: StepBy = { keyId: 'service:bundles', workId: null };

type Step = TransitionRow<BundleStatus, BundleAction>;
type Stepped = Pick<StoredBundle, 'bundle_id' | 'tenant_id' | 'bundle_type' | 'revision' | 'updated_at'>;

export const changeOf = (step: Step, { revision, updated_at }: Stepped, by: StepBy): BundleChange => ({
  revision,
  action: step.action,
  from: step.from,
  to: step.to,
  at: updated_at,
  by: by.keyId,
  work_id: by.workId,
});

/** Entries of `_records` that the table names for a step. Ids, hashes and states: no member stands in them. */
export function recordEffects(
  ids: Pick<Ids, 'next'>,
  step: Step,
  bundle: Stepped,
  by: StepBy,
  facts: Readonly<Record<string, string | number>> = {},
): BundleEffect[] {
  return step.emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id: bundle.tenant_id,
      source_system: '_records',
      entry: {
        event_family: 'bundle',
        event_type: eventType,
        event_effective_timestamp: isoTime(bundle.updated_at.getTime()),
        outcome: step.to,
        payload: {
          bundle_id: bundle.bundle_id,
          bundle_type: bundle.bundle_type,
          action: step.action,
          from: step.from,
          to: step.to,
          revision: bundle.revision,
          by: by.keyId,
          ...facts,
        },
      },
    }),
  );
}

/** `bundle.requested`, told of a first request and of one that is built again. */
export const requestedEffect = (ids: Pick<Ids, 'next'>, bundle: Stepped): BundleEffect =>
  platformEventEffect(ids, {
    tenant_id: bundle.tenant_id,
    type: 'bundle.requested',
    at: isoTime(bundle.updated_at.getTime()),
    data: { bundle_id: bundle.bundle_id, bundle_type: bundle.bundle_type },
  });

export const exceptionSubject = (bundleId: string): { readonly bundle_id: string } => ({ bundle_id: bundleId });

/** A repeated request finds what it did by its work id; without a key there is none. */
export const isDoneBy = ({ workId }: RequestContext, { history }: StoredBundle, action: BundleAction): boolean =>
  workId !== null && history.some((change) => change.work_id === workId && change.action === action);

export const nowOf = (clock: Clock): Date => new Date(clock.nowMs());
