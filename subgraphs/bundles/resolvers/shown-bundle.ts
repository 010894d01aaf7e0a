import { isoTime } from '../../../shared/clock/clock.js';
import type { Bundle } from '../schema/bundle.js';
import type { StoredBundle } from '../service/ports/bundle-store.js';

/** A bundle as the API shows it. */
export const shownBundle = (bundle: StoredBundle): Bundle => {
  const { consent, seal, failure, regenerated_from } = bundle;
  return {
    bundle_id: bundle.bundle_id,
    tenant_id: bundle.tenant_id,
    bundle_type: bundle.bundle_type,
    scope: bundle.scope,
    profile: bundle.profile,
    ...(consent ? { purpose: consent.purpose } : {}),
    requested_by: bundle.requested_by,
    status: bundle.status,
    progress: bundle.progress,
    ...(seal === null ? {} : seal),
    ...(regenerated_from === null ? {} : { regenerated_from }),
    ...(failure === null ? {} : { failure }),
    created_at: isoTime(bundle.created_at.getTime()),
    created_by: bundle.created_by,
  };
};
