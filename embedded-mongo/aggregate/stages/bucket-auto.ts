import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { MemoryBudget } from '../memory-budget.js';
import { itemsPerPause, sortInPauses } from '../sort-in-pauses.js';
import type { PipelineScope, Stage } from '../stage.js';
import { parseAccumulation } from './group.js';
import { wholeArgument } from './order.js';
import { documentOf } from './shape.js';

interface Entry {
  readonly value: BsonValue;
  readonly raw: Buffer;
}

/** `$bucketAuto`: buckets of about the same size; equal values never part. */
export function bucketAutoStage(value: BsonValue, scope: PipelineScope): Stage {
  const spec = documentOf(value, '$bucketAuto');
  const { compiler } = scope;
  const unknown = spec.keys.find((key) => !['groupBy', 'buckets', 'output', 'granularity'].includes(key));
  if (unknown) throw new MongoError(40_245, `Unrecognized option to $bucketAuto: ${unknown}.`);
  if (spec.has('granularity')) {
    throw new MongoError('BadValue', "'granularity' of $bucketAuto is not supported by this server");
  }
  const groupBy = spec.get('groupBy');
  if (groupBy === undefined)
    throw new MongoError(40_246, "$bucketAuto requires 'groupBy' and 'buckets' to be specified");
  const groupValue = compiler.expression(groupBy);
  const count = wholeArgument(spec.get('buckets') ?? null, '$bucketAuto', 1n);
  const output = spec.get('output') ?? BsonDoc.of({ count: { $sum: 1 } });
  if (!isDoc(output)) throw new MongoError(40_244, "the 'output' of $bucketAuto must be an object");
  const fields = [...output].map(([name, field]) => parseAccumulation(name, field, compiler));
  return {
    kind: 'local',
    start: () => {
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
              if (at % itemsPerPause === itemsPerPause - 1) yield;
              const frame = scope.frame(raw);
              for (const [i, { input }] of fields.entries()) accumulators[i]?.add(input(frame));
            }
            const doc = new BsonDoc(['_id'], [new BsonDoc(['min', 'max'], [min, max])]);
            for (const [i, { name }] of fields.entries()) doc.append(name, accumulators[i]?.result() ?? null);
            emit(encodeDocument(doc));
            yield;
          }
          return undefined;
        },
      };
    },
  };
}

interface Bucket {
  readonly bucket: readonly Entry[];
  readonly min: BsonValue;
  readonly max: BsonValue;
}

/** A bucket's upper bound is the next one's lower; the last one's is its own greatest value. */
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
