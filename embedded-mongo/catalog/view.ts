import { decodeStored } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';

/** A pipeline over a collection or another view of the same database, under a name of its own. */
export interface View {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly viewOn: string;
  readonly pipeline: readonly BsonValue[];
  /** What all reads of it compare text by; undefined is the order of bytes. */
  readonly collation: BsonDoc | undefined;
}

/** Its options as `create` takes and listCollections shows them. */
export function describeView({ viewOn, pipeline, collation }: View): BsonDoc {
  const doc = new BsonDoc(['viewOn', 'pipeline'], [viewOn, [...pipeline]]);
  return collation ? doc.append('collation', collation) : doc;
}

export function encodeView(view: View): Buffer {
  return encodeDocument(new BsonDoc(['db', 'name', 'options'], [view.db, view.name, describeView(view)]));
}

export function decodeView(id: number, bytes: Buffer): View {
  const doc = decodeStored(bytes);
  const options = doc.get('options');
  const [viewOn, pipeline, collation] = ['viewOn', 'pipeline', 'collation'].map((name) =>
    options instanceof BsonDoc ? options.get(name) : undefined,
  );
  if (typeof viewOn !== 'string' || !Array.isArray(pipeline)) throw new Error('a catalog entry is damaged');
  return {
    id,
    db: String(doc.get('db')),
    name: String(doc.get('name')),
    viewOn,
    pipeline,
    collation: collation instanceof BsonDoc ? collation : undefined,
  };
}
