import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import { buildGraph, type Subgraph, type SubgraphDefinition } from '../../shared/graph/subgraph.js';
import { APPOINTMENT_MACHINE } from './domain/appointments/appointment.js';
import { CARE_TEAM_MACHINE } from './domain/care-team/care-team-entry.js';
import { CONSENT_MACHINE } from './domain/consent/consent.js';
import { DATA_RIGHT_MACHINE } from './domain/data-rights/data-right.js';
import { CODE_MACHINES } from './domain/member-access/one-time-code.js';
import { SESSION_MACHINES } from './domain/member-access/session.js';
import { MEMBER_MACHINE } from './domain/members/member.js';
import { CODE_COLLECTION, SESSION_COLLECTION } from './model/access-model.js';
import { APPOINTMENT_COLLECTION } from './model/appointment-model.js';
import { CARE_TEAM_COLLECTION } from './model/care-team-model.js';
import { CONSENT_COLLECTION, CONSENT_POLICY_COLLECTION } from './model/consent-model.js';
import { DATA_RIGHT_COLLECTION } from './model/data-right-model.js';
import { MEMBER_COLLECTION } from './model/member-model.js';
import { memberStore } from './model/member-repository.js';
import { MERGE_COLLECTION, mergeStore } from './model/merge-model.js';
import { prepareMemberCollections } from './model/prepare.js';
import { AppointmentResolver } from './resolvers/appointment-resolver.js';
import { CareTeamResolver } from './resolvers/care-team-resolver.js';
import { ConsentResolver } from './resolvers/consent-resolver.js';
import { DataRightResolver } from './resolvers/data-right-resolver.js';
import { DataRightStepsResolver } from './resolvers/data-right-steps-resolver.js';
import { GraphFollowResolver } from './resolvers/graph-follow-resolver.js';
import { GraphResolver } from './resolvers/graph-resolver.js';
import { IdentityResolver } from './resolvers/identity-resolver.js';
import { MatchResolver } from './resolvers/match-resolver.js';
import { MemberAccessResolver } from './resolvers/member-access-resolver.js';
import { memberReference } from './resolvers/member-reference.js';
import { MemberResolver } from './resolvers/member-resolver.js';
import { TimelineResolver } from './resolvers/timeline-resolver.js';
import { VisitsTimelineResolver } from './resolvers/visits-timeline-resolver.js';
import { GraphEdge, GraphNode } from './schema/graph.js';
import { memberDirectory } from './service/members/identity.js';
import { wireAppointments } from './wiring/appointments.js';
import { wireCareTeam } from './wiring/care-team.js';
import { wireConsent } from './wiring/consent.js';
import { wireDataRights } from './wiring/data-rights.js';
import { membersOutbox } from './wiring/effects.js';
import { wireGraph } from './wiring/graph.js';
import { wireMatching } from './wiring/matching.js';
import { wireMemberAccess } from './wiring/member-access.js';
import { wireMembers } from './wiring/members.js';
import type { WireArea, WiredArea } from './wiring/parts.js';
import { wireTimeline } from './wiring/timeline.js';

export const definition: SubgraphDefinition = {
  name: 'members-graph',
  resolvers: [
    MemberResolver,
    MatchResolver,
    IdentityResolver,
    GraphResolver,
    GraphFollowResolver,
    ConsentResolver,
    MemberAccessResolver,
    TimelineResolver,
    VisitsTimelineResolver,
    AppointmentResolver,
    CareTeamResolver,
    DataRightResolver,
    DataRightStepsResolver,
  ],
  contractTypes: [GraphNode, GraphEdge],
  stateMachines: [
    CONSENT_MACHINE,
    ...Object.values(CODE_MACHINES),
    ...Object.values(SESSION_MACHINES),
    MEMBER_MACHINE,
    APPOINTMENT_MACHINE,
    CARE_TEAM_MACHINE,
    DATA_RIGHT_MACHINE,
  ],
};

/** Each area is put together in a file of its own; they meet in what MembersParts holds. */
const AREAS: readonly WireArea[] = [
  wireMembers,
  wireMatching,
  wireConsent,
  wireMemberAccess,
  wireTimeline,
  wireGraph,
  wireAppointments,
  wireCareTeam,
  wireDataRights,
];

/** Collections whose documents carry pending effects (design.md decision 5). */
const COLLECTIONS_WITH_EFFECTS: readonly string[] = [
  CONSENT_COLLECTION,
  CONSENT_POLICY_COLLECTION,
  CODE_COLLECTION,
  SESSION_COLLECTION,
  MEMBER_COLLECTION,
  MERGE_COLLECTION,
  APPOINTMENT_COLLECTION,
  CARE_TEAM_COLLECTION,
  DATA_RIGHT_COLLECTION,
];

/** Members and who they are, what connects them, and what they may ask for. */
export async function build(deps: SubgraphDeps): Promise<Subgraph> {
  const { db } = deps.database;
  await prepareMemberCollections(deps.database);
  const outbox = membersOutbox(deps, COLLECTIONS_WITH_EFFECTS);
  const stores = { members: memberStore(db, outbox), merges: mergeStore(db, outbox) };
  const directory = memberDirectory(stores);
  const instances = new Map<unknown, unknown>();
  const container = { get: (resolver: unknown) => instances.get(resolver) };
  const graph = await buildGraph(definition, container, { Member: memberReference(stores) });
  const parts = { deps, directory, contract: graph.contract, outbox };
  const wired: WiredArea[] = [];
  for (const wire of AREAS) wired.push(await wire(parts));
  for (const [resolver, instance] of wired.flatMap((area) => area.resolvers)) instances.set(resolver, instance);
  return {
    name: 'members-graph',
    schema: graph.schema,
    health: async () => {
      await db.command({ ping: 1 });
    },
    gauges: wired.flatMap(({ gauges = [] }) => gauges),
    figures: () => wired.flatMap((area) => area.figures?.() ?? []),
    background: () => {
      const works = [outbox.start(), ...wired.flatMap(({ background }) => background?.() ?? [])];
      return { stop: async () => void (await Promise.all(works.map((work) => work.stop()))) };
    },
    close: async () => {
      for (const area of wired) await area.close?.();
    },
  };
}

export { rebuildGraphOf } from './wiring/graph.js';
