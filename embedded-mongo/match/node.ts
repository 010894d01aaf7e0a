import type { BSONRegExp } from 'bson';
import type { BsonDoc, BsonValue } from '../bson/value.js';
import type { TextArguments } from '../text/text-query.js';

/** A parsed filter. Leaves name a dotted path; inside `elemMatch` by value the path is empty: the element itself. */
export type MatchNode =
  | { readonly kind: 'and' | 'or' | 'nor'; readonly children: readonly MatchNode[] }
  | { readonly kind: 'not'; readonly child: MatchNode }
  | { readonly kind: 'never' }
  /** Passes with this probability. */
  | { readonly kind: 'sample'; readonly rate: number }
  | { readonly kind: 'expr'; readonly expression: BsonValue }
  | { readonly kind: 'schema'; readonly schema: BsonDoc }
  | { readonly kind: 'text'; readonly given: TextArguments }
  | LeafNode;

export type RangeOperator = 'gt' | 'gte' | 'lt' | 'lte';

export type LeafNode =
  | { readonly kind: 'eq'; readonly path: string; readonly value: BsonValue }
  | {
      readonly kind: 'in';
      readonly path: string;
      readonly values: readonly BsonValue[];
      readonly regexes: readonly BSONRegExp[];
    }
  | { readonly kind: 'range'; readonly path: string; readonly operator: RangeOperator; readonly value: BsonValue }
  | { readonly kind: 'exists'; readonly path: string }
  | RegexNode
  | { readonly kind: 'type'; readonly path: string; readonly types: ReadonlySet<number> }
  | { readonly kind: 'mod'; readonly path: string; readonly divisor: bigint; readonly remainder: bigint }
  | { readonly kind: 'size'; readonly path: string; readonly size: number }
  | { readonly kind: 'bits'; readonly path: string; readonly test: BitsTest; readonly positions: readonly number[] }
  | {
      readonly kind: 'elemMatch';
      readonly path: string;
      /** `object`: paths of the child start at the element; `value`: they are empty. */
      readonly mode: 'object' | 'value';
      readonly child: MatchNode;
    };

export interface RegexNode {
  readonly kind: 'regex';
  readonly path: string;
  readonly pattern: string;
  readonly options: string;
  /** The literal text every match begins with, where the pattern is anchored and case matters: usable as a range. */
  readonly prefix?: string;
}

export type BitsTest = 'allSet' | 'allClear' | 'anySet' | 'anyClear';
