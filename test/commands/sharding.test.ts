import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MaxKey, MinKey } from 'mongodb';
import { shardDatabase, shellLine } from '../../app/sharding/shard-database.js';
import { shardingCommands } from '../../shared/db/sharding/commands.js';
import { startTestServer, type TestServer } from '../support/database.js';

const NAMES = { service: 'eas', worm: 'eas_worm' } as const;

/** A mongos of two shards that notes the commands it gets. */
function mongos() {
  const ran: { readonly database: string; readonly command: Readonly<Record<string, unknown>> }[] = [];
  return {
    ran,
    server: {
      ...NAMES,
      run: async (database: string, command: Readonly<Record<string, unknown>>) => {
        if ('hello' in command) return { msg: 'isdbgrid', ok: 1 };
        if ('listShards' in command) return { shards: [{ _id: 'rs1' }, { _id: 'rs0' }], ok: 1 };
        ran.push({ database, command });
        return { ok: 1 };
      },
      tenantIds: async () => ['acme', 'beta'],
    },
  };
}

describe('npm run db:prepare -- --sharded', () => {
  let embedded: TestServer;
  beforeAll(async () => {
    embedded = await startTestServer();
  });
  afterAll(() => embedded.stop());

  it('runs on a mongos exactly what it prints, indexes and collections before zones', async () => {
    const { ran, server } = mongos();
    const lines: string[] = [];
    expect(await shardDatabase(server, (line) => lines.push(line))).toBe(ran.length);
    expect(lines.slice(1)).toEqual(ran.map(shellLine));
    const kinds = ran.map(({ command }) => Object.keys(command)[0]);
    expect([...new Set(kinds)]).toEqual(['createIndexes', 'shardCollection', 'addShardToZone', 'updateZoneKeyRange']);
    expect(ran.filter(({ command }) => 'shardCollection' in command).map(({ command }) => command)).toEqual([
      { shardCollection: 'eas.ledger', key: { tenant_id: 1, source_system: 1 } },
      { shardCollection: 'eas.ledger_tree', key: { tenant_id: 1 } },
      { shardCollection: 'eas_worm.worm_blobs.chunks', key: { files_id: 1, n: 1 } },
    ]);
  });

  it('keeps all rows of a tenant in one zone, in ranges that touch no other tenant', () => {
    const commands = shardingCommands({ ...NAMES, shards: ['rs0', 'rs1'], tenantIds: ['acme', 'acme2'] });
    const ranges = commands.flatMap(({ command }) => ('updateZoneKeyRange' in command ? [command] : []));
    expect(ranges).toHaveLength(4);
    expect(ranges[0]).toMatchObject({
      updateZoneKeyRange: 'eas.ledger',
      min: { tenant_id: 'acme', source_system: new MinKey() },
      max: { tenant_id: 'acme', source_system: new MaxKey() },
    });
    expect(ranges[1]).toMatchObject({ min: { tenant_id: 'acme' }, max: { tenant_id: 'acme\u0000' } });
    expect(new Set(ranges.slice(0, 2).map(({ zone }) => zone)).size).toBe(1);
  });

  it('prints the commands and refuses a server that is no mongos', async () => {
    const { db } = await embedded.connect('eas');
    const lines: string[] = [];
    const server = {
      ...NAMES,
      run: (name: string, command: Readonly<Record<string, unknown>>) => db.client.db(name).command({ ...command }),
      tenantIds: async () => [],
    };
    await expect(shardDatabase(server, (line) => lines.push(line))).rejects.toThrow('the server is no mongos');
    expect(lines.join('\n')).toContain(
      '{"shardCollection": "eas.ledger", "key": {"tenant_id": 1, "source_system": 1}}',
    );
    expect(lines.join('\n')).not.toContain('updateZoneKeyRange');
  });

  it('prints bounds as mongosh reads them', () => {
    const command = { min: { a: new MinKey(), b: 'x\u0000"' }, max: [new MaxKey()] };
    expect(shellLine({ database: 'admin', command })).toBe(
      'db.getSiblingDB("admin").runCommand({"min": {"a": MinKey(), "b": "x\\u0000\\""}, "max": [MaxKey()]})',
    );
  });
});
