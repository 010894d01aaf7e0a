import { codeSystems, faultyCodes } from '../codes/code-tables.js';
import {
  appendFacts,
  changedSubjects,
  factChanges,
  factRefs,
  factSubjects,
  readFacts,
  subjectsNaming,
} from '../facts/facts.js';
import { STATES_CALLS } from '../facts/record-states.js';
import { logEntries, mapAt, mapProof, memberTagsOf, unpinMap } from '../state-map/calls.js';
import { countSharedDownload, openSharedBundle, orderBundle, orderedBundleStatus, sealedArchives } from './bundles.js';
import type { Call } from './call.js';
import { forceCheckpoint } from './checkpoints.js';
import { consentTerms } from './consent.js';
import { memberCustody } from './custody.js';
import {
  disposalFacts,
  disposalTenants,
  disposeEvents,
  dropSegments,
  memberDisposals,
  planDisposal,
  rawInUse,
} from './disposal.js';
import { documentFacts, ensureDocumentScanned, fileDocument } from './documents.js';
import { haltDeletions, runErasure } from './erasures.js';
import {
  eventEdges,
  eventView,
  knownEvents,
  linkedEventViews,
  memberEventViews,
  newestEventViews,
} from './event-reads.js';
import { hasException, openException, resolveStandingException } from './exceptions.js';
import { acknowledgeSharedNotice, holdSummaries, holdsCovering, holdsOfMatter, openSharedNotice } from './holds.js';
import { countLedger } from './ledger-counters.js';
import { graphLedgerGrown, ledgerFeed, ledgerGrown, ledgerHeads } from './ledger-feed.js';
import {
  ledgerBlockProofs,
  ledgerChainEntries,
  ledgerHeadsWithin,
  ledgerRecords,
  selectRecords,
} from './ledger-records.js';
import { ledgerAnchors } from './ledger-verification.js';
import { authenticateMember, memberIdentity, membersUnderRequest } from './members.js';
import { publishMessages } from './platform-events.js';
import { TIES_CALLS } from './record-ties.js';
import { eventRedactions, hideEvent, judgeRedaction, renderEventRedaction } from './redactions.js';
import { ruleArtifacts } from './rule-artifacts.js';
import { activeSigningKey, lastSignedTree, publicSigningKey, signWithKey } from './signing-keys.js';
import { appendSystemEntries } from './system-ledger.js';
import { actorStatus, authenticateKey, findTenant, grantorRights, openPersonSession } from './tenants.js';

/** Every call between subgraphs. The field of a call is `@inaccessible`: no client of the graph sees it. */
const TABLE: readonly Pick<Call, 'subgraph' | 'name' | 'document' | 'input' | 'output'>[] = [
  orderBundle,
  orderedBundleStatus,
  forceCheckpoint,
  codeSystems,
  faultyCodes,
  consentTerms,
  memberCustody,
  disposalTenants,
  planDisposal,
  memberDisposals,
  disposalFacts,
  disposeEvents,
  rawInUse,
  dropSegments,
  documentFacts,
  ensureDocumentScanned,
  fileDocument,
  runErasure,
  haltDeletions,
  eventEdges,
  eventView,
  memberEventViews,
  newestEventViews,
  linkedEventViews,
  openException,
  resolveStandingException,
  hasException,
  holdsCovering,
  holdSummaries,
  holdsOfMatter,
  countLedger,
  knownEvents,
  ledgerHeads,
  ledgerFeed,
  ledgerGrown,
  graphLedgerGrown,
  selectRecords,
  ledgerRecords,
  ledgerChainEntries,
  ledgerBlockProofs,
  ledgerHeadsWithin,
  ledgerAnchors,
  memberIdentity,
  authenticateMember,
  membersUnderRequest,
  publishMessages,
  eventRedactions,
  judgeRedaction,
  renderEventRedaction,
  hideEvent,
  ruleArtifacts,
  sealedArchives,
  activeSigningKey,
  lastSignedTree,
  signWithKey,
  publicSigningKey,
  appendSystemEntries,
  appendFacts,
  readFacts,
  subjectsNaming,
  factSubjects,
  factRefs,
  changedSubjects,
  factChanges,
  mapAt,
  mapProof,
  logEntries,
  memberTagsOf,
  unpinMap,
  findTenant,
  authenticateKey,
  openPersonSession,
  grantorRights,
  actorStatus,
  openSharedBundle,
  countSharedDownload,
  openSharedNotice,
  acknowledgeSharedNotice,
  ...Object.values(TIES_CALLS),
  ...Object.values(STATES_CALLS),
];

/** The calls by the name of their root field. */
export const CALLS: ReadonlyMap<string, (typeof TABLE)[number]> = new Map(TABLE.map((call) => [call.name, call]));
