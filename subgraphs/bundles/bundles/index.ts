export { type DisclosureDeps, requireDisclosable } from './disclosable-archive.js';
export { BUNDLES, bundleStore } from './model.js';
export type {
  BundleEffect,
  BundlePurpose,
  BundleRow,
  BundleStore,
  FrozenInputs,
  Seal,
  Sealing,
  StoredBundle,
} from './ports.js';
export { getBundle, type ReadBundleDeps, type SealedBundle, sealedBundle } from './read-bundles.js';
export type { RequestDeps } from './request-bundle.js';
export { bundleReferences } from './resolvers/bundles.js';
export { requireOwnArchive } from './sealed-archive.js';
export { announceSeal, type BuildStepDeps, failBundle, sealBundle } from './steps.js';
export { bundlesArea } from './wiring.js';
