import { decodeRef } from '../../bson/decode.js';
import { compilePath, ElementCursor, findField, type Path, RawRef } from '../../bson/raw.js';
import { BsonDoc, type BsonValue, T } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import { itemAt } from '../../checked-access.js';
import type { Collation } from '../../compare/collation.js';
import { type Execution, eachDocument } from '../../exec/execution.js';
import { countIndexEntries } from '../../exec/index-scan.js';
import { TimeSlice } from '../../exec/operation.js';
import { ValueMap } from '../../keystring/value-map.js';
import { countsKeys } from '../../planner/plan.js';
import * as arg from '../arguments.js';
import { type Command, missingField, okReply, type ServerContext } from '../command.js';
import { collationOf, execute, matcherFor, plan, type Query, scopeOf } from './query.js';

const COUNT_OPTIONS = ['query', 'limit', 'skip', 'hint', 'collation', 'fields'] as const;

export const COUNT_COMMAND: Command = {
  name: 'count',
  options: COUNT_OPTIONS,
  run: async ({ context, request, operation }) => {
    const { body, db } = request;
    const query = countQueryOf(context, body);
    const collection = context.catalog.get(db, arg.collection(request));
    if (!collection) {
      matcherFor(query.filter, query.scope);
      return okReply({ n: 0 });
    }
    return okReply({
      n: await countDocuments(context, collection, query, new TimeSlice(context.system, operation)),
    });
  },
};

export function countQueryOf(context: ServerContext, body: BsonDoc): Query {
  const limit = Math.abs(arg.integer(body, 'limit') ?? 0);
  return {
    filter: arg.doc(body, 'query') ?? new BsonDoc(),
    sort: undefined,
    hint: body.get('hint'),
    skip: arg.count(body, 'skip') ?? 0,
    limit: limit === 0 ? undefined : limit,
    reads: new Set(),
    scope: scopeOf(context, body),
  };
}

/** Documents counted between two clock checks. */
const DOCUMENTS_PER_LOOK = 128;

/** Counts without reading documents where the counter or the keys suffice. */
export async function countDocuments(
  context: ServerContext,
  collection: Collection,
  query: Query,
  slice: TimeSlice,
): Promise<number> {
  const window = (total: number) => Math.min(Math.max(0, total - query.skip), query.limit ?? Number.POSITIVE_INFINITY);
  if (query.filter.size === 0 && query.hint === undefined) return window(collection.counters.documents);
  const chosen = plan(context, collection, query).plan;
  const { access } = chosen;
  if (access.kind === 'nothing') return 0;
  if (access.kind === 'index' && countsKeys(chosen))
    return window(await countIndexEntries(context.env.data, access, slice));
  return countSteps(execute(context, collection, query), slice);
}

async function countSteps(execution: Execution, slice: TimeSlice): Promise<number> {
  let n = 0;
  try {
    for (let step = execution.step(); step !== 'done'; step = execution.step()) {
      if (step === 'document') n += 1;
      if (step === 'again' || n % DOCUMENTS_PER_LOOK === 0) await slice.breathe(() => execution.suspend());
    }
  } finally {
    execution.suspend();
  }
  return n;
}

/** Collects the `distinct` values of a path: array elements singly, equal numbers of other types as one. */
export class DistinctValues {
  readonly #found: ValueMap<BsonValue>;
  readonly #path: Path;

  constructor(path: string, collation?: Collation) {
    this.#found = new ValueMap(collation);
    this.#path = compilePath(path);
  }

  add(raw: Buffer): void {
    this.#walk(RawRef.document(raw), 0);
  }

  values(): BsonValue[] {
    return [...this.#found.items];
  }

  #walk(at: RawRef, step: number): void {
    if (step === this.#path.length) {
      if (at.type === T.array) this.#each(at, (element) => this.#keep(element));
      else this.#keep(at);
      return;
    }
    const { bytes, index } = itemAt(this.#path, step);
    if (at.type === T.array) {
      this.#each(at, (element, position) => {
        if (element.type === T.object) this.#walk(element, step);
        if (position === index) this.#walk(element, step + 1);
      });
      return;
    }
    const value = new RawRef();
    if (at.type === T.object && findField(at.buffer, at.start, bytes, value)) this.#walk(value, step + 1);
  }

  #each(array: RawRef, visit: (element: RawRef, position: number) => void): void {
    const cursor = new ElementCursor(array.buffer, array.start);
    for (let at = 0; cursor.next(); at++) visit(cursor.into(new RawRef()), at);
  }

  #keep(value: RawRef): void {
    this.#found.entryOf(
      value,
      () => decodeRef(value),
      (one) => one,
    );
  }
}

export const DISTINCT_COMMAND: Command = {
  name: 'distinct',
  options: ['key', 'query', 'hint', 'collation'],
  run: async ({ context, request, operation }) => {
    const { body, db } = request;
    const path = arg.string(body, 'key') || missingField('distinct.key');
    const filter = arg.doc(body, 'query') ?? new BsonDoc();
    const collection = context.catalog.get(db, arg.collection(request));
    const scope = scopeOf(context, body);
    const distinct = new DistinctValues(path, collationOf(collection, scope));
    if (!collection) matcherFor(filter, scope);
    else {
      const slice = new TimeSlice(context.system, operation);
      const query = {
        filter,
        sort: undefined,
        hint: body.get('hint'),
        skip: 0,
        limit: undefined,
        scope,
        reads: new Set([path]),
      };
      await eachDocument(execute(context, collection, query), slice, (raw) => distinct.add(raw));
    }
    return okReply({ values: distinct.values() });
  },
};
