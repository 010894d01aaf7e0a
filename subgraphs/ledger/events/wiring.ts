import { mongoEventKeys } from '../event-keys/index.js';
import { linksOfEvent, mongoLinkStore } from '../links/index.js';
import type { LedgerArea, WireArea } from '../parts.js';
import { mongoRawUse } from './model.js';
import { EventResolver, EventViewResolver, TimelineResolver } from './resolver.js';
import { TimelineMember } from './schema.js';

const wire: WireArea = ({ deps, contexts, openExceptions, rowProofs }) => {
  const { db } = deps.database;
  const linksOf = linksOfEvent(mongoLinkStore(db));
  const services = {
    ...deps,
    contexts,
    openExceptions,
    rowProofs,
    linksOf,
    rawUse: mongoRawUse(db),
    eventKeys: mongoEventKeys(db),
  };
  return {
    resolvers: [new EventResolver(services), new EventViewResolver(services), new TimelineResolver(services)],
  };
};

/** Reads of events: by id, as lists, as views for other subgraphs, in timelines, and their raw bytes. */
export const eventsArea: LedgerArea = {
  resolvers: [EventResolver, EventViewResolver, TimelineResolver],
  contractTypes: [TimelineMember],
  wire,
};
