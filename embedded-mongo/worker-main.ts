import { parentPort, workerData } from 'node:worker_threads';
import { failureMessage, readyMessage, type StartMessage } from './launch-messages.js';
import { startServer } from './server.js';

/** The database as a thread: tells its parent when it is ready, and ends at the message that asks for it. */
async function main(): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('worker-main must run as a worker thread');
  try {
    const server = await startServer(workerData as StartMessage);
    port.once('message', () => {
      void server.close().then(() => port.close());
    });
    port.postMessage(readyMessage(server));
  } catch (error) {
    port.postMessage(failureMessage(error));
    port.close();
  }
}

await main();
