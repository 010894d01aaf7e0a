import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { lameDuckOf } from '../../shared/http/lame-duck.js';

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
}

/** A server that answers after `release`. */
async function slowServer() {
  const waiting: (() => void)[] = [];
  const server: Server = createServer((_request, response) => {
    waiting.push(() => response.end('done'));
  });
  const duck = lameDuckOf(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const underWay = async (count: number): Promise<void> => {
    while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { server, duck, port, underWay, release: () => waiting.splice(0).map((answer) => answer()) };
}

function get(port: number, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', agent }, (message: IncomingMessage) => {
      message.resume().on('end', () => {
        resolve({ status: message.statusCode, connection: message.headers.connection });
      });
    });
    sent.on('error', reject).end();
  });
}

const idleSocket = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
  });

describe('a server that drains', () => {
  it('finishes running requests with Connection: close, and accepts no new connection', async () => {
    const { duck, port, underWay, release } = await slowServer();
    const agent = new Agent({ keepAlive: true });
    const first = get(port, agent);
    await underWay(1);
    const drained = duck.drain(60_000);
    expect(duck.draining).toBe(true);
    await expect(get(port, new Agent())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    release();
    expect(await first).toEqual({ status: 200, connection: 'close' });
    await drained;
    agent.destroy();
  });

  it('answers requests on idle connections, and asks their clients to leave', async () => {
    const { duck, port, underWay, release } = await slowServer();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const before = get(port, agent);
    await underWay(1);
    release();
    expect((await before).connection).toBe('keep-alive');
    const drained = duck.drain(60_000);
    const late = get(port, agent);
    await underWay(1);
    release();
    expect(await late).toEqual({ status: 200, connection: 'close' });
    await drained;
    agent.destroy();
  });

  it('closes at the deadline only the connections of clients that send nothing', async () => {
    const { duck, port, underWay, release } = await slowServer();
    const idle = await idleSocket(port);
    const cut = new Promise<void>((resolve) => idle.once('close', () => resolve()));
    idle.resume();
    const agent = new Agent({ keepAlive: true });
    const working = get(port, agent);
    await underWay(1);
    await duck.drain(1);
    await cut;
    release();
    expect((await working).status).toBe(200);
    agent.destroy();
  });
});
