import { z } from 'zod';
import { systemClock } from '../shared/clock/clock.js';
import { systemRandomness } from '../shared/ids/ids.js';
import { serveSigner } from './serve.js';

// The signer as a child of the service: it starts with the first message and ends when its parent does.

const Start = z.object({
  folder: z.string(),
  masterKeyHex: z.string().nullable(),
  sharedSocket: z.string().nullable(),
});

const say = (word: 'ready' | 'held' | { readonly refused: string }): void => void process.send?.(word);

function report(error: unknown): void {
  process.stderr.write(`signer: ${(error instanceof Error && error.stack) || String(error)}\n`);
}

process.once('message', async (message) => {
  try {
    const start = Start.parse(message);
    const served = await serveSigner({
      ...start,
      clock: systemClock,
      randomness: systemRandomness(),
      report: (error) => {
        report(error);
        // What a failed write has left on disk is read by the next start.
        if (served?.engine.isSound === false) process.exit(1);
      },
    });
    if (served === null) {
      say('held');
      process.disconnect();
      return;
    }
    process.once('disconnect', () => void served.close().finally(() => process.exit(0)));
    say('ready');
  } catch (error) {
    say({ refused: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  }
});
// A terminal sends its signals to the whole group: the parent decides when this process ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
