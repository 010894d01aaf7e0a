import { Int32, Long } from 'bson';
import { asNumber } from '../../bson/number.js';
import { BsonDoc, type BsonValue, toBson } from '../../bson/value.js';
import { projectedPaths } from '../../project/projection.js';
import type { Query } from './query.js';

interface LeadingQuery {
  readonly query: Query;
  /** Stages left for the pipeline. */
  readonly rest: readonly BsonValue[];
}

/**
 * The part of a pipeline that a query can answer: leading `$match` stages, then `$sort`, then `$skip` and `$limit` in
 * the order in which a query applies them. The query uses indexes; the remaining stages work on its results.
 */
export function leadingQuery(stages: readonly BsonValue[], hint: BsonValue | undefined): LeadingQuery {
  const filters: BsonDoc[] = [];
  let sort: BsonDoc | undefined;
  let skip = 0;
  let limit: number | undefined;
  let taken = 0;
  for (const stage of stages) {
    const [operator, argument] = operatorOf(stage);
    if (operator === '$match' && argument instanceof BsonDoc && !sort && skip === 0 && limit === undefined) {
      filters.push(argument);
    } else if (
      operator === '$sort' &&
      argument instanceof BsonDoc &&
      !sort &&
      skip === 0 &&
      limit === undefined &&
      isPlain(argument)
    ) {
      sort = argument;
    } else if (operator === '$skip' && isCount(argument, 0) && limit === undefined) {
      skip += asNumber(argument) ?? 0;
    } else if (operator === '$limit' && isCount(argument, 1)) {
      limit = Math.min(limit ?? Number.POSITIVE_INFINITY, asNumber(argument) ?? 1);
    } else break;
    taken += 1;
  }
  const [only] = filters;
  const filter =
    filters.length === 1 && only ? only : filters.length === 0 ? new BsonDoc() : BsonDoc.of({ $and: filters });
  const rest = stages.slice(taken);
  return { query: { filter, sort, hint, skip, limit, reads: readsOf(rest) }, rest };
}

/**
 * The fields that the remaining stages read, where that is easy to say: none for a count, listed ones for a
 * `$project`.
 */
function readsOf(rest: readonly BsonValue[]): ReadonlySet<string> | undefined {
  if (countShape(rest)) return new Set();
  const [operator, argument] = operatorOf(rest[0] ?? null);
  return operator === '$project' && argument instanceof BsonDoc ? projectedPaths(argument) : undefined;
}

function operatorOf(stage: BsonValue): readonly [string | undefined, BsonValue | undefined] {
  return stage instanceof BsonDoc && stage.size === 1 ? [stage.keys[0], stage.values[0]] : [undefined, undefined];
}

/** Whether the sort has directions only; the pipeline rejects `$meta`. */
function isPlain(sort: BsonDoc): boolean {
  return sort.size > 0 && sort.values.every((value) => Math.abs(asNumber(value) ?? 0) === 1);
}

function isCount(value: BsonValue | undefined, least: number): boolean {
  const number = asNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= least;
}

/** A pipeline that ends in a count; makes the result document of a count. */
type CountShape = (n: number) => BsonDoc | undefined;

/**
 * Recognises `$count`, and the `$group` with one constant key and one `$sum: 1` that drivers send for countDocuments.
 * Both count keys where the rest of the query allows it.
 */
export function countShape(stages: readonly BsonValue[]): CountShape | undefined {
  const [stage] = stages;
  if (stages.length !== 1 || !(stage instanceof BsonDoc) || stage.size !== 1) return undefined;
  const [argument] = stage.values;
  if (stage.keys[0] === '$count') return typeof argument === 'string' ? named(argument) : undefined;
  return stage.keys[0] === '$group' && argument instanceof BsonDoc ? grouped(argument) : undefined;
}

function named(field: string): CountShape | undefined {
  if (field === '' || field.startsWith('$') || field.includes('.')) return undefined;
  return (n) => (n === 0 ? undefined : new BsonDoc([field], [numberOf(n)]));
}

