import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { RowChange } from '../../../shared/jobs/work-queue.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { BUNDLE_MACHINE } from '../domain/bundle-states.js';
import type { BuildFailure } from './build-failure.js';
import { changeOf, exceptionSubject, nowOf, recordEffects, STEP_BY_SERVICE } from './bundle-steps.js';
import type { BundleEffect } from './ports/bundle-effects.js';
import type { BundleStore, Seal, StoredBundle } from './ports/bundle-store.js';

export interface EndDeps {
  readonly bundles: BundleStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What is written at the end of a build, and what follows from it. */
export interface Ending {
  readonly change: RowChange;
  readonly pending: readonly BundleEffect[];
}

type EndedBundle = Pick<StoredBundle, 'bundle_id' | 'tenant_id' | 'bundle_type' | 'revision' | 'status'>;

export function sealedChange({ ids, clock }: EndDeps, bundle: EndedBundle, seal: Seal): Ending {
  const step = transition(BUNDLE_MACHINE, bundle.status, 'seal');
  const stepped = { ...bundle, revision: bundle.revision + 1, updated_at: nowOf(clock) };
  const { worm_blob_sha256, sealed_at, signing_key_id, event_count, document_count } = seal;
  const facts = { worm_blob_sha256, sealed_at, signing_key_id, event_count, document_count };
  const pending: BundleEffect[] = [
    ...recordEffects(ids, step, stepped, STEP_BY_SERVICE, facts),
    platformEventEffect(ids, {
      tenant_id: bundle.tenant_id,
      type: 'bundle.sealed',
      at: isoTime(stepped.updated_at.getTime()),
      data: { bundle_id: bundle.bundle_id, bundle_type: bundle.bundle_type, worm_blob_sha256, sealed_at },
    }),
    { id: ids.next('effect'), kind: 'ask-timestamp', tenant_id: bundle.tenant_id, bundle_id: bundle.bundle_id },
  ];
  const all = event_count + document_count;
  const progress = { phase: 'DONE', done: all, total: all };
  const set = { status: step.to, seal, progress, revision: stepped.revision, updated_at: stepped.updated_at };
  return ending(set, changeOf(step, stepped, STEP_BY_SERVICE), pending);
}

export function failedChange(
  { ids, clock }: EndDeps,
  bundle: EndedBundle,
  { code, message }: Pick<BuildFailure, 'code' | 'message'>,
): Ending {
  const step = transition(BUNDLE_MACHINE, bundle.status, 'fail');
  const stepped = { ...bundle, revision: bundle.revision + 1, updated_at: nowOf(clock) };
  const at = isoTime(stepped.updated_at.getTime());
  const { tenant_id, bundle_id, bundle_type } = bundle;
  const pending: BundleEffect[] = [
    ...recordEffects(ids, step, stepped, STEP_BY_SERVICE, { code }),
    platformEventEffect(ids, { tenant_id, type: 'bundle.failed', at, data: { bundle_id, bundle_type, code } }),
    {
      id: ids.next('effect'),
      kind: 'open-exception',
      tenant_id,
      exception: { kind: 'BUNDLE_FAILED', subject: exceptionSubject(bundle_id), detail: { code } },
    },
  ];
  const failure = { code, message, at };
  const set = { status: step.to, failure, revision: stepped.revision, updated_at: stepped.updated_at };
  return ending(set, changeOf(step, stepped, STEP_BY_SERVICE), pending);
}

const ending = (set: NonNullable<RowChange['set']>, change: object, pending: readonly BundleEffect[]): Ending => ({
  change: { set, push: { history: change, pending: { $each: pending } } },
  pending,
});
