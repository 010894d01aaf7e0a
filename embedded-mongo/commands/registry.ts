import { MongoError } from '../errors.js';
import type { ClientConnection } from '../wire/connection.js';
import type { ReplyBody } from '../wire/reply.js';
import type { CommandRequest } from '../wire/request.js';
import { aggregateCommand } from './aggregate.js';
import { maxTimeMs } from './arguments.js';
import { authCommands } from './auth-commands.js';
import { backupCommand } from './backup-command.js';
import { bulkWriteCommand } from './bulk-write.js';
import { catalogCommands } from './catalog-commands.js';
import type { Command, ServerContext } from './command.js';
import { countCommand } from './count.js';
import { cursorCommands } from './cursor-commands.js';
import { deleteCommand } from './delete-command.js';
import { diagnosticCommands } from './diagnostic-commands.js';
import { distinctCommand } from './distinct.js';
import { explainCommand } from './explain.js';
import { configureFailPoint } from './fail-point.js';
import { findAndModifyCommand } from './find-and-modify.js';
import { checkGenericArguments } from './generic-arguments.js';
import { handshakeCommands } from './handshake.js';
import { indexCommands } from './index-commands.js';
import { insertCommand } from './insert.js';
import { operationCommands } from './operation-commands.js';
import { shellCommands } from './shell-commands.js';
import { transactionCommands } from './transaction-commands.js';
import { updateCommand } from './update-command.js';
import { userCommands } from './user-commands.js';
import { runOnView, viewNamed } from './views.js';

/** Every command there is; the tables of the README are printed from it. */
export const commands: readonly Command[] = [
  ...handshakeCommands,
  insertCommand,
  updateCommand,
  deleteCommand,
  findAndModifyCommand,
  countCommand,
  distinctCommand,
  aggregateCommand,
  explainCommand,
  bulkWriteCommand,
  ...cursorCommands,
  ...catalogCommands,
  ...indexCommands,
  ...diagnosticCommands,
  ...operationCommands,
  ...transactionCommands,
  backupCommand,
  ...authCommands,
  ...userCommands,
  ...shellCommands,
  configureFailPoint,
];

const byName = new Map<string, Command>(
  commands.flatMap((command) => [command.name, ...(command.aliases ?? [])].map((name) => [name, command] as const)),
);

export function findCommand(name: string): Command {
  const command = byName.get(name);
  if (!command) throw new MongoError('CommandNotFound', `no such command: '${name}'`);
  return command;
}

/** The one door for requests. */
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
  if (!command.beforeAuthentication && !client.auth.mayRunAll) {
    throw new MongoError('Unauthorized', `Command ${command.name} requires authentication`);
  }
  checkGenericArguments(command, request);
  const operation = context.operations.begin(request.name, namespaceOf(request), client);
  const end = () => context.operations.end(operation);
  try {
    // On getMore the limit is the time to wait for data.
    if (command.name !== 'getMore') operation.limit(maxTimeMs(request.body));
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
