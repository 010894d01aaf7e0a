import { BsonWriter } from '../../bson/encode.js';
import { ElementCursor, RawRef } from '../../bson/raw.js';
import { T } from '../../bson/types.js';
import type { BsonValue } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import type { Expression, Frame } from '../expr/frame.js';
import { mapStage, type PipelineScope, type Stage } from '../stage.js';

/** `$redact`: the expression decides for each document, and each one inside it, what is to be seen. */
export function redactStage(value: BsonValue, scope: PipelineScope): Stage {
  const expression = scope.compiler.with('ROOT').expression(value);
  return mapStage((raw) => {
    const outer = scope.frame(raw);
    const redaction = new Redaction(expression, outer.with('ROOT', outer.document()));
    const writer = new BsonWriter(raw.length);
    return redaction.document(outer.root, writer) ? writer.finish() : undefined;
  });
}

/** Paths below `$$DESCEND` are read from the document being judged, `$$ROOT` stays the outermost. */
class Redaction {
  constructor(
    private readonly expression: Expression,
    private readonly frame: Frame,
  ) {}

  /** Writes what is left of a document; false where nothing is. */
  document(ref: RawRef, writer: BsonWriter): boolean {
    const verdict = this.expression(this.frame.around(ref));
    if (verdict === 'prune') return false;
    if (verdict === 'keep') {
      writer.raw(ref.buffer, ref.start, ref.end);
      return true;
    }
    if (verdict !== 'descend') {
      throw new MongoError(17_053, '$redact must resolve to $$DESCEND, $$PRUNE, or $$KEEP');
    }
    const start = writer.open();
    const cursor = new ElementCursor(ref.buffer, ref.start);
    while (cursor.next()) this.element(cursor, cursor.name, writer);
    writer.close(start);
    return true;
  }

  private element(cursor: ElementCursor, name: string, writer: BsonWriter): boolean {
    const value = cursor.into(new RawRef());
    if (value.type === T.object) {
      const inner = new BsonWriter(value.end - value.start);
      if (!this.document(value, inner)) return false;
      const bytes = inner.finish();
      writer.element(T.object, name);
      writer.raw(bytes, 0, bytes.length);
      return true;
    }
    if (value.type !== T.array) {
      writer.rawElement(name, value);
      return true;
    }
    writer.element(T.array, name);
    const start = writer.open();
    const elements = new ElementCursor(value.buffer, value.start);
    for (let at = 0; elements.next(); ) if (this.element(elements, String(at), writer)) at++;
    writer.close(start);
    return true;
  }
}
