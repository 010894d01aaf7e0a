declare module 'mongodb/lib/cmap/connection.js' {
  import type { EventEmitter } from 'node:events';

  /** The part of the driver's connection that the guard of closed writes needs. */
  export interface DriverConnection {
    readonly socket: EventEmitter;
    readonly closed: boolean;
    cleanup(error: Error): void;
  }

  export const Connection: { readonly prototype: DriverConnection };
}
