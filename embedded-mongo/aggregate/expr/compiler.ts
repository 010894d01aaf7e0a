import { compilePath } from '../../bson/raw.js';
import { BsonDate, BsonDoc, type BsonValue, isDoc, TYPE_NAMES, typeOf } from '../../bson/value.js';
import type { Collation } from '../../compare/collation.js';
import { compareMaybe } from '../../compare/compare.js';
import { fail } from '../../errors.js';
import { requireFieldPath } from '../../project/field-path.js';
import { ARGUMENT_CODES } from './argument-codes.js';
import { USUAL } from './argument-texts.js';
import { type Expression, isNullish, readPath, readValuePath } from './frame.js';

/** Compiles the argument of one operator. */
export type OperatorCompiler = (argument: BsonValue, compiler: ExpressionCompiler, operator: string) => Expression;
export type OperatorTable = ReadonlyMap<string, OperatorCompiler>;

/** Values that an expression may read besides the document. */
export interface ExpressionEnv {
  /** The time of `$$NOW`. */
  readonly nowMs?: number;
  /** Numbers in [0, 1) for `$rand` and `$sample`. */
  readonly random?: () => number;
  /** Names of variables the frame will carry (`let` of a command or a stage). */
  readonly variables?: readonly string[];
  /** Compares text; without it, bytes are compared. */
  readonly collation?: Collation | undefined;
}

/** The order of values, missing ones first. */
export type ValueOrder = (a: BsonValue | undefined, b: BsonValue | undefined) => number;

function valueOrder({ collation }: ExpressionEnv): ValueOrder {
  const text = collation?.compare;
  return text ? (a, b) => compareMaybe(a, b, text) : (a, b) => compareMaybe(a, b);
}

/** The codes of operators that take two or more operands. */
const LEAST_CODES: Readonly<Record<string, number>> = { $setEquals: 17_045, $ifNull: 1_257_300 };

/** Turns expression specifications into closures; knows which variables are in scope. */
export class ExpressionCompiler {
  readonly #names: ReadonlySet<string>;
  readonly order: ValueOrder;
  readonly #operators: OperatorTable;

  constructor(
    operators: OperatorTable,
    readonly env: ExpressionEnv,
    names: Iterable<string> = env.variables ?? [],
  ) {
    this.#operators = operators;
    this.#names = new Set(names);
    this.order = valueOrder(env);
  }

  /** The same with further variables in scope. */
  with(...names: string[]): ExpressionCompiler {
    return new ExpressionCompiler(this.#operators, this.env, [...this.#names, ...names]);
  }

  /** Whether there is an operator of this name. */
  knows(operator: string): boolean {
    return this.#operators.has(operator);
  }

  expression(value: BsonValue): Expression {
    if (typeof value === 'string') return value.startsWith('$') ? this.#reference(value) : () => value;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.expression(item));
      return (frame) => items.map((item) => item(frame) ?? null);
    }
    if (!isDoc(value)) return () => value;
    const [first] = value.keys;
    if (!first?.startsWith('$')) return this.#object(value);
    if (value.size > 1) fail(15_983, 'an object representing an expression must have exactly one field');
    const compile = this.#operators.get(first) ?? fail('InvalidPipelineOperator', `Unrecognized expression '${first}'`);
    return compile(value.values[0] ?? null, this, first);
  }

