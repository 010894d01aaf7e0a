import { BsonWriter } from '../bson/encode.js';
import type { RawRef } from '../bson/raw.js';
import { type BsonDoc, type BsonValue, isDoc } from '../bson/value.js';
import { MongoError } from '../errors.js';
import { compileMatcher, type MatchExpressions } from '../match/matcher.js';
import type { ArrayFilters } from './apply.js';
import type { UpdatePath } from './path.js';

/** Compiles `arrayFilters`: each speaks of one identifier, and each must be used by some path. */
export function compileArrayFilters(
  filters: readonly BsonValue[],
  paths: readonly UpdatePath[],
  expressions: MatchExpressions,
): ArrayFilters {
  const compiled = new Map<string, (element: RawRef) => boolean>();
  for (const filter of filters) {
    if (!isDoc(filter)) throw new MongoError('TypeMismatch', 'arrayFilters must hold objects');
    const identifier = identifierOf(filter);
    if (compiled.has(identifier)) {
      throw new MongoError(
        'FailedToParse',
        `Found multiple array filters with the same top-level field name ${identifier}`,
      );
    }
    compiled.set(identifier, elementTest(identifier, filter, expressions));
  }
  refuseMismatch(compiled, paths);
  return compiled;
}

function refuseMismatch(compiled: ArrayFilters, paths: readonly UpdatePath[]): void {
  const used = new Set<string>();
  for (const path of paths) {
    for (const step of path.steps) {
      if (step.kind !== 'filtered') continue;
      used.add(step.identifier);
      if (compiled.has(step.identifier)) continue;
      throw new MongoError(
        'BadValue',
        `No array filter found for identifier '${step.identifier}' in path '${path.text}'`,
      );
    }
  }
  for (const identifier of compiled.keys()) {
    if (used.has(identifier)) continue;
    throw new MongoError('FailedToParse', `The array filter for identifier '${identifier}' was not used in the update`);
  }
}

function identifierOf(filter: BsonDoc): string {
  const names = new Set(topNames(filter));
  const [identifier] = names;
  if (identifier === undefined) {
    throw new MongoError('FailedToParse', 'Cannot use an expression without a top-level field name in arrayFilters');
  }
  if (names.size > 1) {
    throw new MongoError(
      'FailedToParse',
      `Error parsing array filter :: caused by :: Expected a single top-level field name, found ${[...names].map((name) => `'${name}'`).join(' and ')}`,
    );
  }
  if (!/^[a-z][a-zA-Z0-9]*$/.test(identifier)) {
    throw new MongoError(
      'BadValue',
      `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${identifier}'`,
    );
  }
  return identifier;
}

function topNames(filter: BsonDoc): string[] {
  return [...filter].flatMap(([key, value]) => {
    if (!key.startsWith('$')) return [key.split('.')[0] ?? ''];
    return Array.isArray(value) ? value.filter(isDoc).flatMap(topNames) : [];
  });
}

/** The filter sees a document whose only field is the identifier with the element as its value. */
function elementTest(identifier: string, filter: BsonDoc, expressions: MatchExpressions): (element: RawRef) => boolean {
  const matcher = compileMatcher(filter, expressions);
  return (element) => {
    const writer = new BsonWriter(element.end - element.start + identifier.length + 16);
    const start = writer.open();
    writer.rawElement(identifier, element);
    writer.close(start);
    return matcher.matches(writer.finish());
  };
}
