import { delay } from '../../../shared/clock/timers.js';
import type { ExceptionDesk } from '../../../shared/contracts/exceptions.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { Figure } from '../../../shared/telemetry/figures.js';
import { Regress } from './checkpoint-baseline.js';
import { type PublishDeps, publishCheckpoint } from './checkpoint-publish.js';
import type { OpenExceptions } from './open-exception.js';
import type { TenantLedger } from './ports/ledger-store.js';
import type { CheckpointRow, EdgeTile, TenantTree, TreeLease, TreeStore } from './ports/tree-store.js';
import type { TenantContext } from './tenant-context.js';
import { keepFullTiles, TreeAssigner, type WaitingEntries } from './tree-assign.js';
import { StoredTiles, type TileCache } from './tree-tiles.js';

/** A checkpoint comes when there is something new, and one of these is reached (evidence.md section 3). */
export const CHECKPOINT_INTERVAL_MS = 10_000;
export const CHECKPOINT_ENTRIES = 10_000;
/** A holder that died keeps the tree this long. */
const LEASE_MS = 15_000;
/** After a refusal it is not tried again for so long, unless somebody asks for it. */
const REFUSAL_PAUSE_MS = 60_000;
/** How long a checkpoint that is asked for waits for whoever holds the tree. */
const FORCE_WAIT_MS = 20_000;
const FORCE_POLL_MS = 25;
/** Tenants whose assigners are remembered. */
const MAX_ASSIGNERS = 5_000;

const REFUSED_TEXT = 'The tree does not extend what was published; see the exception CHECKPOINT_REGRESS.';

export interface KeeperDeps extends PublishDeps {
  readonly tenants: TenantDirectory;
  readonly contexts: { of(tenantId: string): Promise<Pick<TenantContext, 'ledger' | 'worm'>> };
  readonly trees: TreeStore;
  readonly cache: TileCache;
  readonly openExceptions: OpenExceptions;
  readonly exceptions: Pick<ExceptionDesk, 'resolve'>;
  /** Names this process in leases. */
  readonly owner: string;
}

/**
 * What a turn came to. `idle`: nothing is left to do. `pending`: entries have places that no checkpoint covers yet, or wait
 * for one. `busy`: another holds the tree. `refused`: until an incarnation is declared.
 */
export interface Turn {
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
  /** Leaves as far as this turn knows. */
  size: number;
}

type PublishOutcome = CheckpointRow | 'raced' | 'refused';

