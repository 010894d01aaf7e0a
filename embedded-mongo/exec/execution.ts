import { asNumber } from '../bson/number.js';
import { BsonDoc } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import type { Collation } from '../compare/collation.js';
import { SortedRuns } from '../compare/sorted-runs.js';
import { fail } from '../errors.js';
import { compileSortOrder } from '../keystring/collated.js';
import { regexNeedsPause } from '../match/guarded-regex.js';
import type { Matcher } from '../match/matcher.js';
import type { Access, IndexAccess, QueryPlan } from '../planner/plan.js';
import type { DocumentStore } from '../store/document-store.js';
import type { Bytes } from '../store/environment.js';
import type { TextSearch } from '../text/search.js';
import { IndexScan } from './index-scan.js';
import { KeyDocument } from './key-document.js';
import type { TimeSlice } from './operation.js';
import { CollectionScan, type DocumentScan, UnionScan } from './scans.js';

/** A document's place in a sort: its sort key, and its rid for reading it again. Documents are not held. */
interface SortEntry {
  readonly key: Buffer;
  readonly rid: number;
  /** Order of arrival: equal keys keep it. */
  readonly arrival: number;
}

/** The limit of held keys in bytes. Above it the query is rejected (MongoDB's limit is 100 MB too). */
const MAX_SORT_BYTES = 100 * 1024 * 1024;
const ENTRY_OVERHEAD_BYTES = 48;

/** Collects sort keys and returns the rids in order; with a limit it keeps only the first `limit`. */
class Sorter {
  readonly #runs: SortedRuns<SortEntry>;
  #arrivals = 0;
  #heldBytes = 0;

  constructor(limit: number | undefined, compareKeys: (a: Buffer, b: Buffer) => number) {
    this.#runs = new SortedRuns((a, b) => compareKeys(a.key, b.key) || a.arrival - b.arrival, limit);
  }

  /** Returns false above the memory limit. */
  add(key: Buffer, rid: number): boolean {
    const pushedOut = this.#runs.add({ key, rid, arrival: this.#arrivals++ });
    this.#heldBytes += key.length + ENTRY_OVERHEAD_BYTES;
    if (pushedOut) this.#heldBytes -= pushedOut.key.length + ENTRY_OVERHEAD_BYTES;
    return this.#heldBytes <= MAX_SORT_BYTES;
  }

  /** Call until it returns true; then `next` returns the entries. */
  settle(): boolean {
    return this.#runs.settle();
  }

  next(): SortEntry | undefined {
    return this.#runs.next();
  }
}

interface StoreAccess {
  readonly store: DocumentStore;
  readonly data: Bytes;
}

interface ExecutionInput {
  readonly collection: Collection;
  readonly plan: QueryPlan;
  readonly matcher: Matcher;
  readonly text?: TextSearch | undefined;
  readonly sort: BsonDoc | undefined;
  readonly collation?: Collation | undefined;
  readonly skip: number;
  /** Undefined for all. */
  readonly limit: number | undefined;
}

/** `again`: no document yet, but a good moment to check the clock and yield. */
type Step = 'document' | 'again' | 'done';

const DOCUMENTS_PER_STEP = 128;
const NO_INDEXES: readonly IndexAccess[] = [];

interface FromKeys {
  readonly scan: IndexScan;
  readonly document: KeyDocument;
}

/** Runs one plan step by step. It may be suspended between steps for any time. */
export class Execution {
  readonly #scan: DocumentScan;
  readonly #sorter: Sorter | undefined;
  readonly #sortKey: ((raw: Buffer) => Buffer) | undefined;
  #phase: 'gathering' | 'settling' | 'giving';
  /** After a pause, sorted documents are matched again because they may have changed. */
  #paused = false;
  /** Documents that passed the filter, before skip and limit. */
  matched = 0;
  #skipLeft: number;
  #limitLeft: number;
  #current: { rid: number; raw: Buffer };
  /** Set for a plan that is answered from keys. */
  readonly #fromKeys: FromKeys | undefined;
  readonly #access: StoreAccess;
  readonly #input: ExecutionInput;

