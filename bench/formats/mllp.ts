import { connect, type Socket } from 'node:net';
import { framed, MllpFrames } from '../../subgraphs/ledger/connectors/adapters/mllp-frames.js';
import { withCpu } from '../support/cpu.js';
import { atLeast, type Figure, median, timed } from '../support/measure.js';
import { startStack } from '../support/stack.js';
import { syntheticMessage } from './hl7-fixture.js';

// Senders of HL7 v2 over MLLP like those in hospitals: each waits for the answer to a message before it sends the next.

const connections = 32;
const messages = Number(process.env['MLLP_MESSAGES'] ?? 4_000);
const rounds = 3;
const warmUp = 320;
const aim = 1_500;
const deadlineMs = 30_000;

/** Measures answered messages per second, each durable before the answer. Service and database are separate processes. */
export async function benchMllp(): Promise<Figure> {
  const stack = await startStack({ SERVICE_MLLP_PORTS: '0' });
  try {
    const port = await openListener(stack.rest);
    const senders = await Promise.all(Array.from({ length: connections }, () => Sender.to(port)));
    let sent = 0;
    const lines: string[] = [];
    const values: number[] = [];
    const send = (count: number) => {
      const from = sent;
      sent += count;
      return timed(count, connections, async (n) => {
        const sender = senders[n % connections];
        await sender?.exchange(syntheticMessage(from + n));
        return 1;
      });
    };
    await send(warmUp);
    for (let round = 0; round < rounds; round += 1) {
      const { run, cpu } = await withCpu(stack.processes, () => send(messages));
      values.push(run.perSecond);
      lines.push(
        `${Math.round(run.perSecond)} messages/s, p50 ${run.p50Ms.toFixed(1)} ms, p99 ${run.p99Ms.toFixed(1)} ms; ${cpu}`,
      );
    }
    for (const sender of senders) sender.end();
    lines.push(
      `${connections} connections, ${messages} messages a round, each answered when it is durable; median ${Math.round(median(values))}`,
    );
    return atLeast('HL7 v2 over MLLP, answered when durable', 'messages/s', aim, values, lines);
  } finally {
    await stack.stop();
  }
}

type Rest = Awaited<ReturnType<typeof startStack>>['rest'];

async function openListener(rest: Rest): Promise<number> {
  const body = { kind: 'HL7V2', name: 'bench', source_system: 'mllp', config: { transport: 'MLLP' } };
  const { connector_id } = JSON.parse(await rest.post('/v1/connectors', JSON.stringify(body)));
  await rest.post(`/v1/connectors/${connector_id}/enable`, '{}');
  for (const untilMs = performance.now() + deadlineMs; performance.now() < untilMs; ) {
    const { listening } = JSON.parse(await rest.get(`/v1/connectors/${connector_id}`));
    if (listening) return listening.port as number;
  }
  throw new Error('the listener did not open');
}

/** One connection, one message at a time. */
class Sender {
  readonly #socket: Socket;
  readonly #frames = new MllpFrames(1_048_576);
  #turn: Promise<void> = Promise.resolve();
  #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      for (const answer of this.#frames.push(chunk)) {
        const verdict = /MSA\|(\w\w)/.exec(answer.toString('latin1'))?.[1];
        if (verdict === 'AA' || verdict === 'CA') this.#settle?.resolve();
        else this.#settle?.reject(new Error(`a message was answered ${verdict}`));
      }
    });
    socket.on('close', () => this.#settle?.reject(new Error('the listener ended a connection')));
  }

  static to(port: number): Promise<Sender> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' }, () => resolve(new Sender(socket)));
      socket.once('error', reject);
    });
  }

  exchange(message: string): Promise<void> {
    this.#turn = this.#turn.then(
      () =>
        new Promise<void>((resolve, reject) => {
          this.#settle = { resolve, reject };
          this.#socket.write(framed(message));
        }),
    );
    return this.#turn;
  }

  end(): void {
    this.#socket.end();
  }
}
