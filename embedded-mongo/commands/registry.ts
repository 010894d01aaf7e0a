import { fail } from '../errors.js';
import type { ClientConnection } from '../wire/connection.js';
import type { CommandRequest, ReplyBody } from '../wire/op-msg.js';
import { DIAGNOSTIC_COMMANDS, SHELL_COMMANDS } from './admin/diagnostics.js';
import { CONFIGURE_FAIL_POINT } from './admin/fail-point.js';
import { BACKUP_COMMAND, OPERATION_COMMANDS } from './admin/operations.js';
import * as arg from './arguments.js';
import { CATALOG_COMMANDS } from './catalog/collections.js';
import { INDEX_COMMANDS } from './catalog/indexes.js';
import { type Command, checkGenericArguments, type ServerContext } from './command.js';
import { AGGREGATE_COMMAND } from './read/aggregate.js';
import { COUNT_COMMAND, DISTINCT_COMMAND } from './read/count-and-distinct.js';
import { EXPLAIN_COMMAND } from './read/explain.js';
import { CURSOR_COMMANDS } from './read/find.js';
import { runOnView, viewNamed } from './read/views.js';
import { AUTH_COMMANDS, HANDSHAKE_COMMANDS, TRANSACTION_COMMANDS } from './session/handshake.js';
import { USER_COMMANDS } from './session/users.js';
import { BULK_WRITE_COMMAND } from './write/bulk-write.js';
import { FIND_AND_MODIFY_COMMAND } from './write/find-and-modify.js';
import { INSERT_COMMAND } from './write/insert.js';
import { DELETE_COMMAND, UPDATE_COMMAND } from './write/update-and-delete.js';

/** All commands; the README tables are printed from this list. */
export const COMMANDS: readonly Command[] = [
  ...HANDSHAKE_COMMANDS,
  INSERT_COMMAND,
  UPDATE_COMMAND,
  DELETE_COMMAND,
  FIND_AND_MODIFY_COMMAND,
  COUNT_COMMAND,
  DISTINCT_COMMAND,
  AGGREGATE_COMMAND,
  EXPLAIN_COMMAND,
  BULK_WRITE_COMMAND,
  ...CURSOR_COMMANDS,
  ...CATALOG_COMMANDS,
  ...INDEX_COMMANDS,
  ...DIAGNOSTIC_COMMANDS,
  ...OPERATION_COMMANDS,
  ...TRANSACTION_COMMANDS,
  BACKUP_COMMAND,
  ...AUTH_COMMANDS,
  ...USER_COMMANDS,
  ...SHELL_COMMANDS,
  CONFIGURE_FAIL_POINT,
];

const BY_NAME = new Map<string, Command>(
  COMMANDS.flatMap((command) => [command.name, ...(command.aliases ?? [])].map((name) => [name, command] as const)),
);

function findCommand(name: string): Command {
  const command = BY_NAME.get(name);
  if (!command) fail('CommandNotFound', `no such command: '${name}'`);
  return command;
}

/** Runs every request of every client. */
export function runCommand(
  context: ServerContext,
  request: CommandRequest,
  client: ClientConnection,
): Promise<ReplyBody> | ReplyBody {
  const run = () => runChecked(context, request, client);
  return context.failPoint ? context.failPoint.run(request, client, run) : run();
}

function runChecked(
  context: ServerContext,
  request: CommandRequest,
  client: ClientConnection,
): Promise<ReplyBody> | ReplyBody {
  const command = findCommand(request.name);
  if (!command.beforeAuthentication && !client.auth.mayRunAll)
    fail('Unauthorized', `Command ${command.name} requires authentication`);
  checkGenericArguments(command, request);
  if (request.name !== 'endSessions') context.sessions.note(request.body.get('lsid'));
  const operation = context.operations.begin(request.name, namespaceOf(request), client);
  const end = () => context.operations.end(operation);
  try {
    // On getMore the limit is the time to wait for data.
    if (command.name !== 'getMore') operation.limit(arg.maxTimeMs(request.body));
    const call = { context, request, client, operation };
    const view = viewNamed(context, request.db, request.body.values[0]);
    const reply = (view && runOnView(command, call, view)) ?? command.run(call);
    if (reply instanceof Promise) return endAfter(reply, end);
    end();
    return reply;
  } catch (error) {
    end();
    throw error;
  }
}

async function endAfter(reply: Promise<ReplyBody>, end: () => void): Promise<ReplyBody> {
  try {
    return await reply;
  } finally {
    end();
  }
}

function namespaceOf({ db, body }: CommandRequest): string {
  const [collection] = body.values;
  return typeof collection === 'string' ? `${db}.${collection}` : `${db}.$cmd`;
}
