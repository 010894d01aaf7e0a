import { BsonDoc, type BsonValue, toBson } from '../bson/value.js';

/**
 * `$meta: 'textScore'` in pipelines. The score travels with each document in a field no client can name by accident;
 * stages that speak of the metadata are written as stages that speak of that field, and at the end it goes.
 */
export const scoreField = '\u0001textScore';

function isScore(value: BsonValue | undefined): boolean {
  return value instanceof BsonDoc && value.size === 1 && value.keys[0] === '$meta' && value.values[0] === 'textScore';
}

export function mentionsScore(value: BsonValue | undefined): boolean {
  if (isScore(value)) return true;
  if (Array.isArray(value)) return value.some(mentionsScore);
  return value instanceof BsonDoc && value.values.some(mentionsScore);
}

/** The stages over documents that carry their score. */
export function overScoreField(stages: readonly BsonValue[]): BsonValue[] {
  const rewritten = stages.map(rewriteStage);
  const last = rewritten.at(-1);
  const writes = last instanceof BsonDoc && (last.keys[0] === '$out' || last.keys[0] === '$merge');
  rewritten.splice(writes ? -1 : rewritten.length, 0, new BsonDoc(['$unset'], [scoreField]));
  return rewritten;
}

function rewriteStage(stage: BsonValue): BsonValue {
  if (!(stage instanceof BsonDoc)) return stage;
  const [name, argument] = [stage.keys[0], stage.values[0]];
  if (name === '$sort' && argument instanceof BsonDoc) return new BsonDoc(['$sort'], [rewriteSort(argument)]);
  const inner = overScore(stage);
  const projection = inner instanceof BsonDoc ? inner.values[0] : undefined;
  if (name !== '$project' || !(projection instanceof BsonDoc) || !includes(projection)) return inner;
  // Metadata outlives a projection.
  return new BsonDoc(['$project'], [new BsonDoc([...projection.keys, scoreField], [...projection.values, toBson(1)])]);
}

/** By score is always from the best down. */
function rewriteSort(sort: BsonDoc): BsonDoc {
  const out = new BsonDoc();
  for (const [path, direction] of sort) {
    if (isScore(direction)) out.append(scoreField, toBson(-1));
    else out.append(path, direction);
  }
  return out;
}

function includes(projection: BsonDoc): boolean {
  return [...projection].some(([path, value]) => path !== '_id' && !isFalse(value));
}

function isFalse(value: BsonValue): boolean {
  return value === false || (value !== null && typeof value === 'object' && 'value' in value && value.value === 0);
}

/** A value in which the metadata is that field. */
export function overScore(value: BsonValue): BsonValue {
  if (isScore(value)) return `$${scoreField}`;
  if (Array.isArray(value)) return value.map(overScore);
  return value instanceof BsonDoc ? new BsonDoc([...value.keys], value.values.map(overScore)) : value;
}

/** A document with its score as last field. */
export function withScore(raw: Buffer, score: number): Buffer {
  const name = Buffer.from(`\u0001${scoreField}\0`, 'latin1');
  const out = Buffer.allocUnsafe(raw.length + name.length + 8);
  raw.copy(out, 0, 0, raw.length - 1);
  name.copy(out, raw.length - 1);
  out.writeDoubleLE(score, raw.length - 1 + name.length);
  out[out.length - 1] = 0;
  out.writeInt32LE(out.length, 0);
  return out;
}
