import { asNumber } from '../bson/number.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { type Index, type IndexField, nameOfKey } from '../catalog/index-definition.js';
import type { Collation } from '../compare/collation.js';
import { fail, MongoError } from '../errors.js';
import { afterPrefix, cutBounds } from '../keystring/encode.js';
import type { MatchNode } from '../match/parse.js';
import { MAX_KEY_STRING_BYTES } from '../store/keys.js';
import type { TextSearch } from '../text/search.js';
import { textKey } from '../text/spec.js';
import { type IndexPlan, planIndex } from './index-plan.js';
import { coverageOf, type IndexAccess, type QueryPlan } from './plan.js';
import { implies, type Predicates, planPoint, predicatesOf } from './predicates.js';

export function textIndexOf(collection: Collection): Index | undefined {
  return collection.indexes.find((index) => index.spec.text && !index.building);
}

/** Plans `$text`: the text index finds the documents with any of the words, and the matcher tests each. */
function planText(
  collection: Collection,
  predicates: Predicates,
  search: TextSearch,
  blockingSort: boolean,
): QueryPlan {
  const index = textIndexOf(collection);
  const usable = index && (!index.partialMatcher || implies(predicates.conjuncts, index.partialMatcher.root));
  if (!usable) throw unusable();
  const prefix = search.spec.prefix.map((path) => {
    const leaf = predicates.byPath.get(path)?.find((one) => one.kind === 'eq');
    if (leaf?.kind !== 'eq') throw unusable();
    return leaf.value;
  });
  const ranges = [...search.query.terms]
    .map((term) => textKey(prefix, term))
    .sort(Buffer.compare)
    .map((key) => ({ ...cutBounds(key, afterPrefix(key), MAX_KEY_STRING_BYTES), point: false }));
  return { access: { kind: 'index', index, ranges, direction: 1 }, residual: true, blockingSort };
}

function unusable(): MongoError {
  return new MongoError(
    'NoQueryExecutionPlans',
    'failed to use text index to satisfy $text query (if text index is compound, are equality predicates given for all prefix fields?)',
  );
}

export interface PlanInput {
  readonly collection: Collection;
  readonly root: MatchNode;
  readonly sort: readonly IndexField[];
  readonly hint: BsonValue | undefined;
  readonly collation?: Collation | undefined;
  /** The `$text` of the filter. */
  readonly text?: TextSearch | undefined;
  /** The paths the command reads of each document; undefined for all of it. */
  readonly reads?: ReadonlySet<string> | undefined;
  /** Measures how many keys a plan would read; without it rules alone decide. */
  readonly probe?: ((access: IndexAccess) => number) | undefined;
}

/** Chooses a plan for a query, and whether keys alone answer it. */
export function planQuery(input: PlanInput): QueryPlan {
  const plan = choosePlan(input);
  const covered = input.reads && coverageOf(plan, input.root, input.reads);
  return covered ? { ...plan, covered } : plan;
}

/** Rules first: equalities, then the sort, then a range; between equal plans the number of keys decides. */
function choosePlan({ collection, root, sort, hint, collation, text, probe }: PlanInput): QueryPlan {
  if (root.kind === 'never') return { access: { kind: 'nothing' }, residual: false, blockingSort: false };
  if (text) {
    if (hint !== undefined) fail('BadValue', 'hint may not be used with $text');
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
    if (best.worth >= UNIQUE_SCORE / 2) return best.plan;
  }
  return best && probe ? shortest(best, others, sort, probe) : best?.plan;
}

interface Candidate {
  readonly plan: IndexPlan;
  readonly worth: number;
}

/** Plans with scores this close are compared by the keys they would read. */
const CLOSE_WORTH = 12;

function shortest(
  best: Candidate,
  others: readonly Candidate[],
  sort: readonly IndexField[],
  probe: NonNullable<PlanInput['probe']>,
): IndexPlan {
  // A limit may end an ordered scan early, so only plans that agree on the order are compared by keys.
  const rivals = others.filter(
    ({ plan, worth }) =>
      best.worth - worth < CLOSE_WORTH &&
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

/** The other possible plans, for explain. */
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

/** Checks names only, so that only promising indexes are planned. */
function mayHelp(index: Index, predicates: Predicates, sort: readonly IndexField[]): boolean {
  const [first] = index.fields;
  return (
    !index.spec.hidden &&
    first !== undefined &&
    (predicates.byPath.has(first.path) || sort.some(({ path }) => path === first.path))
  );
}

/** One document for each key: no plan is better. */
const UNIQUE_SCORE = 10_000;

function score(plan: IndexPlan, sort: readonly IndexField[]): number {
  const { index, ranges } = plan.access;
  if (ranges.length === 0) return Number.POSITIVE_INFINITY;
  if (index.unique && ranges.every((range) => range.point)) return UNIQUE_SCORE - ranges.length;
  const order = sort.length > 0 && plan.providesSort ? 15 : 0;
  // Between equal scores the narrower index, or a partial one, has less to read.
  const narrow = 1 / (index.fields.length + 1) + (index.partialMatcher ? 0.5 : 0);
  return plan.equalFields * 20 + (plan.rangeField ? 10 : 0) + order + narrow;
}

/** `$or`: when every branch (with the other predicates) has an index, the union of their results is the answer. */
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
    if (plans.every((plan) => plan !== undefined && (plan.equalFields > 0 || plan.rangeField)))
      return { kind: 'union', branches: plans.flatMap((plan) => (plan ? [plan.access] : [])) };
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
    fail(
      'BadValue',
      'error processing query: planner returned error: hint provided does not correspond to an existing index',
    );
  // A text index holds only words, so it cannot answer other queries.
  return (
    (index.spec.text ? undefined : planIndex(index, predicates, sort, true)) ??
    fail(291, `the hinted index '${index.name}' cannot answer this query`)
  );
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
