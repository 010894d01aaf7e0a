import { mongoLinkStore } from '../model/link-model.js';
import { EventViewResolver } from '../resolvers/event-view-resolver.js';
import { TimelineResolver } from '../resolvers/timeline-resolver.js';
import { linksOfEvent } from '../service/read-links.js';
import type { WireArea } from './parts.js';

/** Events for the parts that judge them by what they say. */
export const wireEventReads: WireArea = ({ deps, contexts, openExceptions, redactions }) => {
  const linksOf = linksOfEvent(mongoLinkStore(deps.database.db));
  const services = { ...deps, contexts, openExceptions, redactions, linksOf };
  return {
    resolvers: [
      [EventViewResolver, new EventViewResolver(services)],
      [TimelineResolver, new TimelineResolver(services)],
    ],
  };
};