  constructor(access: StoreAccess, input: ExecutionInput) {
    this.#access = access;
    this.#input = input;
    const { plan, sort, skip, limit } = input;
    this.#scan = openScan(access, input.collection, plan.access);
    this.#current = this.#scan;
    if (plan.covered && this.#scan instanceof IndexScan && plan.access.kind === 'index')
      this.#fromKeys = { scan: this.#scan, document: new KeyDocument(plan.access.index, plan.covered) };
    this.#skipLeft = skip;
    this.#limitLeft = limit ?? Number.POSITIVE_INFINITY;
    this.#phase = plan.blockingSort && sort ? 'gathering' : 'giving';
    if (plan.blockingSort && sort) {
      const order = compileSortOrder(sortFields(sort), input.collation);
      this.#sorter = new Sorter(limit === undefined ? undefined : limit + skip, order.compare);
      this.#sortKey = order.keyOf;
    }
  }

  /** Of the document the last step gave; `raw` is valid only until the next step. */
  get rid(): number {
    return this.#current.rid;
  }

  get raw(): Buffer {
    return this.#current.raw;
  }

  /** The score of the current document for the query's `$text`. */
  textScore(): number {
    return this.#input.text?.score(this.raw) ?? 0;
  }

  get matcher(): Matcher {
    return this.#input.matcher;
  }

  get keysExamined(): number {
    return this.#scan.keysExamined;
  }

  get docsExamined(): number {
    return this.#scan.docsExamined;
  }

  /** Of each branch of a union. */
  get branches(): readonly DocumentScan[] {
    return this.#scan instanceof UnionScan ? this.#scan.branches : [];
  }

  step(): Step {
    if (this.#limitLeft <= 0) return 'done';
    this.#checkAlive();
    if (this.#sorter && this.#phase !== 'giving') return this.#arrange(this.#sorter);
    for (let n = 0; n < DOCUMENTS_PER_STEP && !regexNeedsPause(); n++) {
      const moved = this.#sorter ? this.#nextSorted(this.#sorter) : this.#nextMatching();
      if (moved === 'done') return 'done';
      if (moved === 'again') continue;
      if (this.#skipLeft > 0) {
        this.#skipLeft -= 1;
        continue;
      }
      this.#limitLeft -= 1;
      return 'document';
    }
    return 'again';
  }

  suspend(): void {
    this.#scan.suspend();
    this.#paused = true;
  }

  /** Whether the current document of the scan is gone. */
  lostPosition(): boolean {
    const { rid } = this.#scan;
    return rid > 0 && this.#access.store.peek(this.#input.collection.id, rid) === undefined;
  }

  /** A silent end would present partial results as complete. */
  #checkAlive(): void {
    const { collection, plan } = this.#input;
    if (collection.dropped) fail('QueryPlanKilled', 'the collection was dropped during the query');
    const { access } = plan;
    const indexes = access.kind === 'index' ? [access] : access.kind === 'union' ? access.branches : NO_INDEXES;
    for (const { index } of indexes) {
      // A replaced index does not learn about its own drop: the collection knows whether its entries are kept.
      if (index.dropped || (index.outdated && !collection.indexes.some(({ id }) => id === index.id)))
        fail('QueryPlanKilled', `the index ${index.name} was dropped during the query`);
    }
  }

  #nextMatching(): Step {
    if (this.#fromKeys) return this.#nextKey(this.#fromKeys);
    if (!this.#scan.next()) return 'done';
    if (this.#scan.repeated || !this.#matches(this.#scan.raw)) return 'again';
    this.matched += 1;
    return 'document';
  }

  /** Returns a document made from its key, or the stored one where the key is not enough. */
  #nextKey({ scan, document }: FromKeys): Step {
    if (!scan.nextRid()) return 'done';
    if (scan.repeated) return 'again';
    const made = document.read(scan.keyString());
    if (made) this.#current = { rid: scan.rid, raw: made };
    else if (!scan.fetch()) return 'again';
    else this.#current = scan;
    if (!this.#matches(this.#current.raw)) return 'again';
    this.matched += 1;
    return 'document';
  }

  #matches(raw: Buffer): boolean {
    const { plan, matcher } = this.#input;
    return !plan.residual || matcher.matches(raw);
  }

  /** One step of the sort; no document is ready yet. */
  #arrange(sorter: Sorter): Step {
    if (this.#phase === 'gathering') return this.#gather(sorter);
    if (sorter.settle()) this.#phase = 'giving';
    return 'again';
  }

  #gather(sorter: Sorter): Step {
    for (let n = 0; n < DOCUMENTS_PER_STEP && !regexNeedsPause(); n++) {
      if (!this.#scan.next()) {
        this.#phase = 'settling';
        return 'again';
      }
      if (this.#scan.repeated) return 'again';
      if (!this.#matches(this.#scan.raw)) continue;
      this.matched += 1;
      const key = this.#sortKey?.(this.#scan.raw) ?? this.#scan.raw;
      if (!sorter.add(key, this.#scan.rid))
        fail(
          'QueryExceededMemoryLimitNoDiskUseAllowed',
          `Sort exceeded memory limit of ${MAX_SORT_BYTES} bytes; add an index that provides the order, or a limit`,
        );
    }
    return 'again';
  }

  #nextSorted(sorter: Sorter): Step {
    const entry = sorter.next();
    if (!entry) return 'done';
    const raw = this.#access.store.peek(this.#input.collection.id, entry.rid);
    if (!raw) return 'again';
    if (this.#paused && !this.#input.matcher.matches(raw)) return 'again';
    this.#current = { rid: entry.rid, raw };
    return 'document';
  }
}

/** Visits every document of an execution, with pauses for other work. */
export async function eachDocument(
  execution: Execution,
  slice: TimeSlice,
  visit: (raw: Buffer) => void,
): Promise<void> {
  for (let step = execution.step(); step !== 'done'; step = execution.step()) {
    if (step === 'document') visit(execution.raw);
    if (slice.isOver()) await slice.breathe(() => execution.suspend());
  }
  execution.suspend();
}

function openScan(access: StoreAccess, collection: Collection, how: Access): DocumentScan {
  const { store, data } = access;
  const ofIndex = (index: IndexAccess) =>
    new IndexScan(store, data, collection, index.index, index.ranges, index.direction);
  switch (how.kind) {
    case 'collection':
      return new CollectionScan(store, data, collection, how.direction);
    case 'index':
      return ofIndex(how);
    case 'union':
      return new UnionScan(how.branches.map(ofIndex));
    case 'nothing':
      return new UnionScan([]);
  }
}

/** Sort fields with their directions; `$meta` and anything but 1 and -1 is refused, as MongoDB does. */
export function sortFields(sort: BsonDoc): { path: string; direction: 1 | -1 }[] {
  return sort.keys.map((path, i) => {
    const value = sort.values[i];
    if (value instanceof BsonDoc) fail('BadValue', `$meta sort of '${path}' is not supported`);
    const direction = asNumber(value);
    if (direction !== 1 && direction !== -1)
      fail(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    return { path, direction };
  });
}
