import { GroupedCalls } from '../../shared/clock/grouped-calls.js';
import { codeSystems, faultyCodes } from '../../shared/codes/code-tables.js';
import { verdictOf } from '../../shared/consent/verdict.js';
import {
  countSharedDownload,
  openSharedBundle,
  orderBundle,
  orderedBundleStatus,
  sealedArchives,
} from '../../shared/contracts/bundles.js';
import { forceCheckpoint } from '../../shared/contracts/checkpoints.js';
import { consentTerms } from '../../shared/contracts/consent.js';
import { memberCustody } from '../../shared/contracts/custody.js';
import type { ServicePorts } from '../../shared/contracts/deps.js';
import {
  disposalFacts,
  disposalTenants,
  disposeEvents,
  dropSegments,
  memberDisposals,
  planDisposal,
  rawInUse,
} from '../../shared/contracts/disposal.js';
import { documentFacts, ensureDocumentScanned, fileDocument } from '../../shared/contracts/documents.js';
import { haltDeletions, runErasure } from '../../shared/contracts/erasures.js';
import {
  eventEdges,
  eventView,
  knownEvents,
  linkedEventViews,
  memberEventViews,
  newestEventViews,
} from '../../shared/contracts/event-reads.js';
import { hasException, openException, resolveStandingException } from '../../shared/contracts/exceptions.js';
import {
  acknowledgeSharedNotice,
  holdSummaries,
  holdsCovering,
  holdsOfMatter,
  openSharedNotice,
} from '../../shared/contracts/holds.js';
import { countLedger } from '../../shared/contracts/ledger-counters.js';
import { graphLedgerGrown, ledgerFeed, ledgerGrown, ledgerHeads } from '../../shared/contracts/ledger-feed.js';
import {
  ledgerBlockProofs,
  ledgerChainEntries,
  ledgerHeadsWithin,
  ledgerRecords,
  selectRecords,
} from '../../shared/contracts/ledger-records.js';
import { ledgerAnchors } from '../../shared/contracts/ledger-verification.js';
import { memberIdentity, membersUnderRequest } from '../../shared/contracts/members.js';
import { publishMessages } from '../../shared/contracts/platform-events.js';
import { TIES_CALLS } from '../../shared/contracts/record-ties.js';
import { eventRedactions, hideEvent, judgeRedaction, renderEventRedaction } from '../../shared/contracts/redactions.js';
import { ruleArtifacts } from '../../shared/contracts/rule-artifacts.js';
import {
  activeSigningKey,
  lastSignedTree,
  publicSigningKey,
  type SigningKeys,
  signWithKey,
} from '../../shared/contracts/signing-keys.js';
import { appendSystemEntries, type SystemLedger } from '../../shared/contracts/system-ledger.js';
import { actorStatus, grantorRights, openPersonSession } from '../../shared/contracts/tenants.js';
import { custodySystemEntry } from '../../shared/custody/custody-entry.js';
import {
  appendFacts,
  changedSubjects,
  factChanges,
  factRefs,
  factSubjects,
  readFacts,
  subjectsNaming,
} from '../../shared/facts/facts.js';
import { statesCallOf } from '../../shared/facts/record-states.js';
import type { Ids } from '../../shared/ids/ids.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { logEntries, mapAt, mapProof, memberTagsOf, unpinMap } from '../../shared/state-map/calls.js';
import type { Caller } from '../caller.js';

/** The ports of every subgraph to the others: each method makes one call of the table in shared/contracts/calls.ts. */
export const servicePorts = (call: Caller, ids: Pick<Ids, 'next'>): ServicePorts => {
  const systemLedger = systemLedgerOver(call);
  return { ...ledgerPorts(call), ...otherPorts(call), systemLedger, custody: custodyOver(systemLedger, ids) };
};