function grouped(group: BsonDoc): CountShape | undefined {
  const [key, sum] = group.values;
  const [keyName, sumName] = group.keys;
  if (group.size !== 2 || keyName !== '_id' || sumName === undefined || !(sum instanceof BsonDoc)) return undefined;
  const [one] = sum.values;
  const isOne = sum.size === 1 && sum.keys[0] === '$sum' && one instanceof Int32 && one.value === 1;
  const isConstant = key === null || key instanceof Int32;
  if (!isOne || !isConstant) return undefined;
  return (n) => (n === 0 ? undefined : new BsonDoc(['_id', sumName], [key, numberOf(n)]));
}

/** A sum of int32 stays int32 while it fits. */
function numberOf(n: number): BsonValue {
  return n <= 0x7fff_ffff ? new Int32(n) : Long.fromNumber(n);
}

/**
 * `$meta: 'textScore'` in pipelines. Each document carries its score in a field that no client names by accident.
 * Stages that use the metadata are rewritten to use that field, and the last stage removes it.
 */
const SCORE_FIELD = '\u0001textScore';

function isScore(value: BsonValue | undefined): boolean {
  return value instanceof BsonDoc && value.size === 1 && value.keys[0] === '$meta' && value.values[0] === 'textScore';
}

export function mentionsScore(value: BsonValue | undefined): boolean {
  if (isScore(value)) return true;
  if (Array.isArray(value)) return value.some(mentionsScore);
  return value instanceof BsonDoc && value.values.some(mentionsScore);
}

/** Rewrites the stages for documents that carry their score. */
export function overScoreField(stages: readonly BsonValue[]): BsonValue[] {
  const rewritten = stages.map(rewriteStage);
  const last = rewritten.at(-1);
  const writes = last instanceof BsonDoc && (last.keys[0] === '$out' || last.keys[0] === '$merge');
  rewritten.splice(writes ? -1 : rewritten.length, 0, new BsonDoc(['$unset'], [SCORE_FIELD]));
  return rewritten;
}

function rewriteStage(stage: BsonValue): BsonValue {
  if (!(stage instanceof BsonDoc)) return stage;
  const [name, argument] = [stage.keys[0], stage.values[0]];
  if (name === '$sort' && argument instanceof BsonDoc) return new BsonDoc(['$sort'], [rewriteSort(argument)]);
  const inner = overScoreIn(stage);
  const projection = inner.values[0];
  if (name !== '$project' || !(projection instanceof BsonDoc) || !includes(projection)) return inner;
  // A projection keeps metadata.
  return new BsonDoc(['$project'], [new BsonDoc([...projection.keys, SCORE_FIELD], [...projection.values, toBson(1)])]);
}

/** A sort by score is always descending. */
function rewriteSort(sort: BsonDoc): BsonDoc {
  const out = new BsonDoc();
  for (const [path, direction] of sort) {
    if (isScore(direction)) out.append(SCORE_FIELD, toBson(-1));
    else out.append(path, direction);
  }
  return out;
}

function includes(projection: BsonDoc): boolean {
  return [...projection].some(([path, value]) => path !== '_id' && includesField(value));
}

/** Whether a value of a projection includes its field. */
export function includesField(value: BsonValue): boolean {
  return value !== false && !(value !== null && typeof value === 'object' && 'value' in value && value.value === 0);
}

/** Replaces the metadata in a value by the score field. */
function overScore(value: BsonValue): BsonValue {
  if (isScore(value)) return `$${SCORE_FIELD}`;
  if (Array.isArray(value)) return value.map(overScore);
  return value instanceof BsonDoc ? overScoreIn(value) : value;
}

/** Replaces the metadata in the values of a document by the score field. */
export function overScoreIn(doc: BsonDoc): BsonDoc {
  return new BsonDoc([...doc.keys], doc.values.map(overScore));
}

/** Appends the score to a document as its last field. */
export function withScore(raw: Buffer, score: number): Buffer {
  const name = Buffer.from(`\u0001${SCORE_FIELD}\0`, 'latin1');
  const out = Buffer.allocUnsafe(raw.length + name.length + 8);
  raw.copy(out, 0, 0, raw.length - 1);
  name.copy(out, raw.length - 1);
  out.writeDoubleLE(score, raw.length - 1 + name.length);
  out[out.length - 1] = 0;
  out.writeInt32LE(out.length, 0);
  return out;
}
