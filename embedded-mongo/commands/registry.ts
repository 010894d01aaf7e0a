import { MongoError } from '../errors.js';
import type { ClientConnection } from '../wire/connection.js';
import type { ReplyBody } from '../wire/reply.js';
import type { CommandRequest } from '../wire/request.js';
import { aggregateCommand } from './aggregate.js';
import { bulkWriteCommand } from './bulk-write.js';
import { catalogCommands } from './catalog-commands.js';
import type { Command, ServerContext } from './command.js';
import { countCommand } from './count.js';
import { cursorCommands } from './cursor-commands.js';
import { deleteCommand } from './delete-command.js';
import { diagnosticCommands } from './diagnostic-commands.js';
import { distinctCommand } from './distinct.js';
import { explainCommand } from './explain.js';
import { findAndModifyCommand } from './find-and-modify.js';
import { checkGenericArguments } from './generic-arguments.js';
import { handshakeCommands } from './handshake.js';
import { indexCommands } from './index-commands.js';
import { insertCommand } from './insert.js';
import { transactionCommands } from './transaction-commands.js';
import { updateCommand } from './update-command.js';

const commands: readonly Command[] = [
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
  ...transactionCommands,
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
  const command = findCommand(request.name);
  checkGenericArguments(command, request);
  return command.run({ context, request, client });
}
