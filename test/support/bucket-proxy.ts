import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** How the proxy treats the requests that match: a fault of a bucket, or of the way to it. */
export type BucketFault =
  | 'none'
  /** 500 InternalError. */
  | 'error'
  /** Closes the connection before the request reaches the bucket. */
  | 'cut'
  /** The bucket gets the first half of the request; then both connections close. */
  | 'half'
  /** The bucket serves the request, and the answer is lost. */
  | 'lost'
  /** The bucket serves the request, and the answer ends in the middle. */
  | 'torn'
  /** The bucket serves the request, and the answer comes late. */
  | 'slow'
  /** Never answers. */
  | 'silent'
  | 'expired'
  /** The credential lacks the right. */
  | 'denied'
  | 'skewed';

export interface BucketProxy {
  readonly endpoint: string;
  /** Number of requests that a fault met. */
  readonly met: () => number;
  /** @param method only requests of this method, such as PUT; all by default @param part only those with this in their URL */
  set(fault: BucketFault, method?: string, part?: string): void;
  /** Chooses the fault of each request. */
  vary(choose: () => BucketFault): void;
  stop(): Promise<void>;
}

const xml = (code: string): string => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>test</Message></Error>`;

const ANSWERS: Partial<Record<BucketFault, readonly [number, string]>> = {
  error: [500, 'InternalError'],
  expired: [403, 'ExpiredToken'],
  denied: [403, 'AccessDenied'],
  skewed: [403, 'RequestTimeTooSkewed'],
};

/** Starts a proxy in front of a bucket server. It keeps the host header, which the signature covers. */
export async function startBucketProxy(target: number): Promise<BucketProxy> {
  let choose = (): BucketFault => 'none';
  let isMeant = (_: IncomingMessage): boolean => true;
  let met = 0;
  const server = createServer((incoming, answer) => {
    const fault = isMeant(incoming) ? choose() : 'none';
    if (fault === 'none') return forward(target, incoming, answer, fault);
    met++;
    const given = ANSWERS[fault];
    if (given !== undefined) return reply(incoming, answer, given);
    if (fault === 'cut') return void incoming.socket.destroy();
    if (fault === 'silent') return void incoming.resume();
    return forward(target, incoming, answer, fault);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a proxy without a port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    met: () => met,
    set: (fault, method, part = '') => {
      choose = () => fault;
      isMeant = (asked) => (method === undefined || asked.method === method) && asked.url?.includes(part) === true;
      met = 0;
    },
    vary: (next) => {
      choose = next;
      isMeant = () => true;
      met = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers after the whole request, as a bucket does. */
function reply(incoming: IncomingMessage, answer: ServerResponse, [status, code]: readonly [number, string]): void {
  incoming.resume().on('end', () => {
    answer.writeHead(status, { 'content-type': 'application/xml' });
    answer.end(incoming.method === 'HEAD' ? undefined : xml(code));
  });
}

/** Long enough for other requests to overtake a slow one. */
const SLOW_MS = 20;

function forward(target: number, incoming: IncomingMessage, answer: ServerResponse, fault: BucketFault): void {
  const { method, url, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port: target, method, path: url, headers }, (served) => {
    if (fault === 'lost') return void served.resume().on('end', () => incoming.socket.destroy());
    const pass = (): void => {
      answer.writeHead(served.statusCode ?? 502, served.headers);
      if (fault === 'torn') served.once('data', (piece: Buffer) => tear(answer, piece));
      else served.pipe(answer);
    };
    if (fault === 'slow') setTimeout(pass, SLOW_MS);
    else pass();
    // An answer without a body has no middle.
    if (fault === 'torn') served.on('end', () => answer.destroy());
  });
  onward.on('error', () => incoming.socket.destroy());
  incoming.on('error', () => onward.destroy());
  if (fault !== 'half') return void incoming.pipe(onward);
  onward.flushHeaders();
  incoming.once('data', (piece: Buffer) => onward.write(piece.subarray(0, piece.length / 2), () => onward.destroy()));
  incoming.on('end', () => onward.destroy());
}

function tear(answer: ServerResponse, piece: Buffer): void {
  answer.write(piece.subarray(0, piece.length / 2), () => answer.destroy());
}
