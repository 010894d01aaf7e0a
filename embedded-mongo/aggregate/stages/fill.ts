import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { documentOf } from './shape.js';

const known: ReadonlySet<string> = new Set(['partitionBy', 'partitionByFields', 'sortBy', 'output']);
const methods: Readonly<Record<string, string>> = { linear: '$linearFill', locf: '$locf' };

/** `$fill` is `$setWindowFields` for the methods and `$addFields` for the values. */
export function fillStages(value: BsonValue): BsonDoc[] {
  const spec = documentOf(value, '$fill');
  const unknown = spec.keys.find((key) => !known.has(key));
  if (unknown) throw new MongoError(40_415, `BSON field '$fill.${unknown}' is an unknown field.`);
  const output = spec.get('output');
  if (!isDoc(output)) throw new MongoError(40_414, "BSON field '$fill.output' is missing but a required field");
  const windows = new BsonDoc();
  const constants = new BsonDoc();
  for (const [path, field] of output) {
    const rule = documentOf(field, `$fill output '${path}'`);
    const method = rule.get('method');
    if (rule.size !== 1)
      throw new MongoError('FailedToParse', `$fill output '${path}' needs either 'value' or 'method'`);
    if (rule.has('value')) {
      const filled = new BsonDoc(['$ifNull'], [[`$${path}`, rule.get('value') as BsonValue]]);
      constants.append(path, filled);
      continue;
    }
    const operator = typeof method === 'string' ? methods[method] : undefined;
    if (!operator) throw new MongoError(6_050_202, "Method must be either 'locf' or 'linear'");
    if (!spec.has('sortBy'))
      throw new MongoError('FailedToParse', `$fill with method '${String(method)}' needs 'sortBy'`);
    windows.append(path, new BsonDoc([operator], [`$${path}`]));
  }
  const stages: BsonDoc[] = [];
  if (windows.size > 0) stages.push(new BsonDoc(['$setWindowFields'], [windowSpec(spec, windows)]));
  if (constants.size > 0) stages.push(new BsonDoc(['$addFields'], [constants]));
  if (stages.length === 0) throw new MongoError('FailedToParse', "'output' of $fill must not be empty");
  return stages;
}

function windowSpec(spec: BsonDoc, output: BsonDoc): BsonDoc {
  const window = new BsonDoc();
  const partition = partitionOf(spec);
  if (partition !== undefined) window.append('partitionBy', partition);
  const sortBy = spec.get('sortBy');
  if (sortBy !== undefined) window.append('sortBy', sortBy);
  return window.append('output', output);
}

function partitionOf(spec: BsonDoc): BsonValue | undefined {
  const fields = spec.get('partitionByFields');
  if (fields === undefined) return spec.get('partitionBy');
  if (spec.has('partitionBy')) {
    throw new MongoError(6_050_204, "Maximum one of 'partitionBy' and 'partitionByFields can be specified in '$fill'");
  }
  if (!Array.isArray(fields)) throw new MongoError('TypeMismatch', "'partitionByFields' must be an array of strings");
  const key = new BsonDoc();
  for (const [at, field] of fields.entries()) key.append(`f${at}`, `$${String(field)}`);
  return key;
}
