import type { WithheldReason } from '../../../../shared/consent/verdict.js';
import { type Withheld, withheldOf } from '../../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../../shared/contracts/consent.js';
import type { LinkedEvents } from '../../../../shared/contracts/event-edges.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import {
  type GraphEdgeKind,
  kindsInto,
  type LinkEdgeKind,
  linksAmong,
  type StoredEdgeKind,
  storedAmong,
} from '../../domain/graph/edge-kinds.js';
import { edgeOf, type GraphEdge, type GraphRecord, viewOfRecord } from '../../domain/graph/graph-record.js';
import { idOfNode, isRecordNode, kindOfNode, type NodeId, nodeOf } from '../../domain/graph/node-id.js';
import type { EdgeTarget, EdgeWindow, RecordPlace, TenantGraph } from '../ports/graph-store.js';

/** Who is one person with whom: ids to all ids of the person, the surviving one first. */
export type Identities = (memberIds: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

/** For what it is asked, where consent is to judge. */
export interface StatedPurpose {
  readonly purpose: string;
  readonly actor: string | null;
}

export interface WalkDeps {
  readonly tenantId: TenantId;
  readonly graph: TenantGraph;
  readonly linkedEvents: LinkedEvents;
  readonly identities: Identities;
  /** Whether the directory has this member, though nothing names it. */
  readonly knows: (memberId: string) => Promise<boolean>;
  readonly consent: ConsentGate;
}

export interface WalkBounds {
  readonly kinds: readonly GraphEdgeKind[];
  readonly window: EdgeWindow;
  /** Null: consent is not asked. */
  readonly purpose: StatedPurpose | null;
}

export interface Expansion {
  /** Each edge at one of the nodes, once. */
  readonly edges: readonly GraphEdge[];
  /** Whether a node has more edges than were looked at. */
  readonly truncated: boolean;
}

/** Edges of a page of records. */
export interface InPage {
  readonly edges: readonly GraphEdge[];
  /** Null at the end. */
  readonly next: RecordPlace | null;
}

const MEMBER = 'member:';
/** Targets asked for at once. */
const MOST_TARGETS = 1_000;
/** Events whose links are asked for at once, and members that consent judges at once. */
const MOST_ASKED = 1_000;
/** Walks over one target each, at a time. */
const AT_ONCE = 8;
/** Hubs of one step that are looked into one by one; of more the answer is truncated anyway. */
const MOST_HUBS = 256;

/** One walk over a tenant's graph: what was read once is not read again, and merged members are one node. */
export class GraphWalk {
  readonly #deps: WalkDeps;
  readonly #bounds: WalkBounds;
  readonly #stored: readonly StoredEdgeKind[];
  readonly #storedSet: ReadonlySet<string>;
  readonly #links: ReadonlySet<LinkEdgeKind>;
  readonly #records = new Map<NodeId, GraphRecord | null>();
  readonly #people = new Map<string, readonly string[]>();
  readonly #judged = new Map<NodeId, WithheldReason | null>();

  constructor(deps: WalkDeps, bounds: WalkBounds) {
    this.#deps = deps;
    this.#bounds = bounds;
    this.#stored = storedAmong(bounds.kinds);
    this.#storedSet = new Set(this.#stored);
    this.#links = new Set(linksAmong(bounds.kinds));
  }

  /** The node that stands for it: of a merged member, the surviving one. */
  async standingFor(nodes: readonly NodeId[]): Promise<NodeId[]> {
    await this.#know(nodes);
    return nodes.map((node) => this.#standing(node));
  }

  /** Other ids of the same person. */
  othersOf(node: NodeId): readonly NodeId[] {
    if (kindOfNode(node) !== 'member') return [];
    return this.#aliases(node).filter((alias) => alias !== node);
  }

  /** Whether the tenant has it: a record of its own, or something that names it. */
  async has(node: NodeId): Promise<boolean> {
    if (isRecordNode(node)) return (await this.recordsOf([node])).length > 0;
    const [standing = node] = await this.standingFor([node]);
    const hidden = this.#bounds.window.hidden;
    const targets = this.#aliases(standing).map((to) => ({ to, kinds: kindsInto(kindOfNode(to)) }));
    if ((await this.#deps.graph.intoAny(targets, { hidden }, 1)).length > 0) return true;
    return kindOfNode(standing) === 'member' && this.#deps.knows(idOfNode(standing));
  }

  /** Those of these that are records, and may be given out. */
  async recordsOf(nodes: readonly NodeId[]): Promise<readonly GraphRecord[]> {
    const fresh = nodes.filter((node) => isRecordNode(node) && !this.#records.has(node));
    for (let from = 0; from < fresh.length; from += MOST_ASKED) {
      const some = fresh.slice(from, from + MOST_ASKED);
      this.#keep(await this.#deps.graph.records(some));
      for (const node of some) if (!this.#records.has(node)) this.#records.set(node, null);
    }
    const found = nodes.flatMap((node) => this.#records.get(node) ?? []);
    await this.#judge(found);
    return found.filter(({ node }) => !this.#isWithheld(node));
  }

  /** What consent has kept back so far, and why. */
  withheld(): Withheld | null {
    return withheldOf([...this.#judged.values()]);
  }

  /**
   * Every edge at these nodes, up to about `most` records that lead into them: where there are more, each node shows its
   * newest in equal shares.
   */
  async edgesAt(nodes: readonly NodeId[], most: number): Promise<Expansion> {
    const targets = this.#targetsOf(nodes);
    const [records, into, links] = await Promise.all([
      this.recordsOf(nodes),
      this.#into(targets, most),
      this.#linksAt(nodes),
    ]);
    const wanted = new Set<NodeId>(targets.map(({ to }) => to));
    await this.#judge(into.records);
    const edges = [
      ...records.flatMap((record) => this.#outOf(record)),
      ...this.#shown(into.records).flatMap((record) => this.#outOf(record, wanted)),
      ...links.edges,
    ];
    return { edges: await this.#settled(edges), truncated: into.truncated || links.truncated };
  }

  /** Edges of the newest `limit` records that lead into a node, from a place on, and the place after them. */
  async newestInto(node: NodeId, limit: number, after?: RecordPlace): Promise<InPage> {
    const walks = this.#targetsOf([node]).map((target) =>
      this.#deps.graph.into(target, this.#bounds.window, limit, after),
    );
    const byNode = new Map((await Promise.all(walks)).flat().map((record) => [record.node, record]));
    const found = [...byNode.values()].sort(newestFirst).slice(0, limit);
    this.#keep(found);
    await this.#judge(found);
    const wanted = new Set<NodeId>(this.#aliases(node));
    const edges = this.#shown(found).flatMap((record) => this.#outOf(record, wanted));
    const last = found.length < limit ? undefined : found.at(-1);
    return {
      edges: await this.#settled(edges),
      next: last === undefined ? null : { atMs: last.at_ms, node: last.node },
    };
  }

  /** Edges that go out from these records, with those to events that name the same numbers. */
  async outOf(nodes: readonly NodeId[]): Promise<Expansion> {
    const [records, links] = await Promise.all([this.recordsOf(nodes), this.#linksAt(nodes)]);
    const edges = [...records.flatMap((record) => this.#outOf(record)), ...links.edges];
    return { edges: await this.#settled(edges), truncated: links.truncated };
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
    for (let from = 0; from < targets.length; from += MOST_TARGETS) {
      const some = targets.slice(from, from + MOST_TARGETS);
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

  /** A code that stands on every claim must not hide what else a walk would meet. */
  async #sharesOf(targets: readonly EdgeTarget[], most: number): Promise<GraphRecord[]> {
    const share = Math.max(1, Math.ceil(most / targets.length));
    const found: GraphRecord[] = [];
    for (let from = 0; from < Math.min(targets.length, MOST_HUBS); from += AT_ONCE) {
      const walks = targets
        .slice(from, from + AT_ONCE)
        .map((target) => this.#deps.graph.into(target, this.#bounds.window, share));
      for (const records of await Promise.all(walks)) found.push(...records);
    }
    return found;
  }

  async #linksAt(nodes: readonly NodeId[]): Promise<Expansion> {
    const events = nodes.filter((node) => kindOfNode(node) === 'event').map(idOfNode);
    const edges: GraphEdge[] = [];
    let truncated = false;
    for (let from = 0; this.#links.size > 0 && from < events.length; from += MOST_ASKED) {
      const answer = await this.#deps.linkedEvents.edgesOf(this.#deps.tenantId, events.slice(from, from + MOST_ASKED));
      truncated ||= answer.truncated;
      for (const { from: one, to: other, kind, at } of answer.edges) {
        const [fromNode, toNode] = [nodeOf('event', one), nodeOf('event', other)];
        const at_ms = instantOf(at) ?? 0;
        if (!fromNode || !toNode || !this.#links.has(kind as LinkEdgeKind) || !this.#isInTime(at_ms)) continue;
        edges.push({ from: fromNode, to: toNode, kind, at_ms, event_id: one });
      }
    }
    if (this.#bounds.purpose === null) return { edges, truncated };
    await this.recordsOf([...new Set(edges.flatMap(({ from, to }) => [from, to]))]);
    return { edges: edges.filter(({ from, to }) => !this.#isWithheld(from) && !this.#isWithheld(to)), truncated };
  }

  /** @param wanted targets; all of them unless told. */
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

  #isInTime(atMs: number): boolean {
    const { sinceMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY } = this.#bounds.window;
    return sinceMs <= atMs && atMs < untilMs;
  }

  /** Ends as the nodes that stand for them, each edge once; none to what is withheld. */
  async #settled(edges: readonly GraphEdge[]): Promise<readonly GraphEdge[]> {
    await this.#know(edges.map(({ to }) => to));
    if (this.#bounds.purpose !== null) await this.recordsOf(edges.map(({ to }) => to));
    const byKey = new Map<string, GraphEdge>();
    for (const edge of edges) {
      if (this.#isWithheld(edge.to)) continue;
      const to = this.#standing(edge.to);
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
    return (this.#judged.get(node) ?? null) !== null;
  }

  async #judge(records: readonly GraphRecord[]): Promise<void> {
    const { purpose } = this.#bounds;
    if (purpose === null) return;
    const fresh = records.filter(({ node }) => !this.#judged.has(node));
    for (let from = 0; from < fresh.length; from += MOST_ASKED) {
      const views = fresh.slice(from, from + MOST_ASKED).map((record) => ({ record, view: viewOfRecord(record) }));
      const member_ids = [...new Set(views.flatMap(({ view }) => view.member_ids))].slice(0, MOST_ASKED);
      const verdict = await this.#deps.consent.decide(this.#deps.tenantId, { ...purpose, member_ids });
      const asked = new Set(member_ids);
      for (const { record, view } of views) {
        // A matter that names more members than can be asked about at once is not judged: it is not given out.
        const isAsked = view.member_ids.every((id) => asked.has(id));
        this.#judged.set(record.node, isAsked ? verdict.withholds(view) : 'CONSENT_DENIED');
      }
    }
  }

  async #know(nodes: readonly NodeId[]): Promise<void> {
    const fresh = new Set(nodes.filter((node) => node.startsWith(MEMBER)).map(idOfNode));
    const unknown = [...fresh].filter((id) => !this.#people.has(id));
    for (let from = 0; from < unknown.length; from += MOST_ASKED) {
      const some = unknown.slice(from, from + MOST_ASKED);
      const found = await this.#deps.identities(some);
      for (const id of some) {
        const person = found.get(id) ?? [id];
        for (const each of person) this.#people.set(each, person);
      }
    }
  }

  #standing(node: NodeId): NodeId {
    if (!node.startsWith(MEMBER)) return node;
    return this.#aliases(node)[0] ?? node;
  }

  /** All nodes of the same person, the surviving one first; of anything else itself. */
  #aliases(node: NodeId): readonly NodeId[] {
    if (!node.startsWith(MEMBER)) return [node];
    const ids = this.#people.get(idOfNode(node)) ?? [];
    return ids.length <= 1 ? [node] : ids.flatMap((id) => nodeOf('member', id) ?? []);
  }
}

const newestFirst = (a: GraphRecord, b: GraphRecord): number =>
  b.at_ms - a.at_ms || (a.node < b.node ? 1 : a.node > b.node ? -1 : 0);
