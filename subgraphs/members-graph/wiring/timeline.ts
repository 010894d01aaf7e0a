import { appointmentStore } from '../model/appointment-model.js';
import { careTeamStore } from '../model/care-team-model.js';
import { consentStore } from '../model/consent-repository.js';
import { memberStore } from '../model/member-repository.js';
import { mergeStore } from '../model/merge-model.js';
import { TimelineResolver } from '../resolvers/timeline-resolver.js';
import { VisitsTimelineResolver } from '../resolvers/visits-timeline-resolver.js';
import type { WireArea } from './parts.js';

/** The timeline: whose it is, and what this subgraph knows of the member. */
export const wireTimeline: WireArea = ({ deps, directory, outbox }) => {
  const { db } = deps.database;
  const stores = { members: memberStore(db, outbox), merges: mergeStore(db, outbox) };
  const visits = { appointments: appointmentStore(db, outbox), careTeam: careTeamStore(db, outbox) };
  const services = { ...deps, ...stores, ...visits, directory, consents: consentStore(db, outbox) };
  return {
    resolvers: [
      [TimelineResolver, new TimelineResolver(services)],
      [VisitsTimelineResolver, new VisitsTimelineResolver(services)],
    ],
  };
};
