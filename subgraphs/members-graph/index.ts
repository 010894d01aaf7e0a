import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import { openFacts } from '../../shared/facts/project-facts.js';
import { collectionsWithEffects, definitionOf, openSubgraph } from '../../shared/graph/areas.js';
import { statesResolver } from '../../shared/graph/states-resolver.js';
import type { Subgraph } from '../../shared/graph/subgraph.js';
import { Outbox } from '../../shared/outbox/outbox.js';
import { type Performers, performersOver } from '../../shared/outbox/performers.js';
import { appointmentStore, appointmentsArea } from './appointments/index.js';
import { careTeamArea, careTeamStore } from './care-team/index.js';
import { consentArea, consentStore } from './consent/index.js';
import { dataRightDeps, dataRightStore, dataRightsArea, doWork } from './data-rights/index.js';
import { graphArea } from './graph/index.js';
import { accessArea } from './member-access/index.js';
import { changeStore, memberDirectory, memberStore, membersArea, mergeStore, showMerge } from './members/index.js';
import type { MembersArea, MembersEffect, MembersParts } from './parts.js';
import { memberReference } from './records/index.js';
import { searchArea } from './search/index.js';
import { timelineArea } from './timeline/index.js';

export { rebuildGraphOf } from './graph/index.js';

const MembersStates = statesResolver('members-graph');
/** Serves the rows of members and consents to the verification of the ledger. */
const statesArea: MembersArea = {
  resolvers: [MembersStates],
  wire: ({ facts }) => ({ facts, resolvers: [new MembersStates(facts)] }),
};

const AREAS: readonly MembersArea[] = [
  membersArea,
  searchArea,
  consentArea,
  accessArea,
  timelineArea,
  graphArea,
  appointmentsArea,
  careTeamArea,
  dataRightsArea,
  statesArea,
];

export const definition = definitionOf('members-graph', AREAS);

/** Builds the subgraph of members: the directory, the graph of records, access, consents and data rights. */
export const build = (deps: SubgraphDeps): Promise<Subgraph> =>
  openSubgraph(definition, AREAS, deps.database, () => membersParts(deps));

/** Builds the stores that areas share, and the outbox with the performers of their effects. */
function membersParts(deps: SubgraphDeps): MembersParts {
  const { db } = deps.database;
  const changes = changeStore(db);
  const performers: Performers<MembersEffect> = {
    ...performersOver(deps),
    'keep-member-change': ({ tenant_id, id, change }) => changes(tenant_id).keep(id, change),
    'show-merge': ({ tenant_id, member_id }) => showMerge({ ...stores, clock: deps.clock }, tenant_id, member_id),
    'data-right': (effect) => doWork(dataRightDeps(parts), effect),
  };
  const outbox = new Outbox<MembersEffect>({ ...deps, performers }, collectionsWithEffects(AREAS));
  const facts = openFacts(deps, 'members-graph');
  const store = { db, outbox };
  const referenceOf = memberReference(deps.masterKey);
  const stores = {
    members: memberStore(db, outbox),
    merges: mergeStore({ ...store, guard: facts, referenceOf }),
    consents: consentStore({
      ...store,
      guard: facts,
      referenceOf,
    }),
    appointments: appointmentStore(store),
    careTeam: careTeamStore(store),
    dataRights: dataRightStore({ ...store, guard: facts }),
  };
  facts.projects('data-right', (tenantId, id) => stores.dataRights(tenantId).catchUp(id));
  const parts = { deps, directory: memberDirectory(stores), stores, outbox, facts };
  return parts;
}
