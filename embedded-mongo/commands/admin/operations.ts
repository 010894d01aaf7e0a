import { chmodSync, closeSync, fsyncSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Double, Long } from 'bson';
import { encodeDocument } from '../../bson/encode.js';
import { asNumber } from '../../bson/number.js';
import { BsonDoc } from '../../bson/value.js';
import { fail } from '../../errors.js';
import type { Operation } from '../../exec/operation.js';
import { copyEnvironment } from '../../store/copy-environment.js';
import { type Environment, openEnvironment } from '../../store/environment.js';
import * as arg from '../arguments.js';
import { type Command, isGenericArgument, okReply, requireAdmin } from '../command.js';
import { matcherFor } from '../read/query.js';

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

/** Arguments other than `$all` and `$ownOps` filter the list (MongoDB manual, "currentOp"). */
const CURRENT_OP: Command = {
  name: 'currentOp',
  options: 'any',
  run: (call) => {
    requireAdmin(call.request);
    const { context, request, client } = call;
    const filter = new BsonDoc();
    for (const [name, value] of [...request.body].slice(1)) {
      if (name !== '$all' && name !== '$ownOps' && !isGenericArgument(name)) filter.append(name, value);
    }
    const matcher = matcherFor(filter);
    const nowMs = context.system.monotonicMs();
    const own = arg.boolean(request.body, '$ownOps');
    const inprog = context.operations
      .all()
      .filter((operation) => !own || operation.connectionId === client.id)
      .map((operation) => describeOperation(operation, nowMs))
      .filter((doc) => matcher.matches(encodeDocument(doc)));
    return okReply({ inprog });
  },
};

const KILL_OP: Command = {
  name: 'killOp',
  options: ['op'],
  run: (call) => {
    requireAdmin(call.request);
    const id = asNumber(call.request.body.get('op')) ?? fail('TypeMismatch', "BSON field 'killOp.op' must be a number");
    call.context.operations.kill(id);
    return okReply({ info: 'attempting to kill op' });
  },
};

/** Not a MongoDB command: reports event-loop stalls since the last reset, for measurements. */
const EVENT_LOOP_DELAY: Command = {
  name: 'eventLoopDelay',
  options: ['reset'],
  run: ({ context, request }) => {
    const delay = context.loop.read();
    if (arg.boolean(request.body, 'reset')) context.loop.reset();
    const { maxStallMs, p99StallMs, meanStallMs, samples } = delay;
    return okReply({
      maxStallMs: new Double(maxStallMs),
      p99StallMs: new Double(p99StallMs),
      meanStallMs: new Double(meanStallMs),
      samples,
    });
  },
};

export const OPERATION_COMMANDS: readonly Command[] = [CURRENT_OP, KILL_OP, EVENT_LOOP_DELAY];

/**
 * `embeddedBackup: "/an/empty/folder"` copies the data file as of one commit while reads and writes continue. LMDB's
 * compacting copy walks every page that a reader of that moment can reach and writes them with one root, so the copy
 * is complete and does not depend on flushed pages. Two encrypted files must not share a page key, so that such a file is
 * copied entry by entry into a new one. MongoDB has no such command.
 */
export const BACKUP_COMMAND: Command = {
  name: 'embeddedBackup',
  options: [],
  run: async ({ context, request }) => {
    requireAdmin(request);
    const folder = folderOf(request.body.values[0]);
    await copyFile(context.env, folder);
    const path = join(folder, 'data.mdb');
    chmodSync(path, 0o600);
    flush(path);
    return okReply({ path, sizeBytes: Long.fromNumber(statSync(path).size) });
  },
};

async function copyFile(env: Environment, folder: string): Promise<void> {
  if (env.encryption === undefined) {
    await env.root.backup(folder, true);
    return;
  }
  const target = openEnvironment(folder, { encryption: env.encryption });
  try {
    await copyEnvironment(env, target);
  } finally {
    await target.close();
  }
  // The lock file belongs to a running server.
  rmSync(join(folder, 'lock.mdb'), { force: true });
}

function folderOf(value: unknown): string {
  if (typeof value !== 'string' || !isAbsolute(value))
    fail('BadValue', 'embeddedBackup takes the absolute path of an empty folder on the server');
  let entries: string[];
  try {
    entries = readdirSync(value);
  } catch (error) {
    fail('BadValue', `embeddedBackup cannot use ${value}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (entries.length > 0) fail('BadValue', `embeddedBackup takes an empty folder; ${value} is not`);
  return value;
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
