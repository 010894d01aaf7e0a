import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchEnvelope } from '../support/events.js';
import { type Results, ratioOf, timed } from '../support/measure.js';
import { RestClient, startService } from '../support/stack.js';

const ROUNDS = 3;
const BATCHES = 40;
const BATCH_EVENTS = 250;
const BATCH_CALLERS = 4;
const READS = 3_000;
const READ_CALLERS = 16;
const CHAIN = 'at-rest';

interface Side {
  readonly rest: RestClient;
  readonly eventIds: string[];
  readonly sent: { count: number };
  stop(): Promise<void>;
}

/** Starts a service with a database that encrypts its files, or does not. */
async function startSide(isEncrypted: boolean): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-bench-rest-'));
  const service = await startService(null, folder, { SERVICE_ENCRYPT_AT_REST: String(isEncrypted) });
  const rest = await RestClient.forNewTenant(service.url, 't-bench');
  const stop = async (): Promise<void> => {
    await rest.close();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { rest, eventIds: [], sent: { count: 0 }, stop };
}

const ingest = ({ rest, eventIds, sent }: Side) =>
  timed(BATCHES, BATCH_CALLERS, async () => {
    const first = sent.count;
    sent.count += BATCH_EVENTS;
    const events = Array.from({ length: BATCH_EVENTS }, (_, n) => benchEnvelope(first + n, CHAIN));
    const { results } = JSON.parse(await rest.post('/v1/events', JSON.stringify(events))) as Accepted;
    eventIds.push(...results.map(({ event_id }) => event_id));
    return BATCH_EVENTS;
  });

interface Accepted {
  readonly results: readonly { readonly event_id: string }[];
}

/** A step that visits the events in no order of their storage, and each of them. */
const STRIDE = 7_919;

const read = ({ rest, eventIds }: Side) =>
  timed(READS, READ_CALLERS, async (n) => {
    await rest.get(`/v1/events/${eventIds[(n * STRIDE) % eventIds.length]}`);
    return 1;
  });

/** Compares ingest and reads with encrypted files and with plain files, in pairs of one run. */
export async function benchAtRest(): Promise<Results> {
  const encrypted = await startSide(true);
  const plain = await startSide(false);
  try {
    for (const side of [encrypted, plain]) await ingest(side);
    const measured = async (work: (side: Side) => Promise<{ readonly perSecond: number }>) => {
      const pairs: (readonly [number, number])[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        pairs.push([(await work(encrypted)).perSecond, (await work(plain)).perSecond]);
      }
      return pairs;
    };
    const ingests = await measured(ingest);
    const reads = await measured(read);
    return [
      ratioOf('Ingest with encrypted files / with plain files', 0.8, ingests, rates(ingests)),
      ratioOf('Reads of events with encrypted files / with plain files', 0.85, reads, rates(reads)),
    ];
  } finally {
    await encrypted.stop();
    await plain.stop();
  }
}

const rates = (pairs: readonly (readonly [number, number])[]): string[] =>
  pairs.map(([ours, base]) => `encrypted ${Math.round(ours)} a second, plain ${Math.round(base)} a second`);
