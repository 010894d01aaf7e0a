import { stateMachine } from '../../../../shared/state-machine/state-machine.js';

// States of a bundle (specification "States and transitions"; api.md section 4). Requested steps leave ledger entries;
// the manifest records the seal.

export const BUNDLE_STATUSES = ['REQUESTED', 'SEALED', 'FAILED'] as const;
export type BundleStatus = (typeof BUNDLE_STATUSES)[number];

/**
 * `regenerate` rebuilds a FAILED bundle under its id; for a SEALED one it creates another bundle and changes nothing
 * here. `sealing` commits the content before it is signed.
 */
export type BundleAction = 'request' | 'sealing' | 'seal' | 'fail' | 'regenerate';

const asked = { scope: 'bundles:request' } as const;
const worked = { scope: 'internal' } as const;

export const BUNDLE_MACHINE = stateMachine<BundleStatus, BundleAction>('bundle', [
  { from: null, action: 'request', to: 'REQUESTED', ...asked, emits: ['bundle.requested'] },
  { from: 'REQUESTED', action: 'sealing', to: 'REQUESTED', ...worked, emits: ['bundle.sealing'] },
  { from: 'REQUESTED', action: 'seal', to: 'SEALED', ...worked, emits: ['bundle.sealed'] },
  { from: 'REQUESTED', action: 'fail', to: 'FAILED', ...worked, emits: ['bundle.failed'] },
  { from: 'FAILED', action: 'regenerate', to: 'REQUESTED', ...asked, emits: ['bundle.regenerated'] },
  { from: 'SEALED', action: 'regenerate', to: 'SEALED', ...asked, emits: [] },
]);

/** Phases of a build. */
export const BUILD_PHASES = ['WAITING', 'FREEZE', 'EVENTS', 'PROOFS', 'DOCUMENTS', 'ARCHIVE', 'DONE'] as const;
export type BuildPhase = (typeof BUILD_PHASES)[number];
