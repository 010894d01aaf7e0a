import { Long } from 'bson';
import type { RawRef } from '../bson/raw.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import { fail } from '../errors.js';
import type { ExpressionCompiler, ExpressionEnv } from './expr/compiler.js';
import { Frame } from './expr/frame.js';
import { expressionCompiler } from './expr/operators.js';

export interface CollectionName {
  readonly database?: string;
  readonly collection: string;
}

/** The action on an existing document: a name, or a pipeline over it and the incoming one. */
export type WhenMatched =
  | 'replace'
  | 'keepExisting'
  | 'merge'
  | 'fail'
  | ((existing: Buffer, incoming: Buffer) => Buffer);

export interface MergeTarget {
  readonly into: CollectionName;
  /** Fields that identify a document of the target; `_id` unless given. */
  readonly on: readonly string[];
  readonly whenMatched: WhenMatched;
  readonly whenNotMatched: 'insert' | 'discard' | 'fail';
}

export type Documents = AsyncIterable<Buffer>;

/** The services that a pipeline needs from the server. */
export interface AggregateEnv extends ExpressionEnv {
  readonly readCollection: (name: CollectionName) => Documents;
  /** Returns documents that match a filter, by index where there is one. */
  readonly find: (name: CollectionName, filter: BsonDoc) => Documents;
  /** Yields to other work when the slice is over, and throws when the command must stop. */
  readonly breathe?: () => Promise<void>;
  /** `$out`: replaces the whole collection. */
  readonly out?: (name: CollectionName, documents: Documents) => Promise<void>;
  readonly merge?: (target: MergeTarget, documents: Documents) => Promise<void>;
  /** Returns the documents of `$collStats`, `$indexStats` and `$currentOp`; throws at once on wrong options. */
  readonly facts?: (stage: string, options: BsonDoc) => () => Documents;
}

export type Emit = (raw: Buffer) => void;

/** A running stage that reads only its input. */
export interface StageRun {
  push(raw: Buffer, emit: Emit): void;
  /** Called once after the last document; a generator may pause between its documents. */
  finish?(emit: Emit): Iterable<undefined> | undefined;
  /** True once no further input can change the output, so that the source may stop. */
  readonly full?: boolean;
}

/** A compiled stage: one that works document by document, or one that reads other collections. */
export type Stage =
  | { readonly kind: 'local'; readonly start: () => StageRun }
  | { readonly kind: 'remote'; readonly run: (source: Documents) => Documents };

/**
 * The shared state of the stages of one pipeline. Variables of an enclosing `$lookup` change between runs while the
 * compiled stages stay, so the stages ask here for the frame of each document.
 */
export class PipelineScope {
  #outer: Frame | undefined;

  constructor(readonly env: AggregateEnv) {}

  /** The scope of a sub-pipeline that sees further variables. */
  inner(names: readonly string[]): PipelineScope {
    return new PipelineScope({ ...this.env, variables: [...(this.env.variables ?? []), ...names] });
  }

  get compiler(): ExpressionCompiler {
    return expressionCompiler(this.env);
  }

  /** Sets the variables for the runs that follow. */
  bind(frame: Frame): void {
    this.#outer = frame;
  }

  frame(raw: Buffer): Frame {
    return this.#outer ? this.#outer.at(raw) : Frame.of(raw);
  }

  frameOf(root: RawRef): Frame {
    return this.#outer ? this.#outer.around(root) : new Frame(root);
  }
}

/** A stage that sees one document after the other; `start` makes its state for one run. */
export function localStage(start: () => StageRun): Stage {
  return { kind: 'local', start };
}

/** A stage that reads other collections, or its own documents. */
export function remoteStage(run: (source: Documents) => Documents): Stage {
  return { kind: 'remote', run };
}

/** A stage that turns each document into at most one other. */
export function mapStage(transform: (raw: Buffer) => Buffer | undefined): Stage {
  const run: StageRun = {
    push: (raw, emit) => {
      const result = transform(raw);
      if (result) emit(result);
    },
  };
  return localStage(() => run);
}

/** The memory limit of one stage, which is MongoDB's. The server never writes temporary files. */
const MAX_STAGE_BYTES = 100 * 1024 * 1024;

/** Counts the memory of a blocking stage and rejects the query above the limit. */
export class MemoryBudget {
  #heldBytes = 0;
  readonly #stage: string;

  constructor(stage: string) {
    this.#stage = stage;
  }

  charge(bytes: number): void {
    this.#heldBytes += bytes;
    if (this.#heldBytes <= MAX_STAGE_BYTES) return;
    fail(
      'QueryExceededMemoryLimitNoDiskUseAllowed',
      `Exceeded memory limit of ${MAX_STAGE_BYTES} bytes for ${this.#stage}; this server sorts and groups in memory only, allowDiskUse does not change that`,
    );
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}

const SCALAR_BYTES = 32;

/** Approximate memory of a decoded value. */
export function approximateBytes(value: BsonValue | undefined): number {
  if (typeof value === 'string') return SCALAR_BYTES + value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + approximateBytes(item), SCALAR_BYTES);
  if (value instanceof BsonDoc) {
    let bytes = SCALAR_BYTES;
    for (const [name, item] of value) bytes += name.length + approximateBytes(item);
    return bytes;
  }
  if (value !== null && typeof value === 'object' && !(value instanceof Long) && 'buffer' in value)
    return SCALAR_BYTES + value.buffer.length;
  return SCALAR_BYTES;
}