type LedgerPorts = Pick<
  ServicePorts,
  | 'checkpoints'
  | 'custodyReads'
  | 'eventReads'
  | 'eventRedactor'
  | 'exceptions'
  | 'facts'
  | 'ledgerCounters'
  | 'ledgerDisposal'
  | 'ledgerEvents'
  | 'ledgerFeed'
  | 'ledgerFollower'
  | 'ledgerRecords'
  | 'linkedEvents'
  | 'redactions'
  | 'stateMaps'
>;

const ledgerPorts = (call: Caller): LedgerPorts => ({
  checkpoints: { force: (tenantId) => call(forceCheckpoint, tenantId, {}) },
  stateMaps: {
    freeze: (tenantId, holder) => call(mapAt, tenantId, { holder }),
    proof: async (tenantId, tree_size, asked) => (await call(mapProof, tenantId, { tree_size, ...asked })).tokens,
    log: (tenantId, tree_size, asked) => call(logEntries, tenantId, { tree_size, ...asked }),
    memberTags: async (tenantId, member_ids) =>
      member_ids.length === 0 ? [] : call(memberTagsOf, tenantId, { member_ids }),
    release: async (tenantId, holder) => {
      await call(unpinMap, tenantId, { holder });
    },
  },
  custodyReads: { ofMembers: (tenantId, asked) => call(memberCustody, tenantId, { asked }) },
  eventReads: {
    byId: (tenantId, event_id, { unredacted }) => call(eventView, tenantId, { event_id, unredacted }),
    ofMember: (tenantId, member_id, asked) => call(memberEventViews, tenantId, { member_id, asked }),
    newest: (tenantId, asked) => call(newestEventViews, tenantId, { asked }),
    linked: (tenantId, event_id) => call(linkedEventViews, tenantId, { event_id }),
  },
  eventRedactor: {
    judge: (tenantId, event_id, pointers) => call(judgeRedaction, tenantId, { event_id, pointers }),
    render: (tenantId, order) => call(renderEventRedaction, tenantId, { order }),
    hide: async (tenantId, order) => {
      await call(hideEvent, tenantId, { order });
    },
  },
  exceptions: {
    open: async (tenantId, { kind, subject, detail }) => {
      await call(openException, tenantId, { kind, subject, detail });
    },
    resolve: async (tenantId, kind, subject, note) => {
      await call(resolveStandingException, tenantId, { kind, subject, note });
    },
    has: (tenantId, exception_id) => call(hasException, tenantId, { exception_id }),
  },
  facts: {
    append: (tenantId, drafts) => call(appendFacts, tenantId, { drafts }),
    read: async (tenantId, questions) => (questions.length === 0 ? [] : call(readFacts, tenantId, { questions })),
    subjects: (tenantId, kind, after, before = null) => call(factSubjects, tenantId, { kind, after, before }),
    refs: (tenantId, kind, after, before) => call(factRefs, tenantId, { kind, after, before }),
    naming: async (tenantId, kind, refs) => (refs.length === 0 ? [] : call(subjectsNaming, tenantId, { kind, refs })),
    changedSince: (tenantId, kinds, since_ms) => call(changedSubjects, tenantId, { kinds, since_ms }),
    changesAfter: (tenantId, kind, after_seq) => call(factChanges, tenantId, { kind, after_seq }),
  },
  ledgerCounters: {
    count: (tenantId, { fromMs, toMs }) =>
      call(countLedger, tenantId, { from_ms: fromMs ?? null, to_ms: toMs ?? null }),
  },
  ledgerDisposal: {
    tenantIds: () => call(disposalTenants, null, {}),
    plan: (tenantId, cutoffs, after, limit) => call(planDisposal, tenantId, { cutoffs, after, limit }),
    ofMembers: (tenantId, member_ids, after, limit) => call(memberDisposals, tenantId, { member_ids, after, limit }),
    facts: (tenantId, event_ids) => call(disposalFacts, tenantId, { event_ids }),
    dispose: async (tenantId, order) => {
      await call(disposeEvents, tenantId, { order });
    },
    rawInUse: (tenantId, raw_sha256s, unknown) =>
      call(rawInUse, tenantId, { raw_sha256s, keep_unknown: unknown === 'KEEP' }),
    dropSegments: (tenantId, sealed_before_ms) => call(dropSegments, tenantId, { sealed_before_ms }),
  },
  ledgerEvents: {
    known: async (tenantId, event_ids) =>
      new Set(event_ids.length === 0 ? [] : await call(knownEvents, tenantId, { event_ids })),
  },
  ledgerFeed: {
    heads: (tenantId) => call(ledgerHeads, tenantId, {}),
    read: (tenantId, { after, all, named, limit, contents = false }) =>
      call(ledgerFeed, tenantId, { after, all, named, limit, contents }),
  },
  ledgerFollower: {
    // Both are notified, even if one of them fails.
    grown: async (tenantId, chains) => {
      const followers = await Promise.allSettled([
        call(ledgerGrown, tenantId, { chains }),
        call(graphLedgerGrown, tenantId, { chains }),
      ]);
      const failed = followers.find((follower) => follower.status === 'rejected');
      if (failed) throw failed.reason;
      return followers.some((follower) => follower.status === 'fulfilled' && follower.value);
    },
  },
  ledgerRecords: {
    select: (tenantId, selection, tree_size, cursor) => call(selectRecords, tenantId, { selection, tree_size, cursor }),
    records: (tenantId, places) => call(ledgerRecords, tenantId, { places }),
    chain: (tenantId, wanted, tree_size) => call(ledgerChainEntries, tenantId, { wanted, tree_size }),
    inclusion: (tenantId, tree, blocks) => call(ledgerBlockProofs, tenantId, { tree, blocks }),
    heads: (tenantId, tree_size) => call(ledgerHeadsWithin, tenantId, { tree_size }),
    anchors: (tenantId) => call(ledgerAnchors, tenantId, {}),
  },
  linkedEvents: {
    edgesOf: async (tenantId, event_ids) =>
      event_ids.length === 0 ? { edges: [], truncated: false } : call(eventEdges, tenantId, { event_ids }),
  },
  redactions: {
    ofEvents: async (tenantId, event_ids) =>
      new Map(event_ids.length === 0 ? [] : await call(eventRedactions, tenantId, { event_ids })),
  },
});

