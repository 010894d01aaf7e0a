import { BsonDoc, type BsonValue } from '../bson/value.js';
import { asNumber } from '../catalog/bson-arguments.js';
import { projectedPaths } from '../project/plain.js';
import { countShape } from './aggregate-count.js';
import type { Query } from './query-parts.js';

export interface LeadingQuery {
  readonly query: Query;
  /** Stages left for the pipeline. */
  readonly rest: readonly BsonValue[];
}

/**
 * The beginning of a pipeline that a query can answer: `$match`es, then a `$sort`, then `$skip` and `$limit` in the
 * order a query applies them. What is taken here uses indexes; the rest works on its results.
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

/** What the stages left over read of a document, where that is easily told: a count nothing, a `$project` its fields. */
function readsOf(rest: readonly BsonValue[]): ReadonlySet<string> | undefined {
  if (countShape(rest)) return new Set();
  const [operator, argument] = operatorOf(rest[0] ?? null);
  return operator === '$project' && argument instanceof BsonDoc ? projectedPaths(argument) : undefined;
}

function operatorOf(stage: BsonValue): readonly [string | undefined, BsonValue | undefined] {
  return stage instanceof BsonDoc && stage.size === 1 ? [stage.keys[0], stage.values[0]] : [undefined, undefined];
}

/** Directions alone; `$meta` is the pipeline's to refuse. */
function isPlain(sort: BsonDoc): boolean {
  return sort.size > 0 && sort.values.every((value) => Math.abs(asNumber(value) ?? 0) === 1);
}

function isCount(value: BsonValue | undefined, least: number): boolean {
  const number = asNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= least;
}
