import { delay } from '../../../shared/clock/timers.js';
import type { ExceptionDesk } from '../../../shared/contracts/exceptions.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { isProblem, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Figure } from '../../../shared/telemetry/figures.js';
import type { TenantContext, TenantLedger } from '../append/index.js';
import type { OpenExceptions } from '../exceptions/index.js';
import { Regress } from './checkpoint-baseline.js';
import { type PublishDeps, publishCheckpoint } from './checkpoint-publish.js';
import type { MapCommits } from './ports/map-commits.js';
import type { CheckpointRow, EdgeTile, TenantTree, TreeLease, TreeStore } from './ports/tree-store.js';
import { examineTree } from './prove-tree.js';
import { keepFullTiles, TreeAssigner, type WaitingEntries } from './tree-assign.js';
import { StoredTiles, type TileCache } from './tree-tiles.js';

/** A checkpoint is due when there are new entries and one of these is reached (evidence.md section 3). */
export const CHECKPOINT_INTERVAL_MS = 10_000;
const CHECKPOINT_ENTRIES = 10_000;
/** Under load, checkpoints by count go without a map until the last one has this age. */
const MAP_INTERVAL_MS = 30_000;
/** Lease time in ms: a crashed holder blocks the tree this long. */
const LEASE_MS = 15_000;
/** Time in ms before a blocked publication is retried, unless a caller requests one. */
const REFUSAL_PAUSE_MS = 60_000;
/** Time in ms before a signer that did not answer is asked again, unless a caller requests a checkpoint. */
const UNSIGNED_PAUSE_MS = 5_000;
/** Time in ms that a requested checkpoint waits for the holder of the tree. */
const FORCE_WAIT_MS = 20_000;
const FORCE_POLL_MS = 25;
/** Maximum number of tenants with assigners in memory. */
const MAX_ASSIGNERS = 5_000;

const REFUSED_TEXT = 'The tree does not extend its last checkpoint; see the exception CHECKPOINT_REGRESS.';

interface KeeperDeps extends PublishDeps {
  readonly tenants: TenantDirectory;
  readonly contexts: { of(tenantId: string): Promise<Pick<TenantContext, 'ledger' | 'worm'>> };
  readonly trees: TreeStore;
  readonly cache: TileCache;
  readonly openExceptions: OpenExceptions;
  readonly exceptions: Pick<ExceptionDesk, 'resolve'>;
  /** Null: checkpoints carry no map. */
  readonly maps?: MapCommits | null;
  /** Names this process in leases. */
  readonly owner: string;
}

/**
 * Result of a turn. `idle`: no work is left. `pending`: entries have places that no checkpoint covers yet, or wait for
 * a place. `busy`: another process holds the tree. `refused`: publishing is blocked until an operator declares an
 * incarnation.
 */
interface Turn {
  readonly state: 'idle' | 'pending' | 'busy' | 'refused';
  readonly assigned: number;
  readonly published: CheckpointRow | null;
}

interface Work {
  readonly tenantId: TenantId;
  readonly tree: TenantTree;
  readonly assigner: TreeAssigner;
  readonly incarnation: number;
  readonly tiles: StoredTiles;
  readonly last: CheckpointRow | null;
  /** Number of leaves that this turn knows of. */
  size: number;
}

type PublishOutcome = CheckpointRow | 'raced' | 'refused' | 'unsigned';

