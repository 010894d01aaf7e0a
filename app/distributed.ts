import { bundleOrdersOver } from '../gateway/ports/bundle-orders.js';
import { checkpointsOver } from '../gateway/ports/checkpoints.js';
import { consentGateOver } from '../gateway/ports/consent.js';
import { custodyOver } from '../gateway/ports/custody.js';
import { custodyReadsOver } from '../gateway/ports/custody-reads.js';
import { ledgerDisposalOver } from '../gateway/ports/disposal.js';
import { documentsOver } from '../gateway/ports/documents.js';
import { erasuresOver } from '../gateway/ports/erasures.js';
import { eventReadsOver } from '../gateway/ports/event-reads.js';
import { exceptionDeskOver } from '../gateway/ports/exceptions.js';
import { holdsOver } from '../gateway/ports/holds.js';
import { remoteKeyAuthority } from '../gateway/ports/key-authority.js';
import { ledgerCountersOver } from '../gateway/ports/ledger-counters.js';
import { ledgerEventsOver } from '../gateway/ports/ledger-events.js';
import { ledgerFeedOver, ledgerFollowerOver } from '../gateway/ports/ledger-feed.js';
import { ledgerRecordsOver } from '../gateway/ports/ledger-records.js';
import { linkedEventsOver } from '../gateway/ports/linked-events.js';
import { withMemberTokens } from '../gateway/ports/member-tokens.js';
import { memberDirectoryOver } from '../gateway/ports/members.js';
import { openRequestsOver } from '../gateway/ports/open-requests.js';
import { platformEventsOver } from '../gateway/ports/platform-events.js';
import { eventRedactorOver, redactionsOver } from '../gateway/ports/redactions.js';
import { ruleArtifactsOver } from '../gateway/ports/rule-artifacts.js';
import { sealedArchivesOver } from '../gateway/ports/sealed-archives.js';
import { signingKeysOver } from '../gateway/ports/signing-keys.js';
import { systemLedgerOver } from '../gateway/ports/system-ledger.js';
import { remoteTenantDirectory } from '../gateway/ports/tenant-directory.js';
import { tiedRecordsOver } from '../gateway/ports/tied-records.js';
import { httpDataSources } from '../gateway/remote/sources.js';
import { subgraphClient } from '../gateway/subgraph-client.js';
import type { SubgraphSource, SubgraphSources } from '../gateway/subgraph-source.js';
import { internalContext } from '../shared/auth/context.js';
import { InternalTokens } from '../shared/auth/internal-token.js';
import type { Clock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import type { BundleOrders } from '../shared/contracts/bundle-orders.js';
import type { Checkpoints } from '../shared/contracts/checkpoints.js';
import type { ConsentGate } from '../shared/contracts/consent.js';
import type { Custody } from '../shared/contracts/custody.js';
import type { CustodyReads } from '../shared/contracts/custody-reads.js';
import type { LedgerDisposal } from '../shared/contracts/disposal.js';
import type { Documents } from '../shared/contracts/documents.js';
import type { Erasures } from '../shared/contracts/erasures.js';
import type { LinkedEvents } from '../shared/contracts/event-edges.js';
import type { EventReads } from '../shared/contracts/event-reads.js';
import type { ExceptionDesk } from '../shared/contracts/exceptions.js';
import type { Holds } from '../shared/contracts/holds.js';
import type { LedgerCounters } from '../shared/contracts/ledger-counters.js';
import type { LedgerEvents } from '../shared/contracts/ledger-events.js';
import type { LedgerFeed, LedgerFollower } from '../shared/contracts/ledger-feed.js';
import type { LedgerRecords } from '../shared/contracts/ledger-records.js';
import type { MemberDirectory } from '../shared/contracts/members.js';
import type { OpenRequests } from '../shared/contracts/open-requests.js';
import type { PlatformEvents } from '../shared/contracts/platform-events.js';
import type { TiedRecords } from '../shared/contracts/record-ties.js';
import type { EventRedactor, Redactions } from '../shared/contracts/redactions.js';
import type { RuleArtifacts } from '../shared/contracts/rule-artifacts.js';
import type { SealedArchives } from '../shared/contracts/sealed-archives.js';
import type { SigningKeys } from '../shared/contracts/signing-keys.js';
import type { SystemLedger } from '../shared/contracts/system-ledger.js';
import type { KeyAuthority, TenantDirectory } from '../shared/contracts/tenants.js';
import { StartRefused } from '../shared/errors/start-refused.js';
import type { SubgraphName } from '../shared/graph/subgraph-names.js';
import { systemRandomness, ulidIds } from '../shared/ids/ids.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Closing } from './closing.js';
import type { Checked } from './health.js';
import { EXISTING_SUBGRAPHS } from './subgraph-builders.js';

/** The other processes of the deployment, as one process reaches them. */
export interface Elsewhere {
  readonly tokens: InternalTokens;
  /** By name; a process adds the subgraph that it serves itself. */
  readonly sources: Map<SubgraphName, SubgraphSource>;
  readonly keys: KeyAuthority;
  readonly tenants: TenantDirectory;
  readonly signingKeys: SigningKeys;
  readonly systemLedger: SystemLedger;
  readonly custody: Custody;
  readonly custodyReads: CustodyReads;
  readonly checkpoints: Checkpoints;
  readonly ledgerCounters: LedgerCounters;
  readonly ledgerEvents: LedgerEvents;
  readonly eventReads: EventReads;
  readonly documents: Documents;
  readonly holds: Holds;
  readonly ledgerDisposal: LedgerDisposal;
  readonly erasures: Erasures;
  readonly memberDirectory: MemberDirectory;
  readonly openRequests: OpenRequests;
  readonly bundleOrders: BundleOrders;
  readonly sealedArchives: SealedArchives;
  readonly ruleArtifacts: RuleArtifacts;
  readonly consent: ConsentGate;
  readonly exceptions: ExceptionDesk;
  readonly eventRedactor: EventRedactor;
  readonly redactions: Redactions;
  readonly platformEvents: PlatformEvents;
  readonly ledgerFeed: LedgerFeed;
  readonly ledgerRecords: LedgerRecords;
  readonly ledgerFollower: LedgerFollower;
  readonly linkedEvents: LinkedEvents;
  readonly tiedRecords: TiedRecords;
}

/** Every process of a deployment must share these; what one process would make for itself, the next could not read. */
export function refuseUnshared(config: Config): void {
  const missing = [
    ...(config.mongodbUri === null ? ['MONGODB_URI'] : []),
    ...(config.masterKeyHex === null ? ['SERVICE_MASTER_KEY'] : []),
    ...(config.internalSecret === null ? ['SERVICE_INTERNAL_SECRET'] : []),
  ];
  if (missing.length === 0) return;
  throw new StartRefused(`SERVICE_MODE=${config.mode} needs ${missing.join(', ')}: the same in every process`);
}

/** @param needed subgraphs that must have an address. @throws StartRefused */
export function reachOthers(
  config: Config,
  needed: readonly SubgraphName[],
  deps: { readonly clock: Clock; readonly logger: Logger },
  closing: Closing,
): Elsewhere {
  const { internalSecret, subgraphUrls, mode } = config;
  const without = needed.filter((name) => !subgraphUrls.has(name));
  if (internalSecret === null) throw new StartRefused(`SERVICE_MODE=${mode} needs SERVICE_INTERNAL_SECRET`);
  if (without.length > 0) {
    throw new StartRefused(
      `SERVICE_MODE=${mode} needs the addresses of ${without.join(', ')} in SERVICE_SUBGRAPH_URLS`,
    );
  }
  const tokens = new InternalTokens(internalSecret, deps.clock);
  const remote = httpDataSources(subgraphUrls, { ...deps, tokens, timeoutMs: config.subgraphTimeoutMs });
  closing.add(() => Promise.all([...remote.values()].map((source) => source.close())));
  const sources = new Map<SubgraphName, SubgraphSource>(remote);
  const admin = subgraphClient(sources, 'admin');
  const ledger = subgraphClient(sources, 'ledger');
  const systemLedger = systemLedgerOver(ledger, mode);
  const ids = ulidIds(() => deps.clock.nowMs(), systemRandomness());
  return {
    tokens,
    sources,
    keys: withMemberTokens(remoteKeyAuthority(admin, deps.clock, mode), subgraphClient(sources, 'members-graph'), mode),
    tenants: remoteTenantDirectory(admin, deps.clock, mode),
    signingKeys: signingKeysOver(admin, mode),
    systemLedger,
    custody: custodyOver(systemLedger, ids),
    custodyReads: custodyReadsOver(ledger, mode),
    checkpoints: checkpointsOver(ledger, mode),
    ledgerCounters: ledgerCountersOver(ledger, mode),
    ledgerEvents: ledgerEventsOver(ledger, mode),
    eventReads: eventReadsOver(ledger, mode),
    documents: documentsOver(subgraphClient(sources, 'vault'), mode),
    holds: holdsOver(subgraphClient(sources, 'vault'), mode),
    ledgerDisposal: ledgerDisposalOver(ledger, mode),
    erasures: erasuresOver(subgraphClient(sources, 'vault'), mode),
    memberDirectory: memberDirectoryOver(subgraphClient(sources, 'members-graph'), mode),
    openRequests: openRequestsOver(subgraphClient(sources, 'members-graph'), mode),
    bundleOrders: bundleOrdersOver(subgraphClient(sources, 'bundles'), mode),
    sealedArchives: sealedArchivesOver(subgraphClient(sources, 'bundles'), mode),
    ruleArtifacts: ruleArtifactsOver(subgraphClient(sources, 'advocacy'), mode),
    consent: consentGateOver(subgraphClient(sources, 'members-graph'), mode),
    exceptions: exceptionDeskOver(ledger, mode),
    eventRedactor: eventRedactorOver(ledger, mode),
    redactions: redactionsOver(ledger, mode),
    platformEvents: platformEventsOver(admin, mode),
    ledgerFeed: ledgerFeedOver(ledger, mode),
    ledgerRecords: ledgerRecordsOver(ledger, mode),
    ledgerFollower: ledgerFollowerOver({ admin, members: subgraphClient(sources, 'members-graph') }, mode),
    linkedEvents: linkedEventsOver(ledger, mode),
    tiedRecords: tiedRecordsOver((name) => subgraphClient(sources, name), mode),
  };
}

/** Whether subgraphs in other processes answer. */
export const remoteHealth = (sources: SubgraphSources, caller: string): readonly Checked[] =>
  EXISTING_SUBGRAPHS.map((name) => ({
    name,
    cause: 'the subgraph does not answer',
    health: async () => {
      await subgraphClient(sources, name).run('{ __typename }', {}, internalContext(null, caller));
    },
  }));
