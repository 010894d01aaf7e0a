import { HoldPortResolver } from '../resolvers/hold-port-resolver.js';
import { HoldResolver } from '../resolvers/hold-resolver.js';
import { HoldTiesResolver } from '../resolvers/hold-ties-resolver.js';
import { TimelineResolver } from '../resolvers/timeline-resolver.js';
import { followHolds } from '../service/follow-holds.js';
import type { WireArea } from './parts.js';

/** What a hold covers is listed this long after it came; it is held from the first moment. */
const FOLLOW_INTERVAL_MS = 5_000;

/** Legal holds, and the listing of what they cover. */
export const wireHolds: WireArea = ({ deps, documents, holds, gate }) => {
  const services = { ...deps, holds, gate, documents };
  deps.jobs.recurring({
    name: 'holds.follow',
    description: 'Lists what legal holds cover: events as they come, documents as they are.',
    everyMs: FOLLOW_INTERVAL_MS,
    run: (signal) => followHolds(services, signal),
  });
  return {
    resolvers: [
      [HoldResolver, new HoldResolver(services)],
      [HoldPortResolver, new HoldPortResolver(services)],
      [TimelineResolver, new TimelineResolver(services)],
      [HoldTiesResolver, new HoldTiesResolver(holds)],
    ],
  };
};
