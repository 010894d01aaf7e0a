import { type RunningServer, startServer } from '../server/server.js';
import { failureMessage, readStartMessage, readyMessage } from './place.js';

/**
 * Runs the database in a process. The parent sends one start message and receives the ready message. When the channel
 * closes, the process finishes its writes and ends.
 */
async function main(): Promise<void> {
  let ended = false;
  const server = new Promise<RunningServer | undefined>((resolve) => {
    process.once('message', (message) => {
      startServer(readStartMessage(message)).then(
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
  // A terminal sends SIGINT to the whole group: the parent decides when its database ends.
  process.on('SIGINT', () => undefined);
  await server;
}

void main();
