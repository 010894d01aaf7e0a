import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FrontDoor } from '../../app/front-door.js';
import { startService } from '../../app/start-service.js';
import { configFrom } from '../../shared/config/config.js';

let door: FrontDoor;
const open = async () => {
  door = await FrontDoor.open({ host: '127.0.0.1', port: 0 });
  return door.url;
};
afterEach(() => door.close());

/** Resolves when the server has read the head of a request. */
const arrived = () => once(door.server, 'request');

describe('the server of a process that is starting', () => {
  it('answers liveness with 200 and readiness with 503', async () => {
    const url = await open();
    const live = await fetch(`${url}/v1/healthz`);
    const ready = await fetch(`${url}/v1/healthz/ready`);
    expect([live.status, await live.json()]).toEqual([200, { status: 'ok', checks: {} }]);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ checks: { lifecycle: { status: 'failed' } } });
  });

  it('holds another request with its body until the routes are there', async () => {
    const url = await open();
    const head = arrived();
    const answer = fetch(`${url}/v1/events`, { method: 'POST', body: 'x'.repeat(300_000) });
    await head;
    door.serve(async (request, response) => {
      let bytes = 0;
      for await (const chunk of request) bytes += Buffer.byteLength(chunk);
      response.end(`${request.url} ${bytes}`);
    });
    expect(await (await answer).text()).toBe('/v1/events 300000');
  });

  it('answers 503 with the error object to requests that wait when the start fails', async () => {
    const url = await open();
    const head = arrived();
    const answer = fetch(`${url}/v1/events`, { headers: { 'x-request-id': 'mine' } });
    await head;
    const closed = door.close();
    const { status, headers, body } = await answer.then(async (it) => ({
      status: it.status,
      headers: it.headers,
      body: await it.json(),
    }));
    await closed;
    expect([status, headers.get('retry-after'), headers.get('x-request-id')]).toEqual([503, '1', 'mine']);
    expect(body).toMatchObject({ code: 'UNAVAILABLE', status: 503, request_id: 'mine' });
  });

  it('refuses a port in use before it writes anything', async () => {
    await open();
    const folder = join(tmpdir(), `eas-never-made-${process.pid}`);
    const taken = new URL(door.url).port;
    const config = configFrom({ PORT: taken, SERVICE_LOG_LEVEL: 'silent', SERVICE_DATA_DIR: folder });
    await expect(startService(config)).rejects.toThrow(`127.0.0.1:${taken} cannot be listened on (EADDRINUSE)`);
    expect(existsSync(folder)).toBe(false);
  });

  it('names a loopback address when it listens on all addresses', async () => {
    door = await FrontDoor.open({ host: '0.0.0.0', port: 0 });
    expect(door.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});
