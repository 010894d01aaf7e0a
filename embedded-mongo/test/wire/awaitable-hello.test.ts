import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startInThread } from '../../launch/launch.js';
import { startTestServer, type TestServer, temporaryDirectory, until } from '../test-server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('an awaitable hello', () => {
  it('waits as long as asked when the topology is the known one, and answers at once otherwise', async () => {
    const admin = server.client.db('admin');
    const { topologyVersion } = await admin.command({ hello: 1 });
    const startMs = performance.now();
    await admin.command({ hello: 1, topologyVersion, maxAwaitTimeMS: 300 });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(290);
    const other = { ...topologyVersion, counter: topologyVersion.counter + 1 };
    expect(await admin.command({ hello: 1, topologyVersion: other, maxAwaitTimeMS: 600_000 })).toMatchObject({ ok: 1 });
  });

  it('streams to a driver that monitors, with one heartbeat each time', async () => {
    const client = new MongoClient(server.running.uri, { heartbeatFrequencyMS: 500, serverMonitoringMode: 'stream' });
    const awaited: boolean[] = [];
    client.on('serverHeartbeatSucceeded', ({ awaited: isAwaited }) => awaited.push(isAwaited));
    await client.connect();
    await until(() => awaited.filter(Boolean).length >= 3);
    expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
  });

  it('tells a driver at once that the server ended', async () => {
    const directory = temporaryDirectory();
    const running = await startInThread({ dataDir: directory.path });
    const client = new MongoClient(running.uri, { heartbeatFrequencyMS: 60_000 });
    let failures = 0;
    client.on('serverHeartbeatFailed', () => {
      failures += 1;
    });
    await client.connect();
    await running.stop();
    await until(() => failures > 0, 30_000);
    await client.close();
    directory.remove();
  });
});
