import type { Binary } from 'bson';
import type { BsonDoc } from '../bson/value.js';
import { type Collation, parseCollation } from '../compare/collation.js';
import { collatedExpressions, compileMatcher, type Matcher } from '../match/matcher.js';
import type { Index } from './index-definition.js';

/** What `create` and `collMod` may set; all that is not listed here is refused when it is asked for. */
export interface CollectionOptions {
  readonly capped?: { readonly sizeBytes: number; readonly maxDocuments?: number };
  readonly validator?: BsonDoc;
  readonly validationLevel?: 'off' | 'strict' | 'moderate';
  readonly validationAction?: 'error' | 'warn';
  /** Default of queries and indexes. */
  readonly collation?: BsonDoc;
}

/** Kept with every group commit, so that nothing has to be counted at start. */
export interface CollectionCounters {
  nextRid: number;
  documents: number;
  sizeBytes: number;
}

/** Counts the records a walk in order of rids has passed, exactly, while others write. */
export class RecordWalk {
  records = 0;
  bytes = 0;
  /** Set when changes it was told of were undone. */
  disturbed = false;
  private position = 0;

  pass(rid: number, sizeBytes: number): void {
    this.position = rid;
    this.records += 1;
    this.bytes += sizeBytes;
  }

  resized(rid: number, byBytes: number): void {
    if (rid <= this.position) this.bytes += byBytes;
  }

  removed(rid: number, sizeBytes: number): void {
    if (rid > this.position) return;
    this.records -= 1;
    this.bytes -= sizeBytes;
  }
}

/** One collection as the server works with it; the catalog alone changes its name, options and indexes. */
export class Collection {
  /** Set when it is dropped: work that paused between chunks must not go on with it. */
  dropped = false;
  indexes: readonly Index[] = [];
  /** Walks over its records under way (validation); the store tells them of changes behind them. */
  readonly walks = new Set<RecordWalk>();
  validator: Matcher | undefined;
  collation: Collation | undefined;

  constructor(
    readonly id: number,
    public db: string,
    public name: string,
    readonly uuid: Binary,
    public options: CollectionOptions,
    public counters: CollectionCounters,
  ) {
    this.setOptions(options);
  }

  setOptions(options: CollectionOptions): void {
    this.options = options;
    this.collation = options.collation && parseCollation(options.collation);
    this.validator = options.validator && compileMatcher(options.validator, collatedExpressions(this.collation));
  }

  /** Takes over the stored state, after a group that had changed this one was undone. */
  restore(stored: Collection): this {
    this.db = stored.db;
    this.name = stored.name;
    this.setOptions(stored.options);
    this.counters = stored.counters;
    for (const index of this.indexes) index.outdated = true;
    this.indexes = stored.indexes;
    this.dropped = false;
    for (const walk of this.walks) walk.disturbed = true;
    return this;
  }

  get namespace(): string {
    return `${this.db}.${this.name}`;
  }

  /** Indexes a plan may read: those under construction are written but not yet complete. */
  get readyIndexes(): readonly Index[] {
    return this.indexes.filter((index) => !index.building);
  }

  index(name: string): Index | undefined {
    return this.indexes.find((index) => index.name === name);
  }
}
