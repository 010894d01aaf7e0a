import type { Clock } from '../../../shared/clock/clock.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { isAltered, isLinked, type LedgerRow } from '../append/domain/index.js';
import type { EntryKeys } from '../append/index.js';
import { placeKey, type SignedLeaves, type TenantTree } from '../transparency/index.js';
import type { DamagedPlace, SearchedTenant } from './find-damage.js';
import { ownMaterials, type StrayRecords, strayMaterials } from './find-materials.js';
import {
  type HeaderGuesses,
  type MatchedEntry,
  type Material,
  matchAtTimes,
  type ProvenPlace,
  searchEntry,
} from './match-entry.js';
import type { TenantRepairs } from './ports.js';
import { differingMembers, restoredRow } from './restored-row.js';

/** Why a damaged place stays as it is. */
export type LeftReason =
  | 'NOT_PROVEN'
  | 'NO_RECORD'
  | 'NO_SEED'
  | 'SEARCH_EXHAUSTED'
  | 'OTHER_ENTRY'
  | 'DISPOSED'
  | 'SYSTEM_FIRST'
  | 'TREE_DAMAGED'
  | 'END_LOST'
  | 'ENTRY_CHAIN_CUT'
  | 'PLACE_TAKEN';

/** A restoration that a proven entry hash allows. */
export interface Restoration {
  readonly place: DamagedPlace;
  readonly row: LedgerRow;
  readonly from: Material['from'];
  /** Members of the row that are missing or differ, `row` for all of it, `worm` for the write-once copy. */
  readonly missing: readonly string[];
}

export interface LeftPlace {
  readonly place: DamagedPlace;
  readonly why: LeftReason;
}

export interface PlanningTenant extends SearchedTenant {
  readonly upkeep: SearchedTenant['upkeep'] & Parameters<typeof ownMaterials>[0]['upkeep'];
  readonly integrity: SearchedTenant['integrity'] & Parameters<typeof ownMaterials>[0]['integrity'];
  readonly repairs: Pick<TenantRepairs, 'rawOrigin'>;
}

interface PlannerDeps {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly leaves: Pick<SignedLeaves, 'signedHashes'>;
  /** Reads the write-once store once, and only if a row needs it. */
  readonly strays: () => Promise<StrayRecords>;
}

interface Neighbour {
  readonly entry_hash: string;
  readonly recordedAtMs: number;
}

/** Plans the restoration of the places of one chain, in order: a restored entry is the neighbour of the next. */
export class ChainPlanner {
  readonly #deps: PlannerDeps;
  readonly #tenant: PlanningTenant;
  /** The entries that this plan restores. */
  readonly #restored = new Map<number, Neighbour>();

  constructor(deps: PlannerDeps, tenant: PlanningTenant) {
    this.#deps = deps;
    this.#tenant = tenant;
  }

  async plan(place: DamagedPlace): Promise<Restoration | LeftPlace> {
    const { source_system: sourceSystem, seq } = place;
    const { context } = this.#tenant;
    const [before, after] = await this.#neighbours(place);
    const entryHash = await this.#provenHash(place);
    if (entryHash === null) return { place, why: 'NOT_PROVEN' };
    const { tenantId, memberTags } = context;
    const proven: ProvenPlace = { tenantId, sourceSystem, seq, entryHash, memberTags };
    const guesses = await this.#guesses(place, before, after);
    const matched = await this.#match(proven, place, guesses);
    if (typeof matched === 'string') return { place, why: matched };
    if (isOtherEntry(place.row, matched.eventId)) return { place, why: 'OTHER_ENTRY' };
    const made = await this.#row(proven, place, matched);
    const others = await this.#statingSameFact(made);
    // The same envelope was sent again after the row was lost: no second row may have its key.
    if (others.some(({ duplicate_key }) => duplicate_key === made.duplicate_key)) return { place, why: 'PLACE_TAKEN' };
    const conflicts = others.filter(({ _id }) => _id.seq < seq).map(({ event_id }) => event_id);
    const row = conflicts.length === 0 ? made : { ...made, conflicts_with: conflicts };
    this.#restored.set(seq, { entry_hash: entryHash, recordedAtMs: matched.recordedAtMs });
    return { place, row, from: matched.material.from, missing: differingMembers(place.row, row) };
  }

