import { connect, createServer, type Socket } from 'node:net';

// Counts the commands that a service sends to its database: a proxy reads the headers of the messages on their way
// (MongoDB wire protocol, OP_MSG).

export interface CountedDatabase {
  /** The same database, through the proxy. */
  readonly uri: string;
  /** Commands since the start, by name and collection; those that keep connections alive are left out. */
  readonly counts: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const OP_MSG = 2013;
const HEADER_BYTES = 16;
const FLAG_BYTES = 4;
const STRING_TYPE = 2;
const UPKEEP = new Set(['hello', 'isMaster', 'ismaster', 'ping', 'endSessions', 'saslStart', 'saslContinue']);

/** @throws RangeError for an address with several hosts */
export async function countedDatabase(uri: string): Promise<CountedDatabase> {
  const [, head = '', host = '', rest = ''] = /^(mongodb:\/\/(?:[^@/]*@)?)([^/?]+)(.*)$/.exec(uri) ?? [];
  if (host === '' || host.includes(',')) throw new RangeError('a proxy needs an address with one host');
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = decodeURIComponent(host);
    const [name = '', port = '27017'] = target.split(':');
    const database = target.startsWith('/') ? connect(target) : connect(Number(port), name);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.on('data', messagesOf(counts));
    client.pipe(database);
    database.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return {
    uri: `${head}127.0.0.1:${address.port}${path}${path.includes('?') ? '&' : '?'}directConnection=true`,
    counts,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a reader of one connection's bytes. */
function messagesOf(counts: Map<string, number>): (chunk: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  return (chunk) => {
    held = Buffer.concat([held, chunk]);
    while (held.length >= HEADER_BYTES) {
      const length = held.readInt32LE(0);
      if (held.length < length) return;
      const command = commandOf(held.subarray(0, length));
      if (command !== undefined) counts.set(command, (counts.get(command) ?? 0) + 1);
      held = held.subarray(length);
    }
  };
}

/** The first member of a command is its name; its value is the collection. */
function commandOf(message: Buffer): string | undefined {
  if (message.readInt32LE(12) !== OP_MSG) return undefined;
  let at = HEADER_BYTES + FLAG_BYTES;
  // Sections of kind 1 hold the documents of a bulk write; the body is of kind 0.
  while (message[at] === 1) at += 1 + message.readInt32LE(at + 1);
  const type = message[at + 5];
  const nameAt = at + 6;
  const nameEnd = message.indexOf(0, nameAt);
  const name = message.toString('utf8', nameAt, nameEnd);
  if (UPKEEP.has(name)) return undefined;
  if (type !== STRING_TYPE) return name;
  const length = message.readInt32LE(nameEnd + 1);
  return `${name} ${message.toString('utf8', nameEnd + 5, nameEnd + 4 + length)}`;
}
