import { mongoEventKeys } from '../event-keys/index.js';
import { mongoLinkStore } from '../links/index.js';
import type { LedgerArea, LedgerParts, WireArea } from '../parts.js';
import type { EventQueryDeps } from './reading-events.js';
import { EventAggregateResolver } from './resolvers/aggregate.js';
import { EventConnectionResolver } from './resolvers/connection.js';
import { DecisionEdgeResolver } from './resolvers/decision-edges.js';
import {
  DocumentEventsResolver,
  EventEdgeResolver,
  eventReferences,
  LinkedEventResolver,
  MemberClaimsResolver,
} from './resolvers/edges.js';
import {
  ClaimEdgeResolver,
  CodeEdgeResolver,
  EventNamesResolver,
  ProviderEdgeResolver,
} from './resolvers/keyed-edges.js';
import { NamedRootResolver } from './resolvers/named-roots.js';
import { EventPayloadResolver } from './resolvers/payloads.js';

const RESOLVERS = [
  EventConnectionResolver,
  EventAggregateResolver,
  EventEdgeResolver,
  LinkedEventResolver,
  MemberClaimsResolver,
  DocumentEventsResolver,
  ProviderEdgeResolver,
  ClaimEdgeResolver,
  CodeEdgeResolver,
  NamedRootResolver,
] as const;

function servicesOf({ deps, contexts, openExceptions, rowProofs }: LedgerParts): EventQueryDeps {
  const { db } = deps.database;
  const stores = { eventKeys: mongoEventKeys(db), links: mongoLinkStore(db) };
  return { ...deps, ...stores, contexts, openExceptions, rowProofs };
}

const wire: WireArea = (parts) => {
  const services = servicesOf(parts);
  const { exceptions } = parts.exceptionQueue;
  const decisions = new DecisionEdgeResolver({ ...services, exceptions });
  return {
    resolvers: [
      ...RESOLVERS.map((Resolver) => new Resolver(services)),
      new EventNamesResolver(),
      new EventPayloadResolver(),
      decisions,
    ],
  };
};

/** Events by structured filters, as pages and as aggregates, and what they lead to. */
export const eventQueriesArea: LedgerArea = {
  resolvers: [...RESOLVERS, EventNamesResolver, EventPayloadResolver, DecisionEdgeResolver],
  references: { EventRecord: (parts) => eventReferences(servicesOf(parts)) },
  wire,
};
