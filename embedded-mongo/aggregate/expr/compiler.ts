import { compilePath } from '../../bson/raw.js';
import { typeNames } from '../../bson/types.js';
import { BsonDate, BsonDoc, type BsonValue, isDoc, typeOf } from '../../bson/value.js';
import type { Collation } from '../../compare/collation.js';
import { compareMaybe } from '../../compare/compare.js';
import { MongoError } from '../../errors.js';
import { type Expression, readPath, readValuePath } from './frame.js';

/** Compiles the argument of one operator. */
export type OperatorCompiler = (argument: BsonValue, compiler: ExpressionCompiler, operator: string) => Expression;
export type OperatorTable = ReadonlyMap<string, OperatorCompiler>;

/** What an expression may use besides the document. */
export interface ExpressionEnv {
  /** The moment `$$NOW` stands for. */
  readonly nowMs?: number;
  /** Numbers in [0, 1) for `$rand` and `$sample`. */
  readonly random?: () => number;
  /** Names of variables the frame will carry (`let` of a command or a stage). */
  readonly variables?: readonly string[];
  /** How text is compared; the order of bytes where there is none. */
  readonly collation?: Collation | undefined;
}

/** The order of values, missing ones first. */
export type ValueOrder = (a: BsonValue | undefined, b: BsonValue | undefined) => number;

export function valueOrder({ collation }: ExpressionEnv): ValueOrder {
  const text = collation?.compare;
  return text ? (a, b) => compareMaybe(a, b, text) : (a, b) => compareMaybe(a, b);
}

/** Turns expression specifications into closures; knows which variables are in scope. */
export class ExpressionCompiler {
  private readonly names: ReadonlySet<string>;
  readonly order: ValueOrder;

  constructor(
    private readonly operators: OperatorTable,
    readonly env: ExpressionEnv,
    names: Iterable<string> = env.variables ?? [],
  ) {
    this.names = new Set(names);
    this.order = valueOrder(env);
  }

  /** The same with further variables in scope. */
  with(...names: string[]): ExpressionCompiler {
    return new ExpressionCompiler(this.operators, this.env, [...this.names, ...names]);
  }

  expression(value: BsonValue): Expression {
    if (typeof value === 'string') return value.startsWith('$') ? this.reference(value) : () => value;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.expression(item));
      return (frame) => items.map((item) => item(frame) ?? null);
    }
    if (!isDoc(value)) return () => value;
    const [first] = value.keys;
    if (!first?.startsWith('$')) return this.object(value);
    if (value.size > 1) {
      throw new MongoError(15_983, 'an object representing an expression must have exactly one field');
    }
    const compile = this.operators.get(first);
    if (!compile) throw new MongoError('InvalidPipelineOperator', `Unrecognized expression '${first}'`);
    return compile(value.values[0] as BsonValue, this, first);
  }

  private object(value: BsonDoc): Expression {
    const fields = [...value].map(([key, item]) => {
      if (key.startsWith('$') || key.includes('.')) {
        throw new MongoError(16_412, `field names of an object expression may contain neither '.' nor a leading '$'`);
      }
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

  private reference(text: string): Expression {
    if (!text.startsWith('$$')) {
      if (text === '$') throw new MongoError(16_872, "'$' by itself is not a valid FieldPath");
      const path = compilePath(text.slice(1));
      if (path.some((step) => step.name === '')) {
        throw new MongoError(15_998, 'FieldPath field names may not be empty strings.');
      }
      return (frame) => readPath(frame.root, path);
    }
    const [name = '', ...rest] = text.slice(2).split('.');
    const path = rest.length > 0 ? compilePath(rest.join('.')) : [];
    const variable = this.variable(name);
    if ((name === 'ROOT' || name === 'CURRENT') && rest.length > 0) return (frame) => readPath(frame.root, path);
    return rest.length === 0 ? variable : (frame) => readValuePath(variable(frame), path);
  }

  private variable(name: string): Expression {
    if (this.names.has(name)) return (frame) => frame.variable(name);
    switch (name) {
      case 'ROOT':
      case 'CURRENT':
        return (frame) => frame.document();
      case 'REMOVE':
        return () => undefined;
      case 'NOW': {
        if (this.env.nowMs === undefined) throw new MongoError('BadValue', '$$NOW is not available here');
        const now = BsonDate.fromMs(this.env.nowMs);
        return () => now;
      }
      case 'DESCEND':
      case 'PRUNE':
      case 'KEEP':
        return () => name.toLowerCase();
      default:
        throw new MongoError(17_276, `Use of undefined variable: ${name}`);
    }
  }

  /** The argument as a list of operands; a single value stands for a list of one. */
  operands(argument: BsonValue, operator: string, least: number, most = least): Expression[] {
    const list = Array.isArray(argument) ? argument : [argument];
    if (list.length < least || list.length > most) {
      const wanted = least === most ? `exactly ${least}` : `at least ${least} and at most ${most}`;
      throw new MongoError(16_020, `Expression ${operator} takes ${wanted} arguments. ${list.length} were passed in.`);
    }
    return list.map((item) => this.expression(item));
  }

  /** The argument as named operands; unknown and missing ones are errors. */
  named(argument: BsonValue, operator: string, required: readonly string[], optional: readonly string[] = []): Named {
    if (!isDoc(argument)) throw new MongoError('FailedToParse', `${operator} expects an object as its argument`);
    for (const key of argument.keys) {
      if (required.includes(key) || optional.includes(key)) continue;
      throw new MongoError('FailedToParse', `${operator} found an unknown argument: ${key}`);
    }
    for (const key of required) {
      if (!argument.has(key)) throw new MongoError('FailedToParse', `${operator} requires '${key}' to be specified`);
    }
    return new Named(this, argument);
  }
}

/** Named operands of one operator. */
export class Named {
  constructor(
    private readonly compiler: ExpressionCompiler,
    private readonly argument: BsonDoc,
  ) {}

  has(key: string): boolean {
    return this.argument.has(key);
  }

  /** The operand compiled; `missing` where it was not given. */
  get(key: string, missing?: BsonValue): Expression {
    const value = this.argument.get(key);
    return value === undefined ? () => missing : this.compiler.expression(value);
  }

  raw(key: string): BsonValue | undefined {
    return this.argument.get(key);
  }

  /** A name given as plain text, such as `as` of `$map`. */
  name(key: string, standard: string): string {
    const value = this.argument.get(key) ?? standard;
    if (typeof value !== 'string' || !/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(value)) {
      throw new MongoError(
        'FailedToParse',
        `'${key}' must be the name of a variable, beginning with a lowercase letter`,
      );
    }
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

/** The type's name as error texts and the `$type` expression give it. */
export function typeNameOf(value: BsonValue | undefined): string {
  return value === undefined ? 'missing' : (typeNames.get(typeOf(value)) ?? 'unknown');
}
