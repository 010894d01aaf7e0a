import type { RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { BundlesArea } from '../parts.js';
import { MATTER_MACHINE } from './domain.js';
import { MATTERS, matterStore } from './model.js';
import type { MatterStore } from './ports.js';
import { MatterResolver, matterReferences } from './resolver.js';
import { MATTER_FACTS, MATTER_ROW } from './schema.js';

export const matterRecords = (deps: RecordStoreDeps): MatterStore =>
  matterStore(deps, { check: MATTER_ROW, facts: MATTER_FACTS });

/** Legal matters. */
export const mattersArea: BundlesArea = {
  resolvers: [MatterResolver],
  references: { LegalMatter: matterReferences },
  stateMachines: [MATTER_MACHINE],
  collections: [MATTERS],
  wire: ({ deps, bundles, matters }) => ({ resolvers: [new MatterResolver({ ...deps, matters, bundles })] }),
};
