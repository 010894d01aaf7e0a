import { z } from 'zod';
import { parseShape } from '../shared/contracts/call.js';
import { problem } from '../shared/errors/problem.js';
import { TIMESTAMP_REPLY } from '../shared/timestamp/time-stamp.js';
import type { ExtendRoute } from './graph-route.js';
import { asksFor, StreamedAnswer } from './streams/streamed-answer.js';

/** Retry-After for a time-stamp that is not there yet. */
const ASK_AGAIN_SECONDS = 30;

/** Answers the bare reply of the authority to who accepts it, and the record to others. */
export const timestampReply: ExtendRoute = (route) => {
  return {
    otherMedia: { [TIMESTAMP_REPLY]: { description: 'TimeStampResp, DER.' } },
    handle: async (call) => {
      const found = parseShape(
        'time-stamp: answer',
        z.looseObject({ reply: z.string().nullable() }),
        await route.handle(call),
      );
      if (!asksFor(call.accept, TIMESTAMP_REPLY)) return found;
      if (found.reply === null) {
        throw problem('CONFLICT', {
          message: 'The time-stamp is not available yet; retry later.',
          retryAfterSeconds: ASK_AGAIN_SECONDS,
        });
      }
      return new StreamedAnswer(TIMESTAMP_REPLY, [Buffer.from(found.reply, 'base64')]);
    },
  };
};
