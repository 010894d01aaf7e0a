import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { addressJudge, type TargetPolicy } from './address-policy.js';
import { isPortOpen } from './judge-url.js';
import type { ResolveHost } from './resolve-host.js';

/** The name leads where no request may go. */
class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';

  constructor() {
    super('the address is refused');
    this.name = 'AddressRefused';
  }
}

interface ConnectorOptions {
  readonly policy: TargetPolicy;
  readonly resolve: ResolveHost;
  readonly timeoutMs: number;
  /** Trusted certificates in addition to the system's, PEM. */
  readonly ca?: string;
}

/**
 * Connections of one origin, to vetted addresses alone. A name is resolved here, every address that it has is judged (one that is refused
 * refuses the name), and those very addresses are connected to: nothing is asked twice, so that an answer which changes
 * between check and use changes nothing. Where the socket ends is judged once more.
 */
export function safeConnector({ policy, resolve, timeoutMs, ca }: ConnectorOptions): buildConnector.connector {
  const judge = addressJudge(policy);
  const isOpen = (address: string, port: number): boolean => {
    const verdict = judge(address);
    return verdict !== 'refused' && isPortOpen(policy, verdict, port);
  };
  let connect: buildConnector.connector | undefined;
  return (options, callback) => {
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
    // `lookup` is asked for names alone: a literal host is judged here.
    if (isIP(options.hostname) !== 0 && !isOpen(options.hostname, port)) {
      callback(new AddressRefused(), null);
      return;
    }
    connect ??= buildConnector({
      timeout: timeoutMs,
      lookup: vettedLookup(resolve, (address) => isOpen(address, port)),
      ...(ca === undefined ? {} : { ca }),
    });
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error !== null) return callback(error, null);
      if (!isOpen(socket.remoteAddress ?? '', port)) {
        socket.destroy();
        return callback(new AddressRefused(), null);
      }
      return callback(null, socket);
    });
  };
}

/** `dns.lookup` as sockets call it, over vetted answers. */
const vettedLookup =
  (resolve: ResolveHost, isOpen: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(isOpen)) {
          callback(new AddressRefused(), []);
        } else if (options.all === true) {
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        } else callback(null, first, isIP(first));
      },
      (error: Error) => callback(error, []),
    );
  };
