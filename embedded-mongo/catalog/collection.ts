import type { Binary } from 'bson';
import type { BsonDoc } from '../bson/value.js';
import type { Matcher } from '../match/matcher.js';
import type { Index } from './index-definition.js';

/** What `create` and `collMod` may set; all that is not listed here is refused when it is asked for. */
export interface CollectionOptions {
  readonly capped?: { readonly sizeBytes: number; readonly maxDocuments?: number };
  readonly validator?: BsonDoc;
  readonly validationLevel?: 'off' | 'strict' | 'moderate';
}

/** Kept with every group commit, so that nothing has to be counted at start. */
export interface CollectionCounters {
  nextRid: number;
  documents: number;
  sizeBytes: number;
}

/** One collection as the server works with it; the catalog alone changes its name, options and indexes. */
export class Collection {
  /** Set when it is dropped: work that paused between chunks must not go on with it. */
  dropped = false;
  indexes: readonly Index[] = [];
  validator: Matcher | undefined;

  constructor(
    readonly id: number,
    public db: string,
    public name: string,
    readonly uuid: Binary,
    public options: CollectionOptions,
    public counters: CollectionCounters,
  ) {}

  /** Takes over the stored state, after a group that had changed this one was undone. */
  restore(stored: Collection): this {
    this.db = stored.db;
    this.name = stored.name;
    this.options = stored.options;
    this.counters = stored.counters;
    this.indexes = stored.indexes;
    this.validator = stored.validator;
    this.dropped = false;
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
