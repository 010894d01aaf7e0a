// The driver exports no class of connections; every release of version 7 has it at this path.
import { Connection, type DriverConnection } from 'mongodb/lib/cmap/connection.js';

// The driver (7.8) encodes a command, waits one turn of the microtasks, and writes it. If the connection closes in that
// turn, the write waits for a `drain` that a closed socket never emits: the operation has no answer and no limit, because
// `socketTimeoutMS` counts on the closed socket. A request then hangs for ever, and so does a stop that waits for it.

const GUARDED = Symbol.for('eas.closed-writes');

/** Makes a write that waits on a connection fail when the connection closes. Costs nothing while it is open. */
export function failClosedWrites(): void {
  const { prototype }: { readonly prototype: DriverConnection & { [GUARDED]?: true } } = Connection;
  if (prototype[GUARDED]) return;
  prototype[GUARDED] = true;
  const { cleanup } = prototype;
  prototype.cleanup = function closed(error) {
    const isFirst = !this.closed;
    cleanup.call(this, error);
    if (!isFirst) return;
    // A command that began before the close has written by then.
    setImmediate(() => {
      if (this.socket.listenerCount('drain') > 0) this.socket.emit('error', error);
    });
  };
}
