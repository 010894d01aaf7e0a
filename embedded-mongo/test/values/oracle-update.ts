import { Double, Int32, Long } from 'bson';
import { BsonDoc, type BsonValue } from '../../bson/value.js';
import { isNumeric, naiveCompare, tagOf } from './oracle.js';

/** A second, slow opinion on updates of one field, over decoded documents. */

/** The update is refused. */
export class Refused extends Error {}
/** The oracle has no opinion (decimal arithmetic). */
export class Unsure extends Error {}

const nothing = Symbol('nothing');
const removed = Symbol('removed');
type Outcome = BsonValue | typeof nothing | typeof removed;
type Change = (old: BsonValue | undefined) => Outcome;

function copyOf(value: BsonValue): BsonValue {
  if (Array.isArray(value)) return value.map(copyOf);
  return value instanceof BsonDoc ? new BsonDoc([...value.keys], value.values.map(copyOf)) : value;
}

export function naiveUpdate(doc: BsonDoc, operator: string, path: string, argument: BsonValue): BsonDoc {
  const root = copyOf(doc) as BsonDoc;
  if (operator === '$rename') {
    const value = root.get(path);
    if (value === undefined) return root;
    root.delete(path);
    return root.set(String(argument), value);
  }
  const creates = !['$unset', '$pull', '$pop'].includes(operator);
  apply(root, path.split('.'), changeOf(operator, argument), creates);
  return root;
}

const isPosition = (step: string): boolean => step === '0' || (/^[1-9]\d*$/.test(step) && step.length < 10);

function childOf(node: BsonDoc | BsonValue[], step: string): BsonValue | undefined {
  return Array.isArray(node) ? node[Number(step)] : node.get(step);
}

function put(node: BsonDoc | BsonValue[], step: string, value: BsonValue): void {
  if (!Array.isArray(node)) {
    node.set(step, value);
    return;
  }
  while (node.length < Number(step)) node.push(null);
  node[Number(step)] = value;
}

function apply(node: BsonDoc | BsonValue[], steps: readonly string[], change: Change, creates: boolean): void {
  const [step = '', ...rest] = steps;
  if (Array.isArray(node) && !isPosition(step)) {
    if (creates) throw new Refused('a name in an array');
    return;
  }
  const old = childOf(node, step);
  if (rest.length > 0 && old !== undefined) {
    if (old instanceof BsonDoc || Array.isArray(old)) apply(old, rest, change, creates);
    else if (creates) throw new Refused('a path through a scalar');
    return;
  }
  if (old === undefined && !creates) return;
  const outcome = change(old);
  if (outcome === nothing) return;
  if (outcome === removed) {
    if (Array.isArray(node)) node[Number(step)] = null;
    else node.delete(step);
    return;
  }
  put(
    node,
    step,
    rest.reduceRight<BsonValue>((inner, name) => new BsonDoc([name], [inner]), outcome),
  );
}

function changeOf(operator: string, argument: BsonValue): Change {
  switch (operator) {
    case '$set':
      return () => argument;
    case '$unset':
      return () => removed;
    case '$inc':
    case '$mul':
      return arithmetic(operator, argument);
    case '$min':
      return (old) => (old === undefined || naiveCompare(argument, old) < 0 ? argument : nothing);
    case '$max':
      return (old) => (old === undefined || naiveCompare(argument, old) > 0 ? argument : nothing);
    case '$push':
      return (old) => [...arrayOf(old), argument];
    case '$addToSet':
      return (old) => {
        const there = arrayOf(old);
        if (old !== undefined && there.some((one) => naiveCompare(one, argument) === 0)) return nothing;
        return [...there, argument];
      };
    case '$pull':
      return (old) => arrayOf(old).filter((one) => naiveCompare(one, argument) !== 0);
    case '$pop':
      return (old) => (naiveCompare(argument, new Int32(0)) > 0 ? arrayOf(old).slice(0, -1) : arrayOf(old).slice(1));
    default:
      throw new Error(`the oracle does not know ${operator}`);
  }
}

function arrayOf(value: BsonValue | undefined): BsonValue[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Refused('not an array');
  return value;
}

/** int with int stays int or widens to long, long that overflows is refused, a double makes a double. */
function arithmetic(operator: string, argument: BsonValue): Change {
  if (!isNumeric(argument)) throw new Refused('not a number');
  return (old) => {
    const current = old === undefined ? new Int32(0) : old;
    if (!isNumeric(current)) throw new Refused('not a number');
    const tags = [tagOf(current), tagOf(argument)];
    if (old === undefined && operator === '$inc') return argument;
    if (tags.includes('Decimal128')) throw new Unsure('decimal arithmetic');
    if (tags.includes('Double')) {
      const [a, b] = [Number(String(current)), Number(String(argument))];
      return new Double(operator === '$inc' ? a + b : a * b);
    }
    const [a, b] = [BigInt(String(current)), BigInt(String(argument))];
    const result = operator === '$inc' ? a + b : a * b;
    if (!tags.includes('Long') && BigInt.asIntN(32, result) === result) return new Int32(Number(result));
    if (BigInt.asIntN(64, result) !== result) throw new Refused('overflow');
    return Long.fromBigInt(result);
  };
}