/** Assigns tree places and publishes checkpoints; one holder per tenant at a time. */
export class TreeKeeper {
  readonly #deps: KeeperDeps;
  readonly #assigners = new Map<string, TreeAssigner>();
  readonly #refusedUntilMs = new Map<string, number>();
  /** Incarnations of trees that this process has compared with every known note. */
  readonly #examined = new Set<string>();
  readonly #published = { enough: 0, short: 0 };
  #unsignedAtMs = Number.NEGATIVE_INFINITY;
  /** Time of the last checkpoint with a map, and whether one without a map followed. */
  readonly #maps = new Map<string, { readonly atMs: number; readonly isOwed: boolean }>();

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  /**
   * Runs one turn of a tenant: at most the work for one checkpoint. Only reads if there is nothing new.
   *
   * @param force publishes new entries, however recent the last checkpoint is.
   */
  async turn(tenantId: TenantId, { force = false } = {}): Promise<Turn> {
    const work = await this.#work(tenantId);
    if (!(await this.#isExamined(work, force))) return { state: 'refused', assigned: 0, published: null };
    const waiting = await work.assigner.next();
    work.size = waiting.size;
    if (force && waiting.rows.length === 0 && unpublished(work) === 0) await this.#lookForMap(work);
    if (waiting.rows.length === 0 && !this.#isDue(work, force)) return this.#rest(work);
    const nowMs = this.#deps.clock.nowMs();
    const lease = await work.tree.hold(this.#deps.owner, nowMs, nowMs + LEASE_MS, work.incarnation);
    if (lease === null) return { state: 'busy', assigned: 0, published: null };
    let tilesDone = lease.tilesDone;
    let edges: readonly EdgeTile[] | null = null;
    try {
      const assigned = await this.#assign(work, waiting, lease);
      const { tree, tiles, incarnation } = work;
      const isDue = this.#isDue(work, force);
      const hasMap = isDue && (await this.#commitMap(work, lease, force));
      const { size } = work;
      tilesDone = await keepFullTiles(tree, tiles, { incarnation, size, tilesDone });
      edges = await tiles.edges(size);
      // Without its map, a checkpoint that only the map made due would say nothing new.
      const isNew = isDue && unpublished(work) !== 0;
      if (!isNew || !(await this.#renew(work, lease))) return { ...this.#rest(work), assigned };
      const outcome = await this.#publish(work);
      if (typeof outcome === 'object') await this.#mapped(work, hasMap);
      if (outcome === 'refused') return { state: 'refused', assigned, published: null };
      if (outcome === 'unsigned' && force) throw problem('UNAVAILABLE', { retryAfterSeconds: 5 });
      if (outcome === 'raced' || outcome === 'unsigned') return { state: 'pending', assigned, published: null };
      const isMore = (await work.assigner.next()).rows.length > 0;
      return { state: isMore ? 'pending' : 'idle', assigned, published: outcome };
    } finally {
      await work.tree.release(lease, work.incarnation, tilesDone, edges);
    }
  }

  /**
   * Returns a checkpoint that covers everything acknowledged so far; null for an empty ledger.
   *
   * @see Checkpoints.force
   */
  async force(tenantId: TenantId): Promise<CheckpointRow | null> {
    const { clock, trees, contexts } = this.#deps;
    const tree = trees(tenantId);
    const heads = await headsOf((await contexts.of(tenantId)).ledger);
    const deadlineMs = clock.monotonicMs() + FORCE_WAIT_MS;
    for (;;) {
      const { state } = await this.turn(tenantId, { force: true });
      if (state === 'refused') throw problem('CONFLICT', { message: REFUSED_TEXT });
      const latest = await tree.latestCheckpoint();
      // Ignores the state: a concurrent turn may have assigned places that this one saw neither waiting nor assigned.
      if (latest ? await covers(tree, latest, heads) : heads.size === 0) return latest;
      if (clock.monotonicMs() > deadlineMs) throw problem('UNAVAILABLE', { retryAfterSeconds: 1 });
      if (state !== 'pending') await delay(FORCE_POLL_MS);
    }
  }

  /** Checkpoints that this process has published. */
  figures(): readonly Figure[] {
    const help = 'Checkpoints published here, by whether enough witnesses cosigned.';
    return Object.entries(this.#published).map(([cosigned, value]) => ({
      name: 'checkpoints_published_total',
      help,
      labels: { cosigned },
      value,
    }));
  }

  async #work(tenantId: TenantId): Promise<Work> {
    const tree = this.#deps.trees(tenantId);
    const [declared, last] = await Promise.all([tree.latestIncarnation(), tree.latestCheckpoint()]);
    const incarnation = declared?.incarnation ?? 1;
    const tiles = new StoredTiles(tree, { tenantId, incarnation }, this.#deps.cache);
    return { tenantId, tree, assigner: await this.#assignerOf(tenantId, tree), incarnation, tiles, last, size: 0 };
  }

  async #assignerOf(tenantId: TenantId, tree: TenantTree): Promise<TreeAssigner> {
    const known = this.#assigners.get(tenantId);
    if (known) return known;
    const { ledger } = await this.#deps.contexts.of(tenantId);
    if (this.#assigners.size >= MAX_ASSIGNERS) this.#assigners.clear();
    const made = new TreeAssigner(ledger, tree);
    this.#assigners.set(tenantId, made);
    return made;
  }

  /**
   * Runs until every waiting entry has its place, a checkpoint is due by count, or another process took a place.
   * Entries that arrive meanwhile wait for the next turn, so that a growing ledger is not followed entry by entry.
   */
  async #assign(work: Work, first: WaitingEntries, lease: TreeLease): Promise<number> {
    let assigned = 0;
    for (let { rows, more } = first; rows.length > 0; { rows, more } = await work.assigner.next()) {
      if (!(await work.assigner.assign(rows, work.tiles))) break;
      assigned += rows.length;
      work.size = first.size + assigned;
      if (!more || unpublished(work) >= CHECKPOINT_ENTRIES || !(await this.#renew(work, lease))) break;
    }
    return assigned;
  }

  /** A checkpoint without a map is followed by one with a map, also when nothing new comes. */
  async #lookForMap({ tenantId, size }: Work): Promise<void> {
    const known = this.#maps.get(tenantId);
    const isOwed = size > 0 && (await this.#deps.maps?.isOwed(tenantId, size)) === true;
    this.#maps.set(tenantId, { atMs: known?.atMs ?? Number.NEGATIVE_INFINITY, isOwed });
  }

  /** Makes the map the last leaf of the tree. @returns false if the checkpoint goes without a map. */
  async #commitMap(work: Work, lease: TreeLease, force: boolean): Promise<boolean> {
    const { maps, clock, logger } = this.#deps;
    const { tenantId, assigner, tiles, size } = work;
    const last = this.#maps.get(tenantId)?.atMs ?? Number.NEGATIVE_INFINITY;
    const isLoaded = unpublished(work) >= CHECKPOINT_ENTRIES;
    if (!maps || size === 0 || (!force && isLoaded && clock.nowMs() - last < MAP_INTERVAL_MS)) return false;
    try {
      if (!(await maps.isOwed(tenantId, size))) return true;
      const leaf = await maps.leafFor(tenantId, size, () => this.#renew(work, lease));
      // An entry at another index is void.
      if (leaf === null || !(await this.#renew(work, lease)) || !(await assigner.assign([leaf], tiles))) return false;
      work.size = size + 1;
      return true;
    } catch (error) {
      logger.error({ ...describeUnexpected(error), tenant_id: tenantId }, 'a checkpoint goes without its state map');
      return false;
    }
  }

  async #mapped({ tenantId }: Work, hasMap: boolean): Promise<void> {
    const { maps, clock } = this.#deps;
    if (!maps) return;
    if (this.#maps.size >= MAX_ASSIGNERS) this.#maps.clear();
    const atMs = hasMap ? clock.nowMs() : (this.#maps.get(tenantId)?.atMs ?? Number.NEGATIVE_INFINITY);
    this.#maps.set(tenantId, { atMs, isOwed: !hasMap });
    if (hasMap) await maps.published(tenantId);
  }

  #renew({ tree }: Work, lease: TreeLease): Promise<boolean> {
    return tree.renew(lease, this.#deps.clock.nowMs() + LEASE_MS);
  }

  /** A tree smaller than its last checkpoint is due as well: it must be reported and never signed. */
  #isDue(work: Work, force: boolean): boolean {
    const news = unpublished(work);
    const owesMap = news === 0 && this.#maps.get(work.tenantId)?.isOwed === true;
    if (news === 0 && !owesMap) return false;
    if (force) return true;
    const nowMs = this.#deps.clock.nowMs();
    if (nowMs < this.#unsignedAtMs + UNSIGNED_PAUSE_MS) return false;
    if (nowMs < (this.#refusedUntilMs.get(refusalKey(work)) ?? 0)) return false;
    if (work.last?.incarnation !== work.incarnation || news < 0 || news >= CHECKPOINT_ENTRIES) return true;
    return nowMs - work.last.published_at.getTime() >= CHECKPOINT_INTERVAL_MS;
  }

  #rest(work: Work): Turn {
    const isRefused = this.#refusedUntilMs.has(refusalKey(work));
    const state = unpublished(work) === 0 ? 'idle' : isRefused ? 'refused' : 'pending';
    return { state, assigned: 0, published: null };
  }

  async #publish(work: Work): Promise<PublishOutcome> {
    const { tenantId, tree, incarnation, last } = work;
    const tenant = await this.#deps.tenants.find(tenantId);
    if (!tenant) throw problem('NOT_FOUND', { message: 'There is no such tenant.' });
    const { worm } = await this.#deps.contexts.of(tenantId);
    try {
      const input = { tenantId, logId: tenant.log_id, tree, worm, incarnation, last };
      await this.#closeEarlier(work);
      const { checkpoint, short } = await publishCheckpoint(this.#deps, input);
      if (checkpoint) this.#published[short ? 'short' : 'enough']++;
      if (checkpoint) await this.#closeWaiting(work);
      this.#refusedUntilMs.delete(refusalKey(work));
      return checkpoint ?? 'raced';
    } catch (error) {
      if (isProblem(error, 'UNAVAILABLE')) {
        this.#unsignedAtMs = this.#deps.clock.nowMs();
        return 'unsigned';
      }
      if (!(error instanceof Regress)) throw error;
      return this.#refuse(work, error);
    }
  }

  /** Compares a tree once a process with every known note, before anything is assigned or signed. */
  async #isExamined(work: Work, force: boolean): Promise<boolean> {
    const { tenantId, tree, incarnation, last } = work;
    const key = refusalKey(work);
    if (this.#examined.has(key)) return true;
    if (!force && this.#deps.clock.nowMs() < (this.#refusedUntilMs.get(key) ?? 0)) return false;
    const tenant = await this.#deps.tenants.find(tenantId);
    if (!tenant) return true;
    try {
      await examineTree(this.#deps, { tenantId, logId: tenant.log_id, tree, incarnation, last });
    } catch (error) {
      // Without the signer nothing is signed either; the tree is compared when it is back.
      if (isProblem(error, 'UNAVAILABLE')) return true;
      if (!(error instanceof Regress)) throw error;
      work.size = await tree.size();
      return (await this.#refuse(work, error)) === 'raced';
    }
    if (this.#examined.size >= MAX_ASSIGNERS) this.#examined.clear();
    this.#examined.add(key);
    return true;
  }

  async #refuse(work: Work, { reason, by }: Regress): Promise<'raced' | 'refused'> {
    const { tenantId, tree, incarnation } = work;
    // The refusal belongs to an earlier incarnation; the operator who declared the current one has examined it.
    if (((await tree.latestIncarnation())?.incarnation ?? 1) > incarnation) return 'raced';
    const pauseMs = reason === 'SIGNER_REFUSED' ? UNSIGNED_PAUSE_MS : REFUSAL_PAUSE_MS;
    this.#refusedUntilMs.set(refusalKey(work), this.#deps.clock.nowMs() + pauseMs);
    this.#deps.cache.forget(tenantId);
    await this.#open(work, by ? { witness: by.witness } : {}, { reason, ...(by && { witness_size: by.size }) });
    return 'refused';
  }

  /**
   * Resolves the exceptions of the previous incarnation with the declaration of this one, also after a crash in
   * between.
   */
  async #closeEarlier({ tenantId, incarnation, last }: Work): Promise<void> {
    if (incarnation === 1 || last?.incarnation === incarnation) return;
    const { exceptions, witnesses } = this.#deps;
    const subject = regressSubject(incarnation - 1);
    const said = (witnesses?.names ?? []).map((witness) => ({ ...subject, witness }));
    const note = `Incarnation ${incarnation} was declared.`;
    for (const each of [subject, ...said]) await exceptions.resolve(tenantId, 'CHECKPOINT_REGRESS', each, note);
  }

  /** An incarnation waits for its word in the signer's folder; its first checkpoint shows that the word was given. */
  async #closeWaiting({ tenantId, incarnation, last }: Work): Promise<void> {
    if (incarnation === 1 || last?.incarnation === incarnation) return;
    const note = 'The signer accepted the incarnation.';
    await this.#deps.exceptions.resolve(tenantId, 'CHECKPOINT_REGRESS', regressSubject(incarnation), note);
  }

  async #open({ tenantId, incarnation, last, size }: Work, subject: JsonObject, detail: JsonObject): Promise<void> {
    this.#deps.logger.error(
      { tenant_id: tenantId, incarnation, ...detail },
      'the tree does not extend its last checkpoint',
    );
    const published = last && {
      checkpoint_id: last.checkpoint_id,
      tree_size: last.tree_size,
      root_hash: last.root_hash,
    };
    await this.#deps.openExceptions(tenantId, [
      {
        kind: 'CHECKPOINT_REGRESS',
        source: 'RECONCILIATION',
        subject: { ...regressSubject(incarnation), ...subject },
        detail: { ...detail, tree_size: size, last_published: published },
      },
    ]);
  }
}

/** Subject of exceptions about this incarnation. */
export const regressSubject = (incarnation: number): JsonObject => ({ kind: 'LEDGER', id: `inc-${incarnation}` });

/** Number of leaves that no checkpoint of this incarnation covers; negative if leaves are missing. */
const unpublished = ({ size, last, incarnation }: Work): number =>
  size - (last?.incarnation === incarnation ? last.tree_size : 0);

/** A new incarnation starts without the refusals of the previous one. */
const refusalKey = ({ tenantId, incarnation }: Work): string => `${tenantId} ${incarnation}`;

type Heads = ReadonlyMap<string, number>;

async function headsOf(ledger: TenantLedger): Promise<Heads> {
  const heads = new Map<string, number>();
  for (const sourceSystem of await ledger.sourceSystems()) {
    const head = await ledger.head(sourceSystem);
    if (head) heads.set(sourceSystem, head._id.seq);
  }
  return heads;
}

async function covers(tree: TenantTree, { tree_size }: CheckpointRow, heads: Heads): Promise<boolean> {
  for (const [sourceSystem, seq] of heads) {
    const index = (await tree.treeIndexOf(sourceSystem, [seq])).get(seq);
    if (index === undefined || index >= tree_size) return false;
  }
  return true;
}
