import { BsonDoc } from '../bson/value.js';
import { asNumber } from '../catalog/bson-arguments.js';
import type { Collection } from '../catalog/collection.js';
import type { Collation } from '../compare/collation.js';
import { MongoError } from '../errors.js';
import { compileSortOrder } from '../keystring/sort-order.js';
import { regexNeedsPause } from '../match/guarded-regex.js';
import type { Matcher } from '../match/matcher.js';
import type { Access, IndexAccess, QueryPlan } from '../planner/plan.js';
import type { DocumentStore } from '../store/document-store.js';
import type { Bytes } from '../store/environment.js';
import type { TextSearch } from '../text/text-search.js';
import { CollectionScan } from './collection-scan.js';
import type { DocumentScan } from './document-scan.js';
import { IndexScan } from './index-scan.js';
import { KeyDocument } from './key-document.js';
import { maxSortBytes, Sorter } from './sorter.js';
import { UnionScan } from './union-scan.js';

export interface StoreAccess {
  readonly store: DocumentStore;
  readonly data: Bytes;
}

export interface ExecutionInput {
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

/** `again`: nothing yet, but this is a good moment to look at the clock and let others run. */
export type Step = 'document' | 'again' | 'done';

const documentsPerStep = 128;
const noIndexes: readonly IndexAccess[] = [];

/** Runs one plan, step by step. Between steps it may be suspended for as long as one likes. */
export class Execution {
  private readonly scan: DocumentScan;
  private readonly sorter: Sorter | undefined;
  private readonly sortKey: ((raw: Buffer) => Buffer) | undefined;
  private phase: 'gathering' | 'settling' | 'giving';
  /** After a pause sorted documents may have changed: they are matched again. */
  private paused = false;
  /** Documents that passed the filter, before skip and limit. */
  matched = 0;
  private skipLeft: number;
  private limitLeft: number;
  private current: { rid: number; raw: Buffer };
  /** Of a plan that is answered from keys. */
  private readonly fromKeys: { readonly scan: IndexScan; readonly document: KeyDocument } | undefined;

  constructor(
    private readonly access: StoreAccess,
    private readonly input: ExecutionInput,
  ) {
    const { plan, sort, skip, limit } = input;
    this.scan = openScan(access, input.collection, plan.access);
    this.current = this.scan;
    if (plan.covered && this.scan instanceof IndexScan && plan.access.kind === 'index') {
      this.fromKeys = { scan: this.scan, document: new KeyDocument(plan.access.index, plan.covered) };
    }
    this.skipLeft = skip;
    this.limitLeft = limit ?? Number.POSITIVE_INFINITY;
    this.phase = plan.blockingSort && sort ? 'gathering' : 'giving';
    if (plan.blockingSort && sort) {
      const order = compileSortOrder(sortFields(sort), input.collation);
      this.sorter = new Sorter(limit === undefined ? undefined : limit + skip, order.compare);
      this.sortKey = order.keyOf;
    }
  }

  /** Of the document the last step gave; `raw` is valid only until the next step. */
  get rid(): number {
    return this.current.rid;
  }

  get raw(): Buffer {
    return this.current.raw;
  }

  /** How well the document fits the query's `$text`. */
  textScore(): number {
    return this.input.text?.score(this.raw) ?? 0;
  }

  get matcher(): Matcher {
    return this.input.matcher;
  }

  get keysExamined(): number {
    return this.scan.keysExamined;
  }

  get docsExamined(): number {
    return this.scan.docsExamined;
  }

  /** Of each branch of a union. */
  get branches(): readonly DocumentScan[] {
    return this.scan instanceof UnionScan ? this.scan.branches : [];
  }

  step(): Step {
    if (this.limitLeft <= 0) return 'done';
    this.checkAlive();
    if (this.sorter && this.phase !== 'giving') return this.arrange(this.sorter);
    for (let n = 0; n < documentsPerStep && !regexNeedsPause(); n++) {
      const moved = this.sorter ? this.nextSorted(this.sorter) : this.nextMatching();
      if (moved === 'done') return 'done';
      if (moved === 'again') continue;
      if (this.skipLeft > 0) {
        this.skipLeft -= 1;
        continue;
      }
      this.limitLeft -= 1;
      return 'document';
    }
    return 'again';
  }

