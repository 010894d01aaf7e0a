import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

// A receiver in a separate process; the bare loop and the service send to the same one. `/count` answers immediately and
// counts; `/times` records the time of each message's first byte; `/silent` never answers.

const nowMs = (): number => performance.timeOrigin + performance.now();

const counted = { requests: 0, firstMs: 0, lastMs: 0 };
const times: [string, number][] = [];

const server = createServer((request, response) => {
  const atMs = nowMs();
  const path = request.url ?? '';
  if (path === '/silent') return void request.resume();
  if (path === '/stats') {
    response.end(JSON.stringify({ counted, times }));
    return;
  }
  if (path === '/reset') {
    Object.assign(counted, { requests: 0, firstMs: 0, lastMs: 0 });
    times.length = 0;
    response.end('{}');
    return;
  }
  if (path === '/times') times.push([String(request.headers['webhook-id']), atMs]);
  answerWhenRead(request, () => {
    if (path === '/count') {
      counted.requests += 1;
      counted.firstMs ||= atMs;
      counted.lastMs = nowMs();
    }
    response.end('ok');
  });
});

function answerWhenRead(request: IncomingMessage, answer: () => void): void {
  request.resume();
  request.on('end', answer);
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
