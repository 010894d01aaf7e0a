import { Long } from 'bson';
import { MongoError } from '../errors.js';
import { nextBatch } from '../exec/cursor-reply.js';
import type { CommandRequest } from '../wire/request.js';
import {
  arrayArgument,
  collectionArgument,
  countArgument,
  longArgument,
  maxTimeMs,
  stringArgument,
} from './arguments.js';
import type { Command } from './command.js';
import { findCommand } from './find.js';
import { okReply } from './ok-reply.js';

/** How long a tailable cursor waits for data when the client does not say. */
const defaultAwaitMs = 1_000;

const getMore: Command = {
  name: 'getMore',
  options: ['collection', 'batchSize'],
  run: ({ context, request, client, operation }) => {
    const { body, db } = request;
    const id = longArgument(body.values[0], 'getMore');
    const name = stringArgument(body, 'collection');
    if (!name) throw new MongoError(40414, "BSON field 'getMore.collection' is missing but a required field");
    const batchSize = countArgument(body, 'batchSize');
    const cursor = context.cursors.acquire(id, `${db}.${name}`);
    const limitMs = maxTimeMs(body);
    if (limitMs > 0 && !cursor.tail?.awaitData) {
      context.cursors.release(cursor, true);
      throw new MongoError('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor');
    }
    const input = {
      cursor,
      batchSize: batchSize === 0 ? undefined : batchSize,
      awaitMs: limitMs > 0 ? limitMs : defaultAwaitMs,
      gone: client.gone,
    };
    context.cursors.follow(cursor, operation);
    return nextBatch(context.cursors, input);
  },
};

const killCursors: Command = {
  name: 'killCursors',
  options: ['cursors'],
  run: ({ context, request }) => {
    const namespace = `${request.db}.${collectionArgument(request)}`;
    const killed: Long[] = [];
    const notFound: Long[] = [];
    for (const id of cursorIds(request)) {
      (context.cursors.kill(id, namespace) ? killed : notFound).push(Long.fromBigInt(id));
    }
    return okReply({ cursorsKilled: killed, cursorsNotFound: notFound, cursorsAlive: [], cursorsUnknown: [] });
  },
};

function cursorIds({ body }: CommandRequest): bigint[] {
  return (arrayArgument(body, 'cursors') ?? []).map((value, i) => longArgument(value, `cursors.${i}`));
}

export const cursorCommands: readonly Command[] = [findCommand, getMore, killCursors];
