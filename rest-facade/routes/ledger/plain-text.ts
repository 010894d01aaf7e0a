import { isJsonObject } from '../../../shared/json/strict-json.js';
import type { RouteMaker } from '../../route.js';
import { asksFor, StreamedAnswer } from '../../streams/streamed-answer.js';

const TEXT = 'text/plain';

/** The text that stands for an answer, for tools that read no JSON. */
export interface PlainText {
  readonly description: string;
  /** The text of the answer's record. */
  readonly of: (record: Readonly<Record<string, unknown>>) => string;
}

/** A member of the record that is a text by itself. */
export const memberText =
  (name: string): PlainText['of'] =>
  (record) =>
    String(record[name]);

/** A route that also answers in plain text, for who names it in Accept. */
export const withPlainText =
  (maker: RouteMaker, text: PlainText): RouteMaker =>
  (contract) => {
    const route = maker(contract);
    return {
      ...route,
      otherMedia: { ...route.otherMedia, [TEXT]: { schema: { type: 'string' }, description: text.description } },
      handle: async (call) => {
        const found = await route.handle(call);
        if (!asksFor(call.accept, TEXT) || !isJsonObject(found)) return found;
        return new StreamedAnswer(`${TEXT}; charset=utf-8`, [text.of(found)]);
      },
    };
  };
