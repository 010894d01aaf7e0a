import type { VaultArea } from '../parts.js';
import { TimelineResolver } from './resolver.js';
import { TimelineMember } from './schema.js';

/** The vault's parts of a member's timeline. */
export const timelineArea: VaultArea = {
  resolvers: [TimelineResolver],
  contractTypes: [TimelineMember],
  wire: ({ deps, documents, holds }) => [new TimelineResolver({ ...deps, documents, holds })],
};