/** Gives entries their places in their tenant's tree and publishes checkpoints: one holder a tenant at a time. */
export class TreeKeeper {
  readonly #deps: KeeperDeps;
  readonly #assigners = new Map<string, TreeAssigner>();
  readonly #refusedAtMs = new Map<string, number>();
  readonly #published = { enough: 0, short: 0 };

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  /**
   * One turn of a tenant: at most what makes one checkpoint. Where nothing is new it only reads.
   *
   * @param force publishes what is unpublished, however recent the last checkpoint is.
   */
  async turn(tenantId: TenantId, { force = false } = {}): Promise<Turn> {
    const work = await this.#work(tenantId);
    const waiting = await work.assigner.next();
    work.size = waiting.size;
    if (waiting.rows.length === 0 && !this.#isDue(work, force)) return this.#rest(work);
    const nowMs = this.#deps.clock.nowMs();
    const lease = await work.tree.hold(this.#deps.owner, nowMs, nowMs + LEASE_MS, work.incarnation);
    if (lease === null) return { state: 'busy', assigned: 0, published: null };
    let tilesDone = lease.tilesDone;
    let edges: readonly EdgeTile[] | null = null;
    try {
      const assigned = await this.#assign(work, waiting, lease);
      const { tree, tiles, incarnation, size } = work;
      tilesDone = await keepFullTiles(tree, tiles, { incarnation, size, tilesDone });
      edges = await tiles.edges(size);
      if (!this.#isDue(work, force) || !(await this.#renew(work, lease))) return { ...this.#rest(work), assigned };
      const outcome = await this.#publish(work);
      if (outcome === 'refused') return { state: 'refused', assigned, published: null };
      if (outcome === 'raced') return { state: 'pending', assigned, published: null };
      const isMore = (await work.assigner.next()).rows.length > 0;
      return { state: isMore ? 'pending' : 'idle', assigned, published: outcome };
    } finally {
      await work.tree.release(lease, work.incarnation, tilesDone, edges);
    }
  }

  /** The checkpoint that covers what is acknowledged now; null for an empty ledger. @see Checkpoints.force */
  async force(tenantId: TenantId): Promise<CheckpointRow | null> {
    const { clock, trees, contexts } = this.#deps;
    const tree = trees(tenantId);
    const heads = await headsOf((await contexts.of(tenantId)).ledger);
    const deadlineMs = clock.monotonicMs() + FORCE_WAIT_MS;
    for (;;) {
      const { state } = await this.turn(tenantId, { force: true });
      if (state === 'refused') throw problem('CONFLICT', { message: REFUSED_TEXT });
      const latest = await tree.latestCheckpoint();
      // Not by the state: a turn beside this one may have given places that this one saw neither waiting nor given.
      if (latest ? await covers(tree, latest, heads) : heads.size === 0) return latest;
      if (clock.monotonicMs() > deadlineMs) throw problem('UNAVAILABLE', { retryAfterSeconds: 1 });
      if (state !== 'pending') await delay(FORCE_POLL_MS);
    }
  }

  /** Checkpoints that this process has published. */
  figures(): readonly Figure[] {
    const help = 'Checkpoints published here, by whether as many witnesses cosigned as are asked for.';
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
   * Until every entry that waited has its place, a checkpoint is due by count, or another has taken a place. The few that
   * came meanwhile wait for the next turn: a ledger that grows all the time is not followed entry by entry.
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

  #renew({ tree }: Work, lease: TreeLease): Promise<boolean> {
    return tree.renew(lease, this.#deps.clock.nowMs() + LEASE_MS);
  }

  /** A tree smaller than what was published is due as well: that must be told, and never be signed. */
  #isDue(work: Work, force: boolean): boolean {
    const news = unpublished(work);
    if (news === 0) return false;
    if (force) return true;
    const nowMs = this.#deps.clock.nowMs();
    const refusedAtMs = this.#refusedAtMs.get(refusalKey(work));
    if (refusedAtMs !== undefined && nowMs < refusedAtMs + REFUSAL_PAUSE_MS) return false;
    if (work.last?.incarnation !== work.incarnation || news < 0 || news >= CHECKPOINT_ENTRIES) return true;
    return nowMs - work.last.published_at.getTime() >= CHECKPOINT_INTERVAL_MS;
  }

  #rest(work: Work): Turn {
    const isRefused = this.#refusedAtMs.has(refusalKey(work));
    const state = unpublished(work) === 0 ? 'idle' : isRefused ? 'refused' : 'pending';
    return { state, assigned: 0, published: null };
  }

  async #publish(work: Work): Promise<PublishOutcome> {
    const { tenantId, tree, incarnation, last } = work;
    const tenant = await this.#deps.tenants.find(tenantId);
    if (!tenant) throw problem('NOT_FOUND', { message: 'No such tenant.' });
    const { worm } = await this.#deps.contexts.of(tenantId);
    try {
      const input = { tenantId, logId: tenant.log_id, tree, worm, incarnation, last };
      await this.#closeEarlier(work);
      const { checkpoint, ahead, short } = await publishCheckpoint(this.#deps, input);
      if (checkpoint) this.#published[short ? 'short' : 'enough']++;
      this.#refusedAtMs.delete(refusalKey(work));
      for (const { witness, size } of ahead) {
        await this.#open(work, { witness }, { reason: 'WITNESS_AHEAD', witness_size: size });
      }
      return checkpoint ?? 'raced';
    } catch (error) {
      if (!(error instanceof Regress)) throw error;
      // Refused by the rules of a life that is over: whoever declared the next one has looked at it.
      if (((await tree.latestIncarnation())?.incarnation ?? 1) > incarnation) return 'raced';
      this.#refusedAtMs.set(refusalKey(work), this.#deps.clock.nowMs());
      this.#deps.cache.forget(tenantId);
      await this.#open(work, {}, { reason: error.reason });
      return 'refused';
    }
  }

  /** What was refused in the life before is answered by the declaration of this one, also where a crash came between. */
  async #closeEarlier({ tenantId, incarnation, last }: Work): Promise<void> {
    if (incarnation === 1 || last?.incarnation === incarnation) return;
    const { exceptions, witnesses } = this.#deps;
    const subject = regressSubject(incarnation - 1);
    const said = (witnesses?.names ?? []).map((witness) => ({ ...subject, witness }));
    const note = `Incarnation ${incarnation} was declared.`;
    for (const each of [subject, ...said]) await exceptions.resolve(tenantId, 'CHECKPOINT_REGRESS', each, note);
  }

  async #open({ tenantId, incarnation, last, size }: Work, subject: JsonObject, detail: JsonObject): Promise<void> {
    this.#deps.logger.error({ tenant_id: tenantId, incarnation, ...detail }, 'the tree is not what was published');
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

/** What an exception about this incarnation is about. */
export const regressSubject = (incarnation: number): JsonObject => ({ kind: 'LEDGER', id: `inc-${incarnation}` });

/** Leaves that no checkpoint of this incarnation covers; below zero when there are fewer than were published. */
const unpublished = ({ size, last, incarnation }: Work): number =>
  size - (last?.incarnation === incarnation ? last.tree_size : 0);

/** A new incarnation begins without the refusals of the one before. */
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
