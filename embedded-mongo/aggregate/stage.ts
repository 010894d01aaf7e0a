import type { RawRef } from '../bson/raw.js';
import type { BsonDoc } from '../bson/value.js';
import type { ExpressionCompiler, ExpressionEnv } from './expr/compiler.js';
import { Frame } from './expr/frame.js';
import { expressionCompiler } from './expr/operators.js';

export interface CollectionName {
  readonly database?: string;
  readonly collection: string;
}

/** What becomes of a document that was there: by name, or by a pipeline over it and the incoming one. */
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

/** What a pipeline needs from the server around it. */
export interface AggregateEnv extends ExpressionEnv {
  readonly readCollection: (name: CollectionName) => Documents;
  /** Documents that match a filter, by index where there is one. */
  readonly find: (name: CollectionName, filter: BsonDoc) => Documents;
  /** Lets others run when it is time, and throws when the command must stop; long work asks it now and then. */
  readonly breathe?: () => Promise<void>;
  /** `$out`: replaces the whole collection. */
  readonly out?: (name: CollectionName, documents: Documents) => Promise<void>;
  readonly merge?: (target: MergeTarget, documents: Documents) => Promise<void>;
  /** What `$collStats`, `$indexStats` and `$currentOp` tell; wrong options are errors at once. */
  readonly facts?: (stage: string, options: BsonDoc) => () => Documents;
}

export type Emit = (raw: Buffer) => void;

/** A running stage that needs nothing but its input. */
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
 * What the stages of one pipeline share. Variables of an enclosing `$lookup` change from run to run while the
 * compiled stages stay: they ask here for the frame of each document.
 */
export class PipelineScope {
  private outer: Frame | undefined;

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
    this.outer = frame;
  }

  frame(raw: Buffer): Frame {
    return this.outer ? this.outer.at(raw) : Frame.of(raw);
  }

  frameOf(root: RawRef): Frame {
    return this.outer ? this.outer.around(root) : new Frame(root);
  }
}

/** A stage that turns each document into at most one other. */
export function mapStage(transform: (raw: Buffer) => Buffer | undefined): Stage {
  const run: StageRun = {
    push: (raw, emit) => {
      const result = transform(raw);
      if (result) emit(result);
    },
  };
  return { kind: 'local', start: () => run };
}
