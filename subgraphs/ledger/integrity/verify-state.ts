import type { Clock } from '../../../shared/clock/clock.js';
import type { NotCheckedPart } from '../../../shared/contracts/ledger-verification.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import { equalInConstantTime, hmacSha256 } from '../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { FactKind } from '../../../shared/facts/fact.js';
import type { RecordStates } from '../../../shared/facts/record-states.js';
import type { NoteKey } from '../../../shared/notes/note-keys.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import type { TenantContext } from '../append/index.js';
import type { MapFolds } from '../state-map/index.js';
import type { StampAnchor } from '../time-stamps/index.js';
import type { TenantTree } from '../transparency/index.js';
import type { SegmentSumState } from './domain/seal-manifest.js';
import type { Break } from './domain/verify-chain.js';
import type { StateFacts, TenantIntegrity } from './ports.js';
import type { LedgerVerificationInput, VerifiedPartition } from './schema.js';

/** The scope and depth of a verification. */
export type VerifyInput = Readonly<LedgerVerificationInput>;
export type VerifiedRange = Readonly<VerifiedPartition>;

/** True for the whole ledger: then its tree, checkpoints and segments are verified too. */
export const concernsWhole = ({ source_system, from_sequence = 1, to_sequence }: VerifyInput): boolean =>
  source_system === undefined && from_sequence === 1 && to_sequence === undefined;

/** Progress of a verification between two parts. */
export interface VerifyState {
  /** The request it belongs to; another request cannot continue from here. */
  readonly input: VerifyInput;
  readonly checked: number;
  /** Listed breaks; further ones are only counted. */
  readonly listed: number;
  readonly unlisted: number;
  /** Entries without a leaf. */
  readonly unassigned: number;
  readonly at: ChainsPlace | TreePlace | MapPlace | SegmentsPlace | RecordsPlace;
}

export interface ChainsPlace {
  readonly phase: 'CHAINS';
  /** Chains up to this name are done. */
  readonly done: string | null;
  readonly chain: ChainPlace | null;
}

/** Place within a chain. */
export interface ChainPlace {
  readonly source_system: string;
  readonly from: number;
  /** End of the chain when its verification began; later appends are not included. */
  readonly last: number;
  readonly expected: number;
  readonly prev: string | null;
  readonly recorded_at_ms: number | null;
  readonly checked: number;
}

export interface TreePlace {
  readonly phase: 'TREE';
  readonly size: number;
  /** Hashes of the compact range. */
  readonly hashes: readonly string[];
  /** Number of the last checkpoint compared; null before the first. */
  readonly checkpoint: number | null;
  /** Checkpoints with a root that the current tree cannot give. */
  readonly earlier: number;
}

export interface MapPlace {
  readonly phase: 'MAP';
  /** The fold that runs; null before it starts. */
  readonly fold: string | null;
}

export interface SegmentsPlace {
  readonly phase: 'SEGMENTS';
  /** The last sealing entry compared. */
  readonly entry: { readonly at_ms: number; readonly id: string } | null;
  readonly prev_root: string | null;
  readonly walk: { readonly after: string; readonly sum: SegmentSumState } | null;
  /** Events that state no sound seal; they are named and passed. */
  readonly skipped: readonly string[];
}

export interface RecordsPlace {
  readonly phase: 'RECORDS';
  readonly kind: FactKind;
  /** Number of the collection, from 0. */
  readonly part: number;
  /** Rows and subjects up to this place are compared. */
  readonly after: string | null;
  /** Rows that are behind recent facts. */
  readonly behind: number;
  /** Kinds with facts but without a subgraph that serves their rows. */
  readonly unserved: readonly FactKind[];
}

const SEPARATOR = '.';

/**
 * Seals verification states with a MAC under a key of the tenant, so that callers can only continue from states that
 * this tenant's verification returned.
 */
export class VerifyStates {
  readonly #key: Buffer;

  constructor(masterKey: Pick<MasterKey, 'derive'>, tenantId: string) {
    this.#key = masterKey.derive('cursor', `verify:${tenantId}`);
  }

  seal(state: VerifyState): string {
    const text = Buffer.from(JSON.stringify(state)).toString('base64url');
    return `${text}${SEPARATOR}${hmacSha256(this.#key, text).toString('base64url')}`;
  }

