import { encodeDocument } from '../../bson/encode.js';
import { integerOf, isNumber, toNumber } from '../../bson/number.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { ITEMS_PER_PAUSE, sortInPauses } from '../../compare/sorted-runs.js';
import { fail } from '../../errors.js';
import { typeNameOf } from '../expr/compiler.js';
import { localStage, MemoryBudget, type PipelineScope, type Stage } from '../stage.js';
import { parseAccumulation, requireGroupBy } from './group.js';
import { documentOf } from './shape.js';

interface Entry {
  readonly value: BsonValue;
  readonly raw: Buffer;
}

/** `$bucketAuto`: buckets of about the same size. Equal values share a bucket. */
export function bucketAutoStage(value: BsonValue, scope: PipelineScope): Stage {
  const spec = documentOf(value, '$bucketAuto');
  const { compiler } = scope;
  const unknown = spec.keys.find((key) => !['groupBy', 'buckets', 'output', 'granularity'].includes(key));
  if (unknown) fail(40_245, `Unrecognized option to $bucketAuto: ${unknown}.`);
  if (spec.has('granularity')) fail('BadValue', "'granularity' of $bucketAuto is not supported by this server");
  const groupBy = spec.get('groupBy');
  if (groupBy === undefined || !spec.has('buckets'))
    fail(40_246, "$bucketAuto requires 'groupBy' and 'buckets' to be specified");
  requireGroupBy(groupBy, 40_239, '$bucketAuto');
  const groupValue = compiler.expression(groupBy);
  const count = bucketCount(spec.get('buckets') ?? null);
  const output = spec.get('output') ?? BsonDoc.of({ count: { $sum: 1 } });
  if (!isDoc(output)) fail(40_244, "the 'output' of $bucketAuto must be an object");
  const fields = [...output].map(([name, field]) => parseAccumulation(name, field, compiler));
  return localStage(() => {
    const entries: Entry[] = [];
    const memory = new MemoryBudget('$bucketAuto');
    return {
      push: (raw) => {
        memory.charge(raw.length + 96);
        entries.push({ value: groupValue(scope.frame(raw)) ?? null, raw });
      },
      *finish(emit) {
        const sorted = yield* sortInPauses(entries, (a, b) => compiler.order(a.value, b.value));
        for (const { bucket, min, max } of buckets(sorted, count, scope)) {
          const accumulators = fields.map((field) => field.make());
          for (const [at, { raw }] of bucket.entries()) {
            if (at % ITEMS_PER_PAUSE === ITEMS_PER_PAUSE - 1) yield;
            const frame = scope.frame(raw);
            for (const [i, { input }] of fields.entries()) accumulators[i]?.add(input(frame));
          }
          const doc = new BsonDoc(['_id'], [new BsonDoc(['min', 'max'], [min, max])]);
          for (const [i, { name }] of fields.entries()) doc.append(name, accumulators[i]?.result() ?? null);
          emit(encodeDocument(doc));
          yield;
        }
      },
    };
  });
}

function bucketCount(value: BsonValue): number {
  if (!isNumber(value))
    fail(40_241, `The $bucketAuto 'buckets' field must be a numeric value, but found type: ${typeNameOf(value)}`);
  const count = integerOf(value);
  if (count === undefined || BigInt.asIntN(32, count) !== count)
    fail(
      40_242,
      `The $bucketAuto 'buckets' field must be representable as a 32-bit integer, but found ${toNumber(value)}`,
    );
  if (count < 1n) fail(40_243, `The $bucketAuto 'buckets' field must be greater than 0, but found: ${count}`);
  return Number(count);
}

interface Bucket {
  readonly bucket: readonly Entry[];
  readonly min: BsonValue;
  readonly max: BsonValue;
}

/** The upper bound of a bucket is the lower bound of the next, or the greatest value of the last bucket. */
function buckets(entries: readonly Entry[], count: number, { compiler }: PipelineScope): Bucket[] {
  const size = Math.max(1, Math.round(entries.length / count));
  const starts: number[] = [];
  for (let at = 0; at < entries.length; ) {
    starts.push(at);
    let end = starts.length === count ? entries.length : Math.min(entries.length, at + size);
    while (end < entries.length && compiler.order(entries[end - 1]?.value, entries[end]?.value) === 0) end++;
    at = end;
  }
  return starts.map((start, i) => {
    const next = starts[i + 1];
    const bucket = entries.slice(start, next);
    const bound = next === undefined ? bucket.at(-1) : entries[next];
    return { bucket, min: entries[start]?.value ?? null, max: bound?.value ?? null };
  });
}
