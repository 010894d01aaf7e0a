import { Double } from 'bson';
import { encodeDocument } from '../bson/encode.js';
import { BsonDoc } from '../bson/value.js';
import { asNumber } from '../catalog/bson-arguments.js';
import { MongoError } from '../errors.js';
import type { Operation } from '../exec/operation.js';
import { booleanArgument } from './arguments.js';
import type { Command, CommandCall } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { isGenericArgument } from './generic-arguments.js';
import { okReply } from './ok-reply.js';

function requireAdmin({ request }: CommandCall, name: string): void {
  if (request.db !== 'admin')
    throw new MongoError('Unauthorized', `${name} may only be run against the admin database.`);
}

/** A running command as currentOp lists it. */
export function describeOperation(operation: Operation, nowMs: number): BsonDoc {
  const runningMs = nowMs - operation.startedMs;
  return BsonDoc.of({
    type: 'op',
    active: true,
    opid: operation.id,
    connectionId: operation.connectionId,
    secs_running: Math.floor(runningMs / 1_000),
    microsecs_running: BigInt(Math.floor(runningMs * 1_000)),
    op: 'command',
    ns: operation.namespace,
    command: { [operation.command]: operation.namespace.slice(operation.namespace.indexOf('.') + 1) },
    killPending: operation.killed,
  });
}

/** Its arguments beside `$all` and `$ownOps` are a filter over what it lists (MongoDB manual, "currentOp"). */
const currentOp: Command = {
  name: 'currentOp',
  options: 'any',
  run: (call) => {
    requireAdmin(call, 'currentOp');
    const { context, request, client } = call;
    const filter = new BsonDoc();
    for (const [name, value] of [...request.body].slice(1)) {
      if (name !== '$all' && name !== '$ownOps' && !isGenericArgument(name)) filter.append(name, value);
    }
    const matcher = matcherFor(filter);
    const nowMs = context.system.monotonicMs();
    const own = booleanArgument(request.body, '$ownOps');
    const inprog = context.operations
      .all()
      .filter((operation) => !own || operation.connectionId === client.id)
      .map((operation) => describeOperation(operation, nowMs))
      .filter((doc) => matcher.matches(encodeDocument(doc)));
    return okReply({ inprog });
  },
};

const killOp: Command = {
  name: 'killOp',
  options: ['op'],
  run: (call) => {
    requireAdmin(call, 'killOp');
    const id = asNumber(call.request.body.get('op'));
    if (id === undefined) throw new MongoError('TypeMismatch', "BSON field 'killOp.op' must be a number");
    call.context.operations.kill(id);
    return okReply({ info: 'attempting to kill op' });
  },
};

/** Private to this server: the stalls of its event loop since the last reset, for measurements. */
const eventLoopDelay: Command = {
  name: 'eventLoopDelay',
  options: ['reset'],
  run: ({ context, request }) => {
    const delay = context.loop.read();
    if (booleanArgument(request.body, 'reset')) context.loop.reset();
    const { maxStallMs, p99StallMs, meanStallMs, samples } = delay;
    return okReply({
      maxStallMs: new Double(maxStallMs),
      p99StallMs: new Double(p99StallMs),
      meanStallMs: new Double(meanStallMs),
      samples,
    });
  },
};

export const operationCommands: readonly Command[] = [currentOp, killOp, eventLoopDelay];
