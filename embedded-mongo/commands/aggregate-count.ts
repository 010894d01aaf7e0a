import { Int32, Long } from 'bson';
import { BsonDoc, type BsonValue } from '../bson/value.js';

/** A pipeline's end that only counts; gives the one document it makes of a count. */
export type CountShape = (n: number) => BsonDoc | undefined;

/**
 * Recognises `$count`, and the `$group` of one constant key and one `$sum: 1` that drivers send for countDocuments:
 * both are answered by counting keys, where the rest of the query allows it.
 */
export function countShape(stages: readonly BsonValue[]): CountShape | undefined {
  const [stage] = stages;
  if (stages.length !== 1 || !(stage instanceof BsonDoc) || stage.size !== 1) return undefined;
  const [argument] = stage.values;
  if (stage.keys[0] === '$count') return typeof argument === 'string' ? named(argument) : undefined;
  return stage.keys[0] === '$group' && argument instanceof BsonDoc ? grouped(argument) : undefined;
}

function named(field: string): CountShape | undefined {
  if (field === '' || field.startsWith('$') || field.includes('.')) return undefined;
  return (n) => (n === 0 ? undefined : new BsonDoc([field], [numberOf(n)]));
}

function grouped(group: BsonDoc): CountShape | undefined {
  const [key, sum] = group.values;
  const [keyName, sumName] = group.keys;
  if (group.size !== 2 || keyName !== '_id' || sumName === undefined || !(sum instanceof BsonDoc)) return undefined;
  const [one] = sum.values;
  const isOne = sum.size === 1 && sum.keys[0] === '$sum' && one instanceof Int32 && one.value === 1;
  const isConstant = key === null || key instanceof Int32;
  if (!isOne || !isConstant) return undefined;
  return (n) => (n === 0 ? undefined : new BsonDoc(['_id', sumName], [key, numberOf(n)]));
}

/** A sum of int32 stays one as long as it fits. */
function numberOf(n: number): BsonValue {
  return n <= 0x7fff_ffff ? new Int32(n) : Long.fromNumber(n);
}