  /** Reads the rows before and after; null for one whose header does not have its hash. */
  async #neighbours({ source_system, seq }: DamagedPlace): Promise<readonly [LedgerRow | null, LedgerRow | null]> {
    const rows = await this.#tenant.context.ledger.rows(source_system, seq - 1, seq + 1, 3);
    const at = (place: number) => rows.find((row) => row._id.seq === place && isLinked(row)) ?? null;
    return [at(seq - 1), at(seq + 1)];
  }

  async #provenHash({ source_system, seq }: DamagedPlace): Promise<string | null> {
    const { context, tree } = this.#tenant;
    const place = { source_system, seq };
    const hashes = await this.#deps.leaves.signedHashes({ tenantId: context.tenantId, tree }, [place]);
    return hashes.get(placeKey(place)) ?? null;
  }

  async #guesses(place: DamagedPlace, before: LedgerRow | null, after: LedgerRow | null): Promise<HeaderGuesses> {
    const { source_system, seq, row } = place;
    const { context, tree } = this.#tenant;
    const earlier = this.#restored.get(seq - 1);
    const [leaf] = await leavesBefore(tree, source_system, seq);
    const prevs = [leaf?.entry_hash, earlier?.entry_hash, before?.entry_hash, row?.prev_hash];
    if (seq === 1) prevs.push(context.genesis(source_system));
    const beforeMs = earlier?.recordedAtMs ?? before?.recorded_at.getTime();
    const afterMs = after?.recorded_at.getTime();
    const times = [timeOf(row?.recorded_at), beforeMs, afterMs];
    return {
      prevs: [...new Set(prevs.filter((hash) => typeof hash === 'string'))],
      timesMs: [...new Set(times.filter((time) => time !== undefined))],
      notBeforeMs: beforeMs ?? Number.NEGATIVE_INFINITY,
      notAfterMs: afterMs ?? this.#deps.clock.nowMs(),
    };
  }

  async #match(proven: ProvenPlace, place: DamagedPlace, guesses: HeaderGuesses): Promise<MatchedEntry | LeftReason> {
    const own = place.row === null ? [] : await ownMaterials(this.#tenant, place.row);
    const known = matchAtTimes(proven, own, guesses);
    if (known !== null) return known;
    const strays = await this.#deps.strays();
    const stray = strayMaterials(strays, place);
    const found = matchAtTimes(proven, stray, guesses) ?? (await searchEntry(proven, [...own, ...stray], guesses));
    if (found === 'EXHAUSTED') return 'SEARCH_EXHAUSTED';
    const { seedless = [] } = strays.get(place.source_system) ?? {};
    return found ?? (seedless.length > 0 ? 'NO_SEED' : 'NO_RECORD');
  }

  async #row(proven: ProvenPlace, { row: stored }: DamagedPlace, matched: MatchedEntry) {
    const { context, repairs } = this.#tenant;
    const { members, eventId } = matched;
    const raw_sha256 = isJsonObject(members['payload']) ? members['payload']['raw_sha256'] : undefined;
    const origin = typeof raw_sha256 === 'string' ? await repairs.rawOrigin(raw_sha256, eventId) : null;
    const fromRaw = origin !== null || stored?.from_raw === true;
    const omitTime = isReceiptTime(members, origin) || (fromRaw && hasOpenTime(stored));
    return restoredRow(proven, matched, context.duplicateKeys, { fromRaw, omitTime });
  }

  /** The entries at other places that state the same fact; those before it are the conflicts that its append found. */
  async #statingSameFact({ _id, fact_key }: LedgerRow): Promise<readonly EntryKeys[]> {
    if (fact_key === undefined) return [];
    const entries = await this.#tenant.context.ledger.entriesByFact(_id.source_system, [fact_key], MAX_CONFLICTS);
    return entries.filter((entry) => entry._id.seq !== _id.seq);
  }
}

const MAX_CONFLICTS = 1_000;

const leavesBefore = (tree: TenantTree, source_system: string, seq: number) =>
  seq === 1 ? [] : tree.leavesAt([{ source_system, seq: seq - 1 }]);

const timeOf = (value: unknown): number | undefined =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value.getTime() : undefined;

/** The effective time is the time of receipt of the raw message. */
const isReceiptTime = (members: JsonObject, origin: { readonly received_at: string } | null): boolean =>
  origin !== null && members['event_effective_timestamp'] === origin.received_at;

const hasOpenTime = (row: LedgerRow | null): boolean =>
  typeof row?.fact_key === 'string' && row.fact_key.endsWith('\u0000');

/** A whole entry of another event took the place after its row was lost: it is no damage that may be overwritten. */
const isOtherEntry = (row: LedgerRow | null, eventId: string): boolean =>
  row?.record !== undefined && row.event_id !== eventId && !isAltered(row);