  /** @throws VALIDATION_ERROR */
  open(sealed: string, input: VerifyInput): VerifyState {
    const [text = '', mark = ''] = sealed.split(SEPARATOR);
    if (equalInConstantTime(Buffer.from(mark, 'base64url'), hmacSha256(this.#key, text))) {
      // The MAC proves that `seal` has written it.
      const state: VerifyState = JSON.parse(Buffer.from(text, 'base64url').toString());
      if (JSON.stringify(state.input) === JSON.stringify(input)) return state;
    }
    const errors = [fault('/state', 'state', 'Must be a state that this verification returned.')];
    throw problem('VALIDATION_ERROR', { errors });
  }
}

/** Breaks that one answer lists; a ledger that is broken everywhere must not fill the memory. */
export const MAX_BREAKS_LISTED = 10_000;

/** Where anchors are looked for, besides the checkpoints and the signer. */
export interface AnchorSources {
  /** Keys of the configured witnesses. */
  readonly witnesses: readonly NoteKey[];
  /** The last note of the checkpoint folder; null for none. */
  readonly filed: (place: { readonly logId: string; readonly incarnation: number }) => Promise<string | null>;
  /** The time-stamp over the largest stamped tree of an incarnation, or why it anchors nothing; null without one. */
  readonly stamped: (tenant: VerifiedTenant, incarnation: number) => Promise<StampAnchor | null>;
  /** Whether the tree was refused a checkpoint and no operator has ended that. */
  readonly isRegressed: (tenantId: string, incarnation: number) => Promise<boolean>;
}

/** For verifications that are not of the whole ledger. */
export const NO_ANCHOR_SOURCES: AnchorSources = {
  witnesses: [],
  filed: async () => null,
  stamped: async () => null,
  isRegressed: async () => false,
};

export interface VerifyDeps {
  readonly clock: Clock;
  readonly signingKeys: Pick<SigningKeys, 'publicKey' | 'lastSigned'>;
  readonly anchors: AnchorSources;
  readonly recordStates: RecordStates;
  /** Folds of the state map; absent: it is not verified. */
  readonly mapFolds?: MapFolds;
  /** Entries, leaves or record hashes per part. */
  readonly partRows: number;
  /** Of the client that asked; checked between pages. */
  readonly signal?: AbortSignal | undefined;
}

/** All stores of one tenant that verification compares. */
export interface VerifiedTenant {
  readonly context: TenantContext;
  /** Of the tenant's log, as checkpoint folders are named. */
  readonly logId: string;
  readonly tree: TenantTree;
  readonly integrity: TenantIntegrity;
  readonly upkeep: WormUpkeep;
  readonly facts: StateFacts;
}

/** The findings of one part; the next part continues from its state. */
export class PartFindings {
  readonly partitions: VerifiedRange[] = [];
  readonly breaks: Break[] = [];
  readonly notChecked: NotCheckedPart[] = [];
  #listed: number;
  #unlisted: number;

  constructor({ listed, unlisted }: Pick<VerifyState, 'listed' | 'unlisted'>) {
    this.#listed = listed;
    this.#unlisted = unlisted;
  }

  report(breaks: readonly Break[]): void {
    const room = Math.max(0, MAX_BREAKS_LISTED - this.#listed);
    const listed = breaks.slice(0, room);
    this.breaks.push(...listed);
    this.#listed += listed.length;
    this.#unlisted += breaks.length - listed.length;
  }

  counts(): Pick<VerifyState, 'listed' | 'unlisted'> {
    return { listed: this.#listed, unlisted: this.#unlisted };
  }
}

/** A stored number; 0 for a value of a wrong type. */
export function numberOf(value: unknown): number {
  const number = typeof value === 'number' ? Math.floor(value) : 0;
  return Number.isSafeInteger(number) ? number : 0;
}

/** A stored row with a field that is missing or of a wrong type. */
export const malformedRow = (
  { collection, key, field }: { readonly collection: string; readonly key: string; readonly field: string },
  source_system: string | null = null,
): Break => ({
  kind: 'ROW_MALFORMED',
  source_system,
  sequence: null,
  event_id: null,
  detail: `The field ${field} is missing or has a wrong type.`,
  collection,
  key,
  field,
});

/** A break that belongs to no single chain. */
export const wholeBreak = (kind: Break['kind'], detail: string): Break => ({
  kind,
  source_system: null,
  sequence: null,
  event_id: null,
  detail,
});
