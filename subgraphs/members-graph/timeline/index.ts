import type { MembersArea } from '../parts.js';
import { MemberTimelineResolver, TimelineResolver } from './resolver.js';

/** The timeline of members. */
export const timelineArea: MembersArea = {
  resolvers: [TimelineResolver, MemberTimelineResolver],
  wire: ({ deps, directory, stores }) => {
    const services = { ...deps, ...stores, directory };
    return { resolvers: [new TimelineResolver(services), new MemberTimelineResolver(services)] };
  },
};
