import { compilePipeline } from '../../aggregate/pipeline.js';
import type { AggregateEnv, CollectionName, Documents, MergeTarget } from '../../aggregate/stage.js';
import { decodeDocument } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc, toBson } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { compileMatcher } from '../../match/matcher.js';
import { seeded } from '../seeded.js';
import { render } from './render.js';

export type Literal = Record<string, unknown>;

// Objects with a `then` are made from entries, as a literal of that shape would pass for a promise.
export const raws = (docs: readonly Literal[]): Buffer[] => docs.map((doc) => encodeDocument(BsonDoc.of(doc)));

export async function* stream(documents: readonly Buffer[]): Documents {
  yield* documents;
}

/** A server of a few arrays; `find` scans with the matcher and notes the filters it was asked for. */
export function envOf(collections: Record<string, Literal[]> = {}) {
  const asked: string[] = [];
  const written: string[] = [];
  const read = (name: CollectionName): Buffer[] => raws(collections[name.collection] ?? []);
  const drain = async (label: string, documents: Documents): Promise<void> => {
    for await (const raw of documents) written.push(`${label} ${render(decodeDocument(raw))}`);
  };
  const env: AggregateEnv = {
    nowMs: 1_700_000_000_000,
    random: seeded(3),
    readCollection: (name) => stream(read(name)),
    find: (name, filter) => {
      asked.push(render(filter));
      const matcher = compileMatcher(filter);
      return stream(read(name).filter((raw) => matcher.matches(raw)));
    },
    out: (name, documents) => drain(`out ${name.collection}`, documents),
    merge: (target: MergeTarget, documents) => drain(`merge ${target.into.collection}/${target.on.join()}`, documents),
  };
  return { env, asked, written };
}

export async function run(stages: Literal[], docs: readonly Literal[], env = envOf().env): Promise<string[]> {
  const pipeline = compilePipeline(stages.map(toBson), env);
  const results: string[] = [];
  for await (const raw of pipeline.run(stream(raws(docs)))) results.push(render(decodeDocument(raw)));
  return results;
}

export async function evaluate(expression: unknown, doc: Literal = {}): Promise<string> {
  const [result = ''] = await run([{ $project: { _id: 0, v: expression } }], [doc]);
  return result === '{}' ? 'missing' : result.slice(4, -1);
}

export async function codeOf(act: () => Promise<unknown>): Promise<number | string> {
  try {
    await act();
    return 'accepted';
  } catch (error) {
    return error instanceof MongoError ? error.code : String(error);
  }
}
