import type { WithheldReason } from '../../../shared/consent/verdict.js';
import { reasonsToWithhold, type StatedPurpose, type Withheld, withheldOf } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { LinkedEvents } from '../../../shared/contracts/event-reads.js';
import { stopIfLeft } from '../../../shared/errors/caller-left.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import {
  type GraphEdgeKind,
  isLinkKind,
  isStoredKind,
  kindsInto,
  type LinkEdgeKind,
  type StoredEdgeKind,
} from './domain/edge-kinds.js';
import { idOfNode, isRecordNode, kindOfNode, type NodeId, nodeOf } from './domain/node-id.js';
import { edgeOf, type GraphEdge, type GraphRecord, viewOfRecord } from './domain/record.js';
import type { EdgeTarget, EdgeWindow, RecordPlace, TenantGraph } from './ports.js';

/** Maps member ids to all ids of the person, the survivor first. */
export type Identities = (memberIds: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

interface WalkDeps {
  readonly tenantId: TenantId;
  readonly graph: TenantGraph;
  readonly linkedEvents: LinkedEvents;
  readonly identities: Identities;
  /** True if the directory has this member, even if no record names it. */
  readonly knows: (memberId: string) => Promise<boolean>;
  readonly consent: ConsentGate;
}

export interface WalkBounds {
  readonly kinds: readonly GraphEdgeKind[];
  readonly window: EdgeWindow;
  /** Null: consent rules do not apply. */
  readonly purpose: StatedPurpose | null;
  /** Of the client that asked; checked between reads. */
  readonly signal?: AbortSignal | undefined;
}

export interface Expansion {
  /** Every edge at the nodes, once. */
  readonly edges: readonly GraphEdge[];
  /** True if a node has more edges than the walk read. */
  readonly truncated: boolean;
}

/** The edges of a page of records. */
interface InPage {
  readonly edges: readonly GraphEdge[];
  /** Null at the end. */
  readonly next: RecordPlace | null;
}

const MEMBER = 'member:';
/** Targets of one query. */
const MAX_TARGETS = 1_000;
/** Ids of one call to another part. */
const MAX_IDS = 1_000;
/** Concurrent queries of one target each. */
const CONCURRENCY = 8;
/** Hubs of one step that are read one by one; with more hubs the answer is truncated anyway. */
const MAX_HUBS = 256;

/** One walk over a tenant's graph. Reads each record once, and treats merged members as one node. */
export class GraphWalk {
  readonly #deps: WalkDeps;
  readonly #bounds: WalkBounds;
  readonly #stored: readonly StoredEdgeKind[];
  readonly #storedSet: ReadonlySet<string>;
  readonly #links: ReadonlySet<LinkEdgeKind>;
  readonly #records = new Map<NodeId, GraphRecord | null>();
  readonly #people = new Map<string, readonly string[]>();
  readonly #decisions = new Map<NodeId, WithheldReason | null>();

  constructor(deps: WalkDeps, bounds: WalkBounds) {
    this.#deps = deps;
    this.#bounds = bounds;
    this.#stored = bounds.kinds.filter(isStoredKind);
    this.#storedSet = new Set(this.#stored);
    this.#links = new Set(bounds.kinds.filter(isLinkKind));
  }

  /** Replaces merged members by their survivors. */
  async canonicalNodes(nodes: readonly NodeId[]): Promise<NodeId[]> {
    await this.#know(nodes);
    return nodes.map((node) => this.#canonical(node));
  }

  /** Returns the other nodes of the same person. */
  othersOf(node: NodeId): readonly NodeId[] {
    if (kindOfNode(node) !== 'member') return [];
    return this.#aliases(node).filter((alias) => alias !== node);
  }

  /** True if the tenant has the node: its record, or a record that names it. */
  async has(node: NodeId): Promise<boolean> {
    if (isRecordNode(node)) return (await this.recordsOf([node])).length > 0;
    const [canonical = node] = await this.canonicalNodes([node]);
    const hidden = this.#bounds.window.hidden;
    const targets = this.#aliases(canonical).map((to) => ({ to, kinds: kindsInto(kindOfNode(to)) }));
    if ((await this.#deps.graph.intoAny(targets, { hidden }, 1)).length > 0) return true;
    return kindOfNode(canonical) === 'member' && this.#deps.knows(idOfNode(canonical));
  }

  /** Returns the records of these nodes that consent permits. */
  async recordsOf(nodes: readonly NodeId[]): Promise<readonly GraphRecord[]> {
    const fresh = nodes.filter((node) => isRecordNode(node) && !this.#records.has(node));
    for (let from = 0; from < fresh.length; from += MAX_IDS) {
      this.#stopIfLeft();
      const some = fresh.slice(from, from + MAX_IDS);
      this.#keep(await this.#deps.graph.records(some));
      for (const node of some) if (!this.#records.has(node)) this.#records.set(node, null);
    }
    const found = nodes.flatMap((node) => this.#records.get(node) ?? []);
    await this.#decide(found);
    return found.filter(({ node }) => !this.#isWithheld(node));
  }

  /** Returns how many records consent has withheld so far, and why. */
  withheld(): Withheld | null {
    return withheldOf([...this.#decisions.values()]);
  }

  /**
   * Returns every edge at these nodes, from about `most` records that lead into them. If there are more, each node gets an
   * equal share of its newest.
   */
  async edgesAt(nodes: readonly NodeId[], most: number): Promise<Expansion> {
    const targets = this.#targetsOf(nodes);
    const [records, into, links] = await Promise.all([
      this.recordsOf(nodes),
      this.#into(targets, most),
      this.#linksAt(nodes),
    ]);
    const wanted = new Set<NodeId>(targets.map(({ to }) => to));
    await this.#decide(into.records);
    const edges = [
      ...records.flatMap((record) => this.#outOf(record)),
      ...this.#shown(into.records).flatMap((record) => this.#outOf(record, wanted)),
      ...links.edges,
    ];
    return { edges: await this.#resolve(edges), truncated: into.truncated || links.truncated };
  }

  /** Returns the edges of the newest `limit` records that lead into a node, after a position. */
  async newestInto(node: NodeId, limit: number, after?: RecordPlace): Promise<InPage> {
    this.#stopIfLeft();
    const walks = this.#targetsOf([node]).map((target) =>
      this.#deps.graph.into(target, this.#bounds.window, limit, after),
    );
    const byNode = new Map((await Promise.all(walks)).flat().map((record) => [record.node, record]));
    const found = [...byNode.values()].sort(newestFirst).slice(0, limit);
    this.#keep(found);
    await this.#decide(found);
    const wanted = new Set<NodeId>(this.#aliases(node));
    const edges = this.#shown(found).flatMap((record) => this.#outOf(record, wanted));
    const last = found.length < limit ? undefined : found.at(-1);
    return {
      edges: await this.#resolve(edges),
      next: last === undefined ? null : { atMs: last.at_ms, node: last.node },
    };
  }

  /** Returns the outgoing edges of these records, and the edges to linked events. */
  async outOf(nodes: readonly NodeId[]): Promise<Expansion> {
    const [records, links] = await Promise.all([this.recordsOf(nodes), this.#linksAt(nodes)]);
    const edges = [...records.flatMap((record) => this.#outOf(record)), ...links.edges];
    return { edges: await this.#resolve(edges), truncated: links.truncated };
  }

  #targetsOf(nodes: readonly NodeId[]): EdgeTarget[] {
    return nodes.flatMap((node) => {
      const kinds = kindsInto(kindOfNode(node)).filter((kind) => this.#stored.includes(kind));
      return kinds.length === 0 ? [] : this.#aliases(node).map((to) => ({ to, kinds }));
    });
  }

  async #into(targets: readonly EdgeTarget[], most: number) {
    const found = new Map<NodeId, GraphRecord>();
    let truncated = false;
    for (let from = 0; from < targets.length; from += MAX_TARGETS) {
      this.#stopIfLeft();
      const some = targets.slice(from, from + MAX_TARGETS);
      const [only] = some.length === 1 ? some : [];
      const together = only
        ? await this.#deps.graph.into(only, this.#bounds.window, most + 1)
        : await this.#deps.graph.intoAny(some, this.#bounds.window, most + 1);
      const isWhole = only !== undefined || together.length <= most;
      truncated ||= together.length > most;
      for (const record of isWhole ? together : await this.#sharesOf(some, most)) found.set(record.node, record);
    }
    const records = [...found.values()];
    this.#keep(records);
    return { records, truncated };
  }

  /** Gives each target an equal share, so that a code on every claim does not crowd out the others. */
  async #sharesOf(targets: readonly EdgeTarget[], most: number): Promise<GraphRecord[]> {
    const share = Math.max(1, Math.ceil(most / targets.length));
    const found: GraphRecord[] = [];
    for (let from = 0; from < Math.min(targets.length, MAX_HUBS); from += CONCURRENCY) {
      this.#stopIfLeft();
      const walks = targets
        .slice(from, from + CONCURRENCY)
        .map((target) => this.#deps.graph.into(target, this.#bounds.window, share));
      for (const records of await Promise.all(walks)) found.push(...records);
    }
    return found;
  }

  async #linksAt(nodes: readonly NodeId[]): Promise<Expansion> {
    const events = nodes.filter((node) => kindOfNode(node) === 'event').map(idOfNode);
    const edges: GraphEdge[] = [];
    let truncated = false;
    for (let from = 0; this.#links.size > 0 && from < events.length; from += MAX_IDS) {
      this.#stopIfLeft();
      const answer = await this.#deps.linkedEvents.edgesOf(this.#deps.tenantId, events.slice(from, from + MAX_IDS));
      truncated ||= answer.truncated;
      for (const { from: one, to: other, kind, at } of answer.edges) {
        const [fromNode, toNode] = [nodeOf('event', one), nodeOf('event', other)];
        const at_ms = instantOf(at) ?? 0;
        if (!fromNode || !toNode || !isLinkKind(kind) || !this.#links.has(kind) || !this.#isInTime(at_ms)) continue;
        edges.push({ from: fromNode, to: toNode, kind, at_ms, event_id: one });
      }
    }
    if (this.#bounds.purpose === null) return { edges, truncated };
    await this.recordsOf([...new Set(edges.flatMap(({ from, to }) => [from, to]))]);
    return { edges: edges.filter(({ from, to }) => !this.#isWithheld(from) && !this.#isWithheld(to)), truncated };
  }

  /** @param wanted targets; all by default */
  #outOf(record: GraphRecord, wanted?: ReadonlySet<NodeId>): GraphEdge[] {
    const edges: GraphEdge[] = [];
    if (!this.#isInTime(record.at_ms)) return edges;
    const { hidden } = this.#bounds.window;
    for (const edge of record.edges) {
      if (wanted !== undefined && !wanted.has(edge.to)) continue;
      if (this.#storedSet.has(edge.kind) && (hidden || edge.hidden !== true)) edges.push(edgeOf(record, edge));
    }
    return edges;
  }

  #stopIfLeft(): void {
    stopIfLeft(this.#bounds.signal);
  }

  #isInTime(atMs: number): boolean {
    const { sinceMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY } = this.#bounds.window;
    return sinceMs <= atMs && atMs < untilMs;
  }

  /** Replaces merged members, removes duplicates and edges to withheld records. */
  async #resolve(edges: readonly GraphEdge[]): Promise<readonly GraphEdge[]> {
    await this.#know(edges.map(({ to }) => to));
    if (this.#bounds.purpose !== null) await this.recordsOf(edges.map(({ to }) => to));
    const byKey = new Map<string, GraphEdge>();
    for (const edge of edges) {
      if (this.#isWithheld(edge.to)) continue;
      const to = this.#canonical(edge.to);
      byKey.set(`${edge.from}\n${edge.kind}\n${to}`, to === edge.to ? edge : { ...edge, to });
    }
    return [...byKey.values()];
  }

  #keep(records: readonly GraphRecord[]): void {
    for (const record of records) this.#records.set(record.node, record);
  }

  #shown(records: readonly GraphRecord[]): readonly GraphRecord[] {
    return records.filter(({ node }) => !this.#isWithheld(node));
  }

  #isWithheld(node: NodeId): boolean {
    return (this.#decisions.get(node) ?? null) !== null;
  }

  async #decide(records: readonly GraphRecord[]): Promise<void> {
    const { purpose } = this.#bounds;
    if (purpose === null) return;
    const fresh = records.filter(({ node }) => !this.#decisions.has(node));
    const { consent, tenantId } = this.#deps;
    const reasons = await reasonsToWithhold(consent, tenantId, purpose, fresh.map(viewOfRecord));
    for (const [index, { node }] of fresh.entries()) this.#decisions.set(node, reasons[index] ?? null);
  }

  async #know(nodes: readonly NodeId[]): Promise<void> {
    const fresh = new Set(nodes.filter((node) => node.startsWith(MEMBER)).map(idOfNode));
    const unknown = [...fresh].filter((id) => !this.#people.has(id));
    for (let from = 0; from < unknown.length; from += MAX_IDS) {
      this.#stopIfLeft();
      const some = unknown.slice(from, from + MAX_IDS);
      const found = await this.#deps.identities(some);
      for (const id of some) {
        const person = found.get(id) ?? [id];
        for (const each of person) this.#people.set(each, person);
      }
    }
  }

  #canonical(node: NodeId): NodeId {
    if (!node.startsWith(MEMBER)) return node;
    return this.#aliases(node)[0] ?? node;
  }

  /** Returns all nodes of the same person, the survivor first; any other node alone. */
  #aliases(node: NodeId): readonly NodeId[] {
    if (!node.startsWith(MEMBER)) return [node];
    const ids = this.#people.get(idOfNode(node)) ?? [];
    return ids.length <= 1 ? [node] : ids.flatMap((id) => nodeOf('member', id) ?? []);
  }
}

const newestFirst = (a: GraphRecord, b: GraphRecord): number =>
  b.at_ms - a.at_ms || (a.node < b.node ? 1 : a.node > b.node ? -1 : 0);
