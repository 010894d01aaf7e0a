import { StartRefused } from '../shared/errors/start-refused.js';
import { type EngineOptions, SignerEngine } from './engine.js';
import { shareAt, socketPathOf, takePlace } from './socket/place.js';
import { signerServer } from './socket/server.js';

export interface ServedSigner {
  readonly engine: SignerEngine;
  readonly socketPath: string;
  close(): Promise<void>;
}

interface ServeOptions extends EngineOptions {
  /** A second socket, for services of other users; null for none. */
  readonly sharedSocket?: string | null;
  /** Called with faults of the signer itself. */
  readonly report: (error: unknown) => void;
}

/**
 * Holds a folder and answers on its socket.
 *
 * @returns null while another process holds the folder
 * @throws StartRefused for a folder that is damaged or cannot be made private
 */
export async function serveSigner(options: ServeOptions): Promise<ServedSigner | null> {
  const socketPath = socketPathOf(options.folder);
  // Listens before it opens: earlier requests wait.
  let open: (engine: SignerEngine) => void = () => undefined;
  const opened = new Promise<SignerEngine>((resolve) => {
    open = resolve;
  });
  const server = signerServer(waitingFor(opened), options.report);
  const letGo = await takePlace(server, socketPath);
  if (letGo === null) return null;
  try {
    const engine = await SignerEngine.open(options);
    open(engine);
    const shared = signerServer(engine, options.report);
    if (options.sharedSocket) await shareAt(shared, options.sharedSocket);
    return {
      engine,
      socketPath,
      close: async () => {
        shared.close();
        shared.closeAllConnections();
        await letGo();
        await engine.close();
      },
    };
  } catch (error) {
    await letGo();
    throw error instanceof StartRefused
      ? error
      : new StartRefused(`the signer's folder cannot be opened`, { cause: error });
  }
}

const waitingFor = (opened: Promise<SignerEngine>) => ({
  dataKey: async () => (await opened).dataKey(),
  createKey: async (...args: Parameters<SignerEngine['createKey']>) => (await opened).createKey(...args),
  endKey: async (...args: Parameters<SignerEngine['endKey']>) => (await opened).endKey(...args),
  sign: async (...args: Parameters<SignerEngine['sign']>) => (await opened).sign(...args),
  lastSigned: async (...args: Parameters<SignerEngine['lastSigned']>) => (await opened).lastSigned(...args),
  status: async () => (await opened).status(),
});
