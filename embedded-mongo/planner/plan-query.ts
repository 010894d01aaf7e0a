import { BsonDoc, type BsonValue } from '../bson/value.js';
import { asNumber } from '../catalog/bson-arguments.js';
import type { Collection } from '../catalog/collection.js';
import { type Index, type IndexField, nameOfKey } from '../catalog/index-definition.js';
import type { Collation } from '../compare/collation.js';
import { MongoError } from '../errors.js';
import type { MatchNode } from '../match/node.js';
import type { TextSearch } from '../text/text-search.js';
import { coverageOf } from './coverage.js';
import { type IndexPlan, planIndex } from './index-plan.js';
import type { IndexAccess, QueryPlan } from './plan.js';
import { planPoint } from './point-plan.js';
import { type Predicates, predicatesOf } from './predicates.js';
import { planText } from './text-plan.js';

export interface PlanInput {
  readonly collection: Collection;
  readonly root: MatchNode;
  readonly sort: readonly IndexField[];
  readonly hint: BsonValue | undefined;
  readonly collation?: Collation | undefined;
  /** The filter's `$text`. */
  readonly text?: TextSearch | undefined;
  /** The paths the command reads of each document; undefined for all of it. */
  readonly reads?: ReadonlySet<string> | undefined;
  /** Looks into the store how much a plan would read; without it rules alone decide. */
  readonly probe?: ((access: IndexAccess) => number) | undefined;
}

/** Chooses how to answer a query, and whether from keys alone. */
export function planQuery(input: PlanInput): QueryPlan {
  const plan = choosePlan(input);
  const covered = input.reads && coverageOf(plan, input.root, input.reads);
  return covered ? { ...plan, covered } : plan;
}

/** Rules first: equalities, then the sort, then a range; a look at the keys between likes. */
function choosePlan({ collection, root, sort, hint, collation, text, probe }: PlanInput): QueryPlan {
  if (root.kind === 'never') return { access: { kind: 'nothing' }, residual: false, blockingSort: false };
  if (text) {
    if (hint !== undefined) throw new MongoError('BadValue', 'hint may not be used with $text');
    return planText(collection, predicatesOf(root, collation), text, sort.length > 0);
  }
  const point = sort.length === 0 && hint === undefined && !collation ? planPoint(collection, root) : undefined;
  if (point) return point;
  const natural = naturalDirection(sort, '$natural') ?? naturalHint(hint);
  if (natural !== undefined)
    return scanPlan(
      root,
      natural,
      sort.some(({ path }) => path !== '$natural'),
    );
  const predicates = predicatesOf(root, collation);
  if (hint !== undefined) return finish(hintedPlan(collection, hint, predicates, sort), predicates);
  const best = bestIndex(collection.readyIndexes, predicates, sort, probe);
  if (best && isWorth(best, sort)) return finish(best, predicates);
  const union = planUnion(collection, predicates, probe);
  if (union) return { access: union, residual: true, blockingSort: sort.length > 0 };
  return scanPlan(root, 1, sort.length > 0);
}

function scanPlan(root: MatchNode, direction: 1 | -1, blockingSort: boolean): QueryPlan {
  const all = root.kind === 'and' && root.children.length === 0;
  return { access: { kind: 'collection', direction }, residual: !all, blockingSort };
}

function finish(plan: IndexPlan, predicates: Predicates): QueryPlan {
  const residual = predicates.conjuncts.some((node) => !('path' in node && plan.covered.has(node)));
  return { access: plan.access, residual, blockingSort: !plan.providesSort };
}

/** An index without a predicate on it is only worth reading for its order. */
function isWorth(plan: IndexPlan, sort: readonly IndexField[]): boolean {
  return plan.equalFields > 0 || plan.rangeField || (sort.length > 0 && plan.providesSort);
}

function bestIndex(
  indexes: readonly Index[],
  predicates: Predicates,
  sort: readonly IndexField[],
  probe: PlanInput['probe'],
): IndexPlan | undefined {
  let best: Candidate | undefined;
  const others: Candidate[] = [];
  for (const index of indexes) {
    if (!mayHelp(index, predicates, sort)) continue;
    const plan = planIndex(index, predicates, sort, false);
    if (!plan) continue;
    const candidate = { plan, worth: score(plan, sort) };
    if (best && candidate.worth <= best.worth) others.push(candidate);
    else {
      if (best) others.push(best);
      best = candidate;
    }
    if (best.worth >= uniqueScore / 2) return best.plan;
  }
  return best && probe ? shortest(best, others, sort, probe) : best?.plan;
}

interface Candidate {
  readonly plan: IndexPlan;
  readonly worth: number;
}

/** Plans this close by the rules are told apart by the keys they would read. */
const closeWorth = 12;

