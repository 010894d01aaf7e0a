import { type ShardingCommand, shardingCommands } from '../../shared/db/sharding/commands.js';
import { StartRefused } from '../../shared/errors/start-refused.js';

/** What sharding asks of a server. */
export interface ShardingServer {
  readonly service: string;
  readonly worm: string;
  run(database: string, command: Readonly<Record<string, unknown>>): Promise<unknown>;
  tenantIds(): Promise<readonly string[]>;
}

/** Marks a mongos in the answer to `hello`. */
const MONGOS = 'isdbgrid';
const HEADER = 'For mongosh, connected to a mongos; each command may run again.';

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/**
 * Prints the commands that shard the collections, and runs them on a mongos.
 *
 * @returns the number of commands that ran
 * @throws StartRefused if the server is no mongos; the commands are printed before
 */
export async function shardDatabase(server: ShardingServer, say: (line: string) => void): Promise<number> {
  const { service, worm } = server;
  const isMongos = member(await server.run('admin', { hello: 1 }), 'msg') === MONGOS;
  const shards = isMongos ? shardNames(await server.run('admin', { listShards: 1 })) : [];
  const tenantIds = isMongos ? await server.tenantIds() : [];
  const commands = shardingCommands({ service, worm, shards, tenantIds });
  say(`// ${HEADER}`);
  for (const command of commands) say(shellLine(command));
  if (!isMongos) {
    throw new StartRefused(
      'nothing was run: the server is no mongos. Set MONGODB_URI to a mongos; it also names the shards for the zones',
    );
  }
  for (const { database, command } of commands) await server.run(database, command);
  return commands.length;
}

function shardNames(answer: unknown): readonly string[] {
  const shards = member(answer, 'shards');
  if (!Array.isArray(shards)) throw new StartRefused('the server lists no shards');
  return shards.map((shard) => String(member(shard, '_id'))).sort();
}

/** The command as mongosh reads it. */
export const shellLine = ({ database, command }: ShardingCommand): string =>
  `db.getSiblingDB(${JSON.stringify(database)}).runCommand(${shellValue(command)})`;

function shellValue(value: unknown): string {
  const type = member(value, '_bsontype');
  if (type === 'MinKey' || type === 'MaxKey') return `${type}()`;
  if (Array.isArray(value)) return `[${value.map(shellValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${shellValue(one)}`);
  return `{${members.join(', ')}}`;
}
