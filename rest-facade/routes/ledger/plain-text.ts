import { isJsonObject } from '../../../shared/json/strict-json.js';
import type { ExtendRoute } from '../../graph-route.js';
import { asksFor, StreamedAnswer } from '../../streams/streamed-answer.js';

const TEXT = 'text/plain';

type TextOf = (record: Readonly<Record<string, unknown>>) => string;

/** Adds a plain-text form of the answer for callers with an Accept header that names it. */
export const plainText =
  (description: string, example: string, textOf: TextOf): ExtendRoute =>
  (route) => ({
    otherMedia: { ...route.otherMedia, [TEXT]: { description, example } },
    handle: async (call) => {
      const found = await route.handle(call);
      if (!asksFor(call.accept, TEXT) || !isJsonObject(found)) return found;
      return new StreamedAnswer(`${TEXT}; charset=utf-8`, [textOf(found)]);
    },
  });

/** Returns the text of one member. */
export const textMember =
  (name: string): TextOf =>
  (record) =>
    String(record[name]);

/** Prints the proof as a witness reads it: one base64 hash a line. */
export const consistencyLines: TextOf = ({ hashes }) =>
  (Array.isArray(hashes) ? hashes : [])
    .map((hash) => `${Buffer.from(String(hash), 'hex').toString('base64')}\n`)
    .join('');
