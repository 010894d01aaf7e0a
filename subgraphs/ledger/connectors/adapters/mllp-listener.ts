import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer } from 'node:tls';
import { addressMatcher } from '../../../../shared/auth/cidr.js';
import {
  ConnectorFailure,
  type ListenerEvents,
  type ListenerSettings,
  type OpenListener,
  type OpenMessageListener,
} from '../ports.js';
import { MllpConnection } from './mllp-connection.js';

/** Opens a listener on the first available port. */
export const openMllpListener: OpenMessageListener = async (settings, events) => {
  const listener = new MllpListener(settings, events);
  await listener.open();
  return listener;
};

/** Why a certificate and its key cannot be used together; null if they can. */
export function tlsFaultOf({
  certificate,
  key,
  ca,
}: {
  readonly certificate: string;
  readonly key: string;
  readonly ca?: string;
}): string | null {
  try {
    createSecureContext({ cert: certificate, key, ...(ca === undefined ? {} : { ca }) });
    return null;
  } catch {
    // OpenSSL's message may quote its input.
    return 'The certificate, its private key and the authority do not match, or are not PEM.';
  }
}

class MllpListener implements OpenListener {
  readonly #settings: ListenerSettings;
  readonly #events: ListenerEvents;
  readonly #connections = new Set<MllpConnection>();
  readonly #server: Server;
  #port = 0;
  #paused = false;

  constructor(settings: ListenerSettings, events: ListenerEvents) {
    this.#settings = settings;
    this.#events = events;
    const { tls, allowedAddresses } = settings;
    const isAllowed = allowedAddresses.length === 0 ? () => true : addressMatcher(allowedAddresses);
    const accept = (socket: Socket): void => {
      if (!isAllowed(socket.remoteAddress ?? null)) socket.destroy();
      else this.#accept(socket);
    };
    this.#server =
      tls === null
        ? createPlainServer({ noDelay: true, allowHalfOpen: true }, accept)
        : createTlsServer(
            {
              cert: tls.certificate,
              key: tls.key,
              // Half-open: a sender that has ended its side still gets answers.
              allowHalfOpen: true,
              minVersion: 'TLSv1.2',
              handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
              ...(tls.ca === undefined ? {} : { ca: tls.ca, requestCert: true, rejectUnauthorized: true }),
            },
            accept,
          );
    this.#server.maxConnections = settings.maxConnections;
  }

  get listening() {
    return { host: this.#settings.host, port: this.#port, tls: this.#settings.tls !== null };
  }

  get connections(): number {
    return this.#connections.size;
  }

  async open(): Promise<void> {
    let code = 'EADDRINUSE';
    for (const port of this.#settings.ports) {
      const failed = await this.#listen(port);
      if (failed === null) {
        const address = this.#server.address();
        this.#port = typeof address === 'object' && address !== null ? address.port : port;
        this.#server.on('error', (error) => this.#events.failed(error));
        return;
      }
      code = failed;
      if (code !== 'EADDRINUSE') break;
    }
    throw new ConnectorFailure(code, 'The service cannot listen on the port.');
  }

  pause(): void {
    this.#paused = true;
    for (const connection of this.#connections) connection.hold(true);
  }

  resume(): void {
    this.#paused = false;
    for (const connection of this.#connections) connection.hold(false);
  }

  quiesce(): void {
    this.pause();
    this.#server.close();
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      if (this.#server.listening) this.#server.close(() => resolve());
      else if (this.#connections.size === 0) resolve();
      else this.#server.once('close', () => resolve());
    });
    for (const connection of this.#connections) connection.end();
    return closed;
  }

  /** The code of a port fault, or null. */
  #listen(port: number): Promise<string | null> {
    return new Promise((resolve) => {
      const onError = (error: Error & { readonly code?: string }): void => resolve(error.code ?? 'LISTEN');
      this.#server.once('error', onError);
      this.#server.listen({ host: this.#settings.host, port, exclusive: true }, () => {
        this.#server.removeListener('error', onError);
        resolve(null);
      });
    });
  }

  #accept(socket: Socket): void {
    const connection = new MllpConnection(socket, this.#settings, this.#events, () =>
      this.#connections.delete(connection),
    );
    this.#connections.add(connection);
    if (this.#paused) connection.hold(true);
  }
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
