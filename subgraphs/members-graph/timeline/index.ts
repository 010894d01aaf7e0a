import type { MembersArea } from '../parts.js';
import { TimelineResolver } from './resolver.js';

/** The timeline of members. */
export const timelineArea: MembersArea = {
  resolvers: [TimelineResolver],
  wire: ({ deps, directory, stores }) => ({ resolvers: [new TimelineResolver({ ...deps, ...stores, directory })] }),
};