const otherPorts = (call: Caller): Omit<ServicePorts, keyof LedgerPorts | 'systemLedger' | 'custody'> => ({
  bundleOrders: {
    order: async (tenantId, order) => {
      await call(orderBundle, tenantId, { order });
    },
    statusOf: (tenantId, bundle_id) => call(orderedBundleStatus, tenantId, { bundle_id }),
  },
  consent: {
    decide: async (tenantId, { member_ids, purpose, actor }) =>
      verdictOf(await call(consentTerms, tenantId, { member_ids, purpose, actor })),
  },
  codeJudge: {
    systems: (tenantId) => call(codeSystems, tenantId, {}),
    faulty: async (tenantId, codes) => (codes.length === 0 ? [] : call(faultyCodes, tenantId, { codes })),
  },
  documents: {
    list: (tenantId, filter, cursor, limit) => call(documentFacts, tenantId, { filter, cursor, limit }),
    ensureScanned: (tenantId, document_id) => call(ensureDocumentScanned, tenantId, { document_id }),
    file: (tenantId, document) => call(fileDocument, tenantId, { document }),
  },
  erasures: {
    run: (tenantId, order) => call(runErasure, tenantId, { order }),
    halt: async (tenantId) => {
      await call(haltDeletions, tenantId, {});
    },
  },
  holds: {
    covering: async (tenantId, subjects) =>
      new Map(subjects.length === 0 ? [] : await call(holdsCovering, tenantId, { subjects })),
    facts: (tenantId, hold_ids) => call(holdSummaries, tenantId, { hold_ids }),
    activeOfMatter: (tenantId, matter_id) => call(holdsOfMatter, tenantId, { matter_id }),
  },
  memberDirectory: { identityOf: (tenantId, member_id) => call(memberIdentity, tenantId, { member_id }) },
  openRequests: { memberIds: (tenantId) => call(membersUnderRequest, tenantId, {}) },
  platformEvents: {
    publish: groupedBy(async (tenantId, items) => {
      await call(publishMessages, tenantId, { items });
    }),
  },
  recordStates: {
    page: (tenantId, asked) => call(statesCallOf(asked.kind), tenantId, { ...asked }),
  },
  personSessions: { open: (person) => call(openPersonSession, null, { person }) },
  grantors: {
    rightsOf: async (grantor) => {
      const rights = await call(grantorRights, null, { grantor });
      return rights && { ...rights, scopes: new Set(rights.scopes) };
    },
  },
  actorDirectory: { statusOf: (tenantId, actor_id) => call(actorStatus, tenantId, { actor_id }) },
  sharedBundles: {
    open: (token) => call(openSharedBundle, null, { token }),
    countDownload: (token) => call(countSharedDownload, null, { token }),
  },
  sharedNotices: {
    open: (token) => call(openSharedNotice, null, { token }),
    acknowledge: (token, name, request_id) => call(acknowledgeSharedNotice, null, { token, name, request_id }),
  },
  ruleArtifacts: { named: (tenantId, sha256s) => call(ruleArtifacts, tenantId, { sha256s }) },
  sealedArchives: { named: (tenantId, sha256s) => call(sealedArchives, tenantId, { sha256s }) },
  tiedRecords: {
    of: async (tenantId, kind, ids) => (ids.length === 0 ? [] : call(TIES_CALLS[kind], tenantId, { ids })),
  },
});

