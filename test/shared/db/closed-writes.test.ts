import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { failClosedWrites } from '../../../shared/db/closed-writes.js';
import { CONNECTION_OPTIONS } from '../../../shared/db/connection-options.js';
import { startTestServer, type TestServer } from '../../support/database.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Longer than the wait for a server, shorter than a hang. */
const ENDS_WITHIN_MS = 20_000;

describe('a command, when its connection closes after it is encoded and before it is written', () => {
  it('fails as on a broken connection, and does not wait for ever', async () => {
    failClosedWrites();
    const sockets: net.Socket[] = [];
    const connect = net.createConnection.bind(net) as (...args: unknown[]) => net.Socket;
    const spy = jest.spyOn(net, 'createConnection').mockImplementation(((...args: unknown[]) => {
      const socket = connect(...args);
      sockets.push(socket);
      return socket;
    }) as typeof net.createConnection);
    const options = { ...CONNECTION_OPTIONS, monitorCommands: true, retryReads: false };
    const client = new MongoClient(server.uri, options);
    try {
      const rows = client.db('closed').collection('rows');
      await rows.findOne();
      client.on('commandStarted', ({ commandName }) => {
        if (commandName === 'find') queueMicrotask(() => sockets.forEach((socket) => void socket.destroy()));
      });
      const silence = new Promise((resolve) => setTimeout(resolve, ENDS_WITHIN_MS, 'no answer').unref());
      const outcome = Promise.race([rows.findOne().catch((error: Error) => error.name), silence]);
      expect(await outcome).toBe('MongoNetworkError');
    } finally {
      spy.mockRestore();
      await client.close();
    }
  });
});