  suspend(): void {
    this.scan.suspend();
    this.paused = true;
  }

  /** Whether the document the scan stands on is gone. */
  lostPosition(): boolean {
    const { rid } = this.scan;
    return rid > 0 && this.access.store.peek(this.input.collection.id, rid) === undefined;
  }

  /** Ending quietly would pass off a part of the results as all of them. */
  private checkAlive(): void {
    const { collection, plan } = this.input;
    if (collection.dropped) throw new MongoError('QueryPlanKilled', 'the collection was dropped during the query');
    const { access } = plan;
    const indexes = access.kind === 'index' ? [access] : access.kind === 'union' ? access.branches : noIndexes;
    for (const { index } of indexes) {
      // An outdated one does not hear of its end: the collection knows whether its entries are still kept.
      if (index.dropped || (index.outdated && !collection.indexes.some(({ id }) => id === index.id)))
        throw new MongoError('QueryPlanKilled', `the index ${index.name} was dropped during the query`);
    }
  }

  private nextMatching(): Step {
    if (this.fromKeys) return this.nextKey(this.fromKeys);
    if (!this.scan.next()) return 'done';
    if (this.scan.repeated || !this.matches(this.scan.raw)) return 'again';
    this.matched += 1;
    return 'document';
  }

  /** A document made from its key; the stored one where the key does not tell enough. */
  private nextKey({ scan, document }: NonNullable<typeof this.fromKeys>): Step {
    if (!scan.nextRid()) return 'done';
    if (scan.repeated) return 'again';
    const made = document.read(scan.keyString());
    if (made) this.current = { rid: scan.rid, raw: made };
    else if (!scan.fetch()) return 'again';
    else this.current = scan;
    if (!this.matches(this.current.raw)) return 'again';
    this.matched += 1;
    return 'document';
  }

  private matches(raw: Buffer): boolean {
    const { plan, matcher } = this.input;
    return !plan.residual || matcher.matches(raw);
  }

  /** One step towards sorted documents; there is none to give yet. */
  private arrange(sorter: Sorter): Step {
    if (this.phase === 'gathering') return this.gather(sorter);
    if (sorter.settle()) this.phase = 'giving';
    return 'again';
  }

  private gather(sorter: Sorter): Step {
    for (let n = 0; n < documentsPerStep && !regexNeedsPause(); n++) {
      if (!this.scan.next()) {
        this.phase = 'settling';
        return 'again';
      }
      if (this.scan.repeated) return 'again';
      if (!this.matches(this.scan.raw)) continue;
      this.matched += 1;
      const key = this.sortKey?.(this.scan.raw) ?? this.scan.raw;
      if (!sorter.add(key, this.scan.rid)) {
        throw new MongoError(
          'QueryExceededMemoryLimitNoDiskUseAllowed',
          `Sort exceeded memory limit of ${maxSortBytes} bytes; add an index that provides the order, or a limit`,
        );
      }
    }
    return 'again';
  }

  private nextSorted(sorter: Sorter): Step {
    const entry = sorter.next();
    if (!entry) return 'done';
    const raw = this.access.store.peek(this.input.collection.id, entry.rid);
    if (!raw) return 'again';
    if (this.paused && !this.input.matcher.matches(raw)) return 'again';
    this.current = { rid: entry.rid, raw };
    return 'document';
  }
}

export function openScan(access: StoreAccess, collection: Collection, how: Access): DocumentScan {
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
    if (value instanceof BsonDoc) throw new MongoError('BadValue', `$meta sort of '${path}' is not supported`);
    const direction = asNumber(value);
    if (direction !== 1 && direction !== -1) {
      throw new MongoError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    }
    return { path, direction };
  });
}
