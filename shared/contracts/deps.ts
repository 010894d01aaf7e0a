import type { Clock } from '../clock/clock.js';
import type { CodeJudge } from '../codes/code-tables.js';
import type { Config } from '../config/config.js';
import type { MasterKey } from '../crypto/master-key.js';
import type { Database } from '../db/database.js';
import type { Facts } from '../facts/facts.js';
import type { RecordStates } from '../facts/record-states.js';
import type { Ids, Randomness } from '../ids/ids.js';
import type { Jobs } from '../jobs/jobs.js';
import type { Signer } from '../signing/signer.js';
import type { StateMaps } from '../state-map/calls.js';
import type { Logger } from '../telemetry/logger.js';
import type { KeptWormStore } from '../worm/worm-store.js';
import type { BundleOrders, SealedArchives, SharedBundles } from './bundles.js';
import type { Checkpoints } from './checkpoints.js';
import type { ConsentGate } from './consent.js';
import type { Custody, CustodyReads } from './custody.js';
import type { LedgerDisposal } from './disposal.js';
import type { Documents } from './documents.js';
import type { Erasures } from './erasures.js';
import type { EventReads, LedgerEvents, LinkedEvents } from './event-reads.js';
import type { ExceptionDesk } from './exceptions.js';
import type { Holds, SharedNotices } from './holds.js';
import type { LedgerCounters } from './ledger-counters.js';
import type { LedgerFeed, LedgerFollower } from './ledger-feed.js';
import type { LedgerRecords } from './ledger-records.js';
import type { MemberDirectory, OpenRequests } from './members.js';
import type { PlatformEvents } from './platform-events.js';
import type { TiedRecords } from './record-ties.js';
import type { EventRedactor, Redactions } from './redactions.js';
import type { RuleArtifacts } from './rule-artifacts.js';
import type { SigningKeys } from './signing-keys.js';
import type { SystemLedger } from './system-ledger.js';
import type { ActorDirectory, Grantors, PersonSessions, TenantDirectory } from './tenants.js';

/** Everything from outside that a subgraph may touch; made once by the composition root and passed down. */
export interface BaseDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly database: Database;
  readonly masterKey: MasterKey;
  /** The same database under the credential that alone may take content away; absent where there is no other. */
  readonly retention?: Database;
}

/** Ports to other subgraphs. They look a subgraph up at each call, so that it may be built later. */
export interface ServicePorts {
  /** Entries of the service's own in the reserved partitions. */
  readonly systemLedger: SystemLedger;
  /** Facts of the ledger, which commit changes of records. */
  readonly facts: Facts;
  /** Rows of records that are projections of facts. */
  readonly recordStates: RecordStates;
  /** The events sent to receivers of webhooks. */
  readonly platformEvents: PlatformEvents;
  /** The chain of custody: no custody row, no bytes. */
  readonly custody: Custody;
  /** The chain of custody for those who account for it. */
  readonly custodyReads: CustodyReads;
  /** The ledger for those who follow it by cursors. */
  readonly ledgerFeed: LedgerFeed;
  /** The ledger for those who seal parts of it. */
  readonly ledgerRecords: LedgerRecords;
  /** Those who follow it, for the ledger. */
  readonly ledgerFollower: LedgerFollower;
  /** Signed checkpoints of the ledger, on demand. */
  readonly checkpoints: Checkpoints;
  /** The state map of the ledger, for builds. */
  readonly stateMaps: StateMaps;
  /** Counts for the dashboard. */
  readonly ledgerCounters: LedgerCounters;
  /** Which events there are. */
  readonly ledgerEvents: LedgerEvents;
  /** Edges between events. */
  readonly linkedEvents: LinkedEvents;
  /** Records of other subgraphs by what they name. */
  readonly tiedRecords: TiedRecords;
  /** Events by what they say. */
  readonly eventReads: EventReads;
  /** The vault's documents. */
  readonly documents: Documents;
  /** The vault's legal holds. */
  readonly holds: Holds;
  /** The ledger's side of disposal. */
  readonly ledgerDisposal: LedgerDisposal;
  /** Disposal of what there is of one member. */
  readonly erasures: Erasures;
  /** Who is one person with whom. */
  readonly memberDirectory: MemberDirectory;
  /** Bundles that other parts need. */
  readonly bundleOrders: BundleOrders;
  /** Members of whom nothing is deleted for now. */
  readonly openRequests: OpenRequests;
  /** Archives of sealed bundles. */
  readonly sealedArchives: SealedArchives;
  /** Imported tables of codes. */
  readonly codeJudge: CodeJudge;
  /** Sessions of persons who signed in at the sign-in provider. */
  readonly personSessions: PersonSessions;
  /** Present rights of those who made a grant. */
  readonly grantors: Grantors;
  /** Actors, for parts that name one. */
  readonly actorDirectory: ActorDirectory;
  /** Archives of bundles behind links for other parties. */
  readonly sharedBundles: SharedBundles;
  /** Notices behind links for custodians without a key. */
  readonly sharedNotices: SharedNotices;
  /** Artifacts of rules. */
  readonly ruleArtifacts: RuleArtifacts;
  /** What members say about who may see their records. */
  readonly consent: ConsentGate;
  /** What a person must look at. */
  readonly exceptions: ExceptionDesk;
  /** The ledger's side of redactions. */
  readonly eventRedactor: EventRedactor;
  /** Applied redactions of events, for those who give out records. */
  readonly redactions: Redactions;
}

export interface LinkedDeps extends BaseDeps, ServicePorts {
  /** Background work: registered in `build`, run by the processes with that role. */
  readonly jobs: Jobs;
}

export interface AdminDeps extends LinkedDeps {
  readonly signer: Signer;
}

export interface SubgraphDeps extends LinkedDeps {
  readonly worm: KeptWormStore;
  readonly tenants: TenantDirectory;
  readonly signingKeys: SigningKeys;
}
