import { parentPort, workerData } from 'node:worker_threads';
import { startServer } from '../server/server.js';
import { failureMessage, readStartMessage, readyMessage } from './place.js';

/** Runs the database in a thread: posts the ready message and ends at the next message. */
async function main(): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('worker-main must run as a worker thread');
  try {
    const server = await startServer(readStartMessage(workerData));
    port.once('message', () => {
      void server.close().then(() => port.close());
    });
    port.postMessage(readyMessage(server));
  } catch (error) {
    port.postMessage(failureMessage(error));
    port.close();
  }
}

void main();