const systemLedgerOver = (call: Caller): SystemLedger => ({
  append: groupedBy(async (tenantId, items) => {
    await call(appendSystemEntries, tenantId, { items });
  }),
});

/** Custody over the ledger's own entries: as durable and idempotent as they are. */
const custodyOver = (systemLedger: SystemLedger, ids: Pick<Ids, 'next'>): ServicePorts['custody'] => ({
  record: (tenantId, entries) =>
    systemLedger.append(
      tenantId,
      entries.map((entry) => custodySystemEntry(entry.custody_id ?? ids.next('custody'), entry)),
    ),
});

/** The registry of signing keys in another process. */
export const remoteSigningKeys = (call: Caller): SigningKeys => ({
  activeKey: (tenantId, purpose) => call(activeSigningKey, tenantId, { purpose }),
  sign: async (key_id, bytes, given) => {
    const message = Buffer.from(bytes).toString('base64');
    const evidence = JSON.stringify(given);
    return Buffer.from(await call(signWithKey, null, { key_id, message, evidence }), 'base64');
  },
  lastSigned: (origin) => call(lastSignedTree, null, { origin }),
  publicKey: (key_id) => call(publicSigningKey, null, { key_id }),
});

/** Most items that are sent together although they come one by one. */
const MOST_TOGETHER = 100;

type SendItems<T> = (tenantId: TenantId, items: readonly T[]) => Promise<void>;

/** Sends single items of one turn of the event loop together, which costs one round trip. */
function groupedBy<T>(send: SendItems<T>): SendItems<T> {
  const single = new GroupedCalls<{ readonly tenantId: TenantId; readonly item: T }, undefined>(async (_, waiting) => {
    const [first] = waiting;
    if (first) {
      await send(
        first.tenantId,
        waiting.map(({ item }) => item),
      );
    }
    return waiting.map(() => undefined);
  }, MOST_TOGETHER);
  return async (tenantId, items) => {
    const [item, ...more] = items;
    if (item === undefined) return;
    await (more.length === 0 ? single.call(tenantId, { tenantId, item }) : send(tenantId, items));
  };
}
