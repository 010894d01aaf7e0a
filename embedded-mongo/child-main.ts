import { failureMessage, readyMessage, type StartMessage } from './launch-messages.js';
import { type RunningServer, startServer } from './server.js';

/**
 * The database as a process: its parent sends one start message and hears when it is ready. The channel closing, for
 * whatever reason, is the order to finish the writes under way and end.
 */
async function main(): Promise<void> {
  let ended = false;
  const server = new Promise<RunningServer | undefined>((resolve) => {
    process.once('message', (message) => {
      startServer(message as StartMessage).then(
        (started) => {
          process.send?.(readyMessage(started));
          resolve(started);
        },
        (error: unknown) => {
          process.exitCode = 1;
          process.send?.(failureMessage(error), () => process.disconnect());
          resolve(undefined);
        },
      );
    });
    process.once('disconnect', () => resolve(undefined));
  });
  const end = async () => {
    if (ended) return;
    ended = true;
    await (await server)?.close();
    process.exit();
  };
  process.once('disconnect', () => void end());
  process.once('SIGTERM', () => void end());
  // Sent to the whole group by a terminal: the parent decides when its database may go.
  process.on('SIGINT', () => undefined);
  await server;
}

await main();
