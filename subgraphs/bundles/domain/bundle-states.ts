import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// The life of a bundle (specification "States and transitions"; api.md section 4). Entries of the ledger are left by the
// steps that somebody asks for; the seal itself stands in the manifest.

export const BUNDLE_STATUSES = ['REQUESTED', 'SEALED', 'FAILED'] as const;
export type BundleStatus = (typeof BUNDLE_STATUSES)[number];

/** `regenerate` builds a FAILED one again under its id; of a SEALED one it makes another bundle and changes nothing here. */
export type BundleAction = 'request' | 'seal' | 'fail' | 'regenerate';

const asked = { scope: 'bundles:request' } as const;
const worked = { scope: 'internal' } as const;

export const BUNDLE_MACHINE = stateMachine<BundleStatus, BundleAction>('bundle', [
  { from: null, action: 'request', to: 'REQUESTED', ...asked, emits: ['bundle.requested'] },
  { from: 'REQUESTED', action: 'seal', to: 'SEALED', ...worked, emits: ['bundle.sealed'] },
  { from: 'REQUESTED', action: 'fail', to: 'FAILED', ...worked, emits: ['bundle.failed'] },
  { from: 'FAILED', action: 'regenerate', to: 'REQUESTED', ...asked, emits: ['bundle.regenerated'] },
  { from: 'SEALED', action: 'regenerate', to: 'SEALED', ...asked, emits: [] },
]);
