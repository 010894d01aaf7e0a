import { connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a database. It can cut every connection, and hold answers back. */
export interface CutProxy {
  /** The database, through the proxy. */
  readonly uri: string;
  /** Connections that a cut refused or ended. */
  readonly met: () => number;
  /** Ends every connection and refuses new ones until {@link mend}. */
  cut(): void;
  mend(): void;
  /**
   * Holds the answers of the next connection that sends this text, such as the name of a collection.
   *
   * @returns `held` resolves when the command has come; `release` passes the answers on.
   */
  hold(text: string): { readonly held: Promise<void>; readonly release: () => void };
  stop(): Promise<void>;
}

interface Hold {
  readonly text: string;
  readonly meet: (client: Socket, behind: Socket) => void;
}

/** @throws RangeError for an address with several hosts */
export async function startCutProxy(uri: string): Promise<CutProxy> {
  const [, head = '', host = '', rest = ''] = /^(mongodb:\/\/(?:[^@/]*@)?)([^/?]+)(.*)$/.exec(uri) ?? [];
  if (host === '' || host.includes(',')) throw new RangeError('a proxy needs an address with one host');
  const sockets = new Set<Socket>();
  let isCut = false;
  let met = 0;
  let hold: Hold | undefined;
  const server = createServer((client) => {
    if (isCut) {
      met += 1;
      client.destroy();
      return;
    }
    const behind = connectTo(decodeURIComponent(host));
    join(client, behind, sockets);
    client.on('data', (chunk: Buffer) => {
      if (hold === undefined || !chunk.includes(hold.text)) return;
      hold.meet(client, behind);
      hold = undefined;
    });
    client.pipe(behind);
    behind.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return {
    uri: `${head}127.0.0.1:${address.port}${path}${path.includes('?') ? '&' : '?'}directConnection=true`,
    met: () => met,
    cut: () => {
      isCut = true;
      met += sockets.size / 2;
      endAll();
    },
    mend: () => {
      isCut = false;
    },
    hold: (text) => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        hold = {
          text,
          meet: (client, behind) => {
            behind.unpipe(client);
            release = () => void behind.pipe(client);
            resolve();
          },
        };
      });
      return { held, release: () => release() };
    },
    stop: async () => {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function connectTo(host: string): Socket {
  const [name = '', port = '27017'] = host.split(':');
  return host.startsWith('/') ? connect(host) : connect(Number(port), name);
}

/** Ends both sides when one ends. */
function join(client: Socket, behind: Socket, sockets: Set<Socket>): void {
  for (const socket of [client, behind]) {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      client.destroy();
      behind.destroy();
    });
  }
}