  #object(value: BsonDoc): Expression {
    const fields = [...value].map(([key, item]) => {
      if (key.startsWith('$') || key.includes('.'))
        fail(16_412, `field names of an object expression may contain neither '.' nor a leading '$'`);
      return { key, item: this.expression(item) };
    });
    return (frame) => {
      const doc = new BsonDoc();
      for (const { key, item } of fields) {
        const result = item(frame);
        if (result !== undefined) doc.append(key, result);
      }
      return doc;
    };
  }

  #reference(text: string): Expression {
    if (!text.startsWith('$$')) {
      if (text === '$') fail(16_872, "'$' by itself is not a valid FieldPath");
      requireFieldPath(text.slice(1));
      const path = compilePath(text.slice(1));
      return (frame) => readPath(frame.root, path);
    }
    const [name = '', ...rest] = text.slice(2).split('.');
    const path = rest.length > 0 ? compilePath(rest.join('.')) : [];
    const variable = this.#variable(name);
    if ((name === 'ROOT' || name === 'CURRENT') && rest.length > 0) return (frame) => readPath(frame.root, path);
    return rest.length === 0 ? variable : (frame) => readValuePath(variable(frame), path);
  }

  #variable(name: string): Expression {
    if (this.#names.has(name)) return (frame) => frame.variable(name);
    switch (name) {
      case 'ROOT':
      case 'CURRENT':
        return (frame) => frame.document();
      case 'REMOVE':
        return () => undefined;
      case 'NOW': {
        if (this.env.nowMs === undefined) fail('BadValue', '$$NOW is not available here');
        const now = BsonDate.fromMs(this.env.nowMs);
        return () => now;
      }
      case 'DESCEND':
      case 'PRUNE':
      case 'KEEP':
        return () => name.toLowerCase();
      default:
        fail(17_276, `Use of undefined variable: ${name}`);
    }
  }

  /** The argument as a list of operands; a single value is a list of one. */
  operands(argument: BsonValue, operator: string, least: number, most = least): Expression[] {
    const list = Array.isArray(argument) ? argument : [argument];
    if (list.length < least || list.length > most) {
      if (least === most)
        fail(16_020, `Expression ${operator} takes exactly ${least} arguments. ${list.length} were passed in.`);
      if (most === Number.POSITIVE_INFINITY)
        fail(LEAST_CODES[operator] ?? 16_020, `${operator} needs at least two arguments, had: ${list.length}`);
      fail(
        28_667,
        `Expression ${operator} takes at least ${least} arguments, and at most ${most}, but ${list.length} were passed in.`,
      );
    }
    return list.map((item) => this.expression(item));
  }

  /** The argument as named operands; unknown and missing ones are errors. */
  named(argument: BsonValue, operator: string, required: readonly string[], optional: readonly string[] = []): Named {
    const { notObject, unknown, missing, wording = USUAL } = ARGUMENT_CODES[operator] ?? {};
    if (!isDoc(argument)) fail(notObject ?? 'FailedToParse', wording.notObject(operator, typeNameOf(argument)));
    for (const key of argument.keys) {
      if (required.includes(key) || optional.includes(key)) continue;
      fail(unknown ?? 'FailedToParse', wording.unknown(operator, key));
    }
    for (const key of required)
      if (!argument.has(key)) fail(missing?.[key] ?? 'FailedToParse', wording.missing(operator, key));
    return new Named(this, argument);
  }
}

/** Named operands of one operator. */
export class Named {
  readonly #compiler: ExpressionCompiler;
  readonly #argument: BsonDoc;

  constructor(compiler: ExpressionCompiler, argument: BsonDoc) {
    this.#compiler = compiler;
    this.#argument = argument;
  }

  has(key: string): boolean {
    return this.#argument.has(key);
  }

  /** The operand compiled; `missing` where it was not given. */
  get(key: string, missing?: BsonValue): Expression {
    const value = this.#argument.get(key);
    return value === undefined ? () => missing : this.#compiler.expression(value);
  }

  /** The operand as a list of expressions. @param code of a value that is not an array */
  list(key: string, code: number): Expression[] {
    const value = this.#argument.get(key) ?? null;
    if (!Array.isArray(value)) fail(code, `${key} must be an array of expressions, found ${typeNameOf(value)}`);
    return value.map((item) => this.#compiler.expression(item));
  }

  raw(key: string): BsonValue | undefined {
    return this.#argument.get(key);
  }

  /** A name given as plain text, such as `as` of `$map`. */
  name(key: string, standard: string): string {
    const value = this.#argument.get(key) ?? standard;
    if (typeof value !== 'string' || !/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(value))
      fail('FailedToParse', `'${key}' must be the name of a variable, beginning with a lowercase letter`);
    return value;
  }
}

/** An operator over evaluated operands. */
export function simple(
  least: number,
  most: number,
  evaluate: (values: readonly (BsonValue | undefined)[], operator: string, order: ValueOrder) => BsonValue | undefined,
): OperatorCompiler {
  return (argument, compiler, operator) => {
    const operands = compiler.operands(argument, operator, least, most);
    return (frame) =>
      evaluate(
        operands.map((operand) => operand(frame)),
        operator,
        compiler.order,
      );
  };
}

/** An operator of `count` operands that is null where one of them is null or missing. */
export function strict(
  count: number,
  evaluate: (values: readonly (BsonValue | undefined)[], operator: string, order: ValueOrder) => BsonValue | undefined,
): OperatorCompiler {
  return simple(count, count, (values, operator, order) =>
    values.some(isNullish) ? null : evaluate(values, operator, order),
  );
}

/** The type's name as error texts and the `$type` expression give it. */
export function typeNameOf(value: BsonValue | undefined): string {
  return value === undefined ? 'missing' : (TYPE_NAMES.get(typeOf(value)) ?? 'unknown');
}
