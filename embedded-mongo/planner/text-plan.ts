import type { Collection } from '../catalog/collection.js';
import type { Index } from '../catalog/index-definition.js';
import { MongoError } from '../errors.js';
import { afterPrefix, cutBounds } from '../keystring/encode.js';
import { maxKeyStringBytes } from '../store/keys.js';
import { textKey } from '../text/text-keys.js';
import type { TextSearch } from '../text/text-search.js';
import { implies } from './implication.js';
import type { QueryPlan } from './plan.js';
import type { Predicates } from './predicates.js';

export function textIndexOf(collection: Collection): Index | undefined {
  return collection.indexes.find((index) => index.spec.text && !index.building);
}

/** `$text` always goes by the text index: its words are looked up, and their documents matched. */
export function planText(
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
    .map((key) => ({ ...cutBounds(key, afterPrefix(key), maxKeyStringBytes), point: false }));
  return { access: { kind: 'index', index, ranges, direction: 1 }, residual: true, blockingSort };
}

function unusable(): MongoError {
  return new MongoError(
    'NoQueryExecutionPlans',
    'failed to use text index to satisfy $text query (if text index is compound, are equality predicates given for all prefix fields?)',
  );
}