function shortest(
  best: Candidate,
  others: readonly Candidate[],
  sort: readonly IndexField[],
  probe: NonNullable<PlanInput['probe']>,
): IndexPlan {
  // Keys read count for little where a limit may end an ordered scan early: only plans alike in that are compared.
  const rivals = others.filter(
    ({ plan, worth }) =>
      best.worth - worth < closeWorth &&
      plan.equalFields + (plan.rangeField ? 1 : 0) > 0 &&
      (sort.length === 0 || plan.providesSort === best.plan.providesSort),
  );
  if (rivals.length === 0) return best.plan;
  let chosen = best.plan;
  let keys = probe(best.plan.access);
  for (const { plan } of rivals) {
    const needed = probe(plan.access);
    if (needed >= keys) continue;
    chosen = plan;
    keys = needed;
  }
  return chosen;
}

/** What else could have answered, for explain. */
export function rejectedPlans({ collection, root, sort, collation, text }: PlanInput, chosen: QueryPlan): QueryPlan[] {
  if (text) return [];
  const predicates = predicatesOf(root, collation);
  const winner = chosen.access.kind === 'index' ? chosen.access.index : undefined;
  return collection.readyIndexes
    .filter((index) => index !== winner && mayHelp(index, predicates, sort))
    .flatMap((index) => planIndex(index, predicates, sort, false) ?? [])
    .filter((plan) => isWorth(plan, sort))
    .map((plan) => finish(plan, predicates));
}

/** A look at the names alone, to plan in earnest only what has a chance. */
function mayHelp(index: Index, predicates: Predicates, sort: readonly IndexField[]): boolean {
  const [first] = index.fields;
  return (
    !index.spec.hidden &&
    first !== undefined &&
    (predicates.byPath.has(first.path) || sort.some(({ path }) => path === first.path))
  );
}

/** One document per key: nothing is better. */
const uniqueScore = 10_000;

function score(plan: IndexPlan, sort: readonly IndexField[]): number {
  const { index, ranges } = plan.access;
  if (ranges.length === 0) return Number.POSITIVE_INFINITY;
  if (index.unique && ranges.every((range) => range.point)) return uniqueScore - ranges.length;
  const order = sort.length > 0 && plan.providesSort ? 15 : 0;
  // Between equals the narrower index, and a partial one, has less to read.
  const narrow = 1 / (index.fields.length + 1) + (index.partialMatcher ? 0.5 : 0);
  return plan.equalFields * 20 + (plan.rangeField ? 10 : 0) + order + narrow;
}

/** `$or`: when every branch (with what else must hold) has an index, their results together are the answer. */
function planUnion(
  collection: Collection,
  predicates: Predicates,
  probe: PlanInput['probe'],
): { kind: 'union'; branches: IndexAccess[] } | undefined {
  for (const branches of predicates.ors) {
    const others = predicates.conjuncts.filter((node) => !(node.kind === 'or' && node.children === branches));
    const plans = branches.map((branch) =>
      bestIndex(
        collection.readyIndexes,
        predicatesOf({ kind: 'and', children: flatten([branch, ...others]) }, predicates.collation),
        [],
        probe,
      ),
    );
    if (plans.every((plan) => plan !== undefined && (plan.equalFields > 0 || plan.rangeField))) {
      return { kind: 'union', branches: plans.flatMap((plan) => (plan ? [plan.access] : [])) };
    }
  }
  return undefined;
}

function flatten(nodes: readonly MatchNode[]): MatchNode[] {
  return nodes.flatMap((node) => (node.kind === 'and' ? node.children : [node]));
}

function hintedPlan(
  collection: Collection,
  hint: BsonValue,
  predicates: Predicates,
  sort: readonly IndexField[],
): IndexPlan {
  const index = collection.readyIndexes.find((candidate) => !candidate.spec.hidden && isHinted(candidate, hint));
  if (!index)
    throw new MongoError(
      'BadValue',
      'error processing query: planner returned error: hint provided does not correspond to an existing index',
    );
  // A text index holds words only; other queries cannot be answered by it.
  const plan = index.spec.text ? undefined : planIndex(index, predicates, sort, true);
  if (!plan) throw new MongoError(291, `the hinted index '${index.name}' cannot answer this query`);
  return plan;
}

function isHinted(index: Index, hint: BsonValue): boolean {
  if (typeof hint === 'string') return index.name === hint;
  return hint instanceof BsonDoc && nameOfKey(hint) === nameOfKey(index.spec.key);
}

function naturalHint(hint: BsonValue | undefined): 1 | -1 | undefined {
  const direction = hint instanceof BsonDoc ? asNumber(hint.get('$natural')) : undefined;
  if (direction === undefined) return hint === '$natural' ? 1 : undefined;
  return direction < 0 ? -1 : 1;
}

function naturalDirection(sort: readonly IndexField[], name: string): 1 | -1 | undefined {
  return sort.find(({ path }) => path === name)?.direction;
}
