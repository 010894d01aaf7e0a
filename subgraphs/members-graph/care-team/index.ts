import type { MembersArea } from '../parts.js';
import { CARE_TEAM_MACHINE } from './domain.js';
import { CARE_TEAM_ENTRIES } from './model.js';
import { CareTeamResolver } from './resolver.js';

export { careTeamStore } from './model.js';
export type { CareTeamStore, StoredCareTeamEntry } from './ports.js';
export { shownCareTeamEntry } from './resolver.js';

/** Carers of members. */
export const careTeamArea: MembersArea = {
  resolvers: [CareTeamResolver],
  stateMachines: [CARE_TEAM_MACHINE],
  collections: [CARE_TEAM_ENTRIES],
  wire: ({ deps, directory, stores }) => ({ resolvers: [new CareTeamResolver({ ...deps, ...stores, directory })] }),
};
