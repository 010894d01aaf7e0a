import { MaxKey, MinKey } from 'mongodb';
import { zoneOf } from './placement.js';
import { SHARDED, type ShardedCollection } from './plan.js';

/** A command, and the database that it runs on. */
export interface ShardingCommand {
  readonly database: string;
  readonly command: Readonly<Record<string, unknown>>;
}

interface ShardingInput {
  /** Name of the service's database. */
  readonly service: string;
  readonly worm: string;
  /** Names of the shards; the zone of a shard has its name with a prefix. */
  readonly shards: readonly string[];
  readonly tenantIds: readonly string[];
}

const ADMIN = 'admin';
const zoneName = (shard: string): string => `eas-${shard}`;

/**
 * Lists the commands that shard the planned collections, in the order in which they run. Each may run again.
 *
 * Without shards it lists no zones.
 */
export function shardingCommands(input: ShardingInput): readonly ShardingCommand[] {
  const { shards, tenantIds } = input;
  const zoned = SHARDED.filter(({ key }) => Object.keys(key)[0] === 'tenant_id');
  const zones = shards.map(zoneName);
  return [
    ...SHARDED.filter(({ needsIndex }) => needsIndex === true).map((collection) => supportingIndex(collection, input)),
    ...SHARDED.map((collection) => shardCollection(collection, input)),
    ...shards.map((shard) => ({ database: ADMIN, command: { addShardToZone: shard, zone: zoneName(shard) } })),
    ...(zones.length === 0
      ? []
      : tenantIds.flatMap((tenantId) => zoned.map((collection) => zoneRange(collection, input, tenantId, zones)))),
  ];
}

const databaseOf = ({ database }: ShardedCollection, { service, worm }: ShardingInput): string =>
  database === 'worm' ? worm : service;

/** A collection with rows is sharded only if an index without a filter begins with its key. */
const supportingIndex = (collection: ShardedCollection, input: ShardingInput): ShardingCommand => ({
  database: databaseOf(collection, input),
  command: {
    createIndexes: collection.name,
    indexes: [{ key: collection.key, name: `${Object.keys(collection.key).join('_1_')}_1` }],
  },
});

const shardCollection = (collection: ShardedCollection, input: ShardingInput): ShardingCommand => ({
  database: ADMIN,
  command: { shardCollection: `${databaseOf(collection, input)}.${collection.name}`, key: collection.key },
});

/** The range of one tenant: from its least key to the least key of the next name. */
function zoneRange(
  collection: ShardedCollection,
  input: ShardingInput,
  tenantId: string,
  zones: readonly string[],
): ShardingCommand {
  const bound = (end: MinKey | MaxKey): Record<string, unknown> =>
    Object.fromEntries(Object.keys(collection.key).map((field, place) => [field, place === 0 ? tenantId : end]));
  // A key of one field has no room after its value: the next text is the same with a zero character.
  const isOnly = Object.keys(collection.key).length === 1;
  return {
    database: ADMIN,
    command: {
      updateZoneKeyRange: `${databaseOf(collection, input)}.${collection.name}`,
      min: bound(new MinKey()),
      max: isOnly ? { tenant_id: `${tenantId}\u0000` } : bound(new MaxKey()),
      zone: zoneOf(tenantId, zones),
    },
  };
}
