import type { Socket } from 'node:net';
import type { ListenerEvents, ListenerSettings } from '../../service/ports/connector-io.js';
import { framed, MllpFrames } from './mllp-frames.js';

const lastAnswersMs = 2_000;
const FAULTS = {
  FRAME_TOO_LONG: 'A message is longer than this connector takes.',
  NOT_FRAMED: 'What is sent stands in no MLLP frame.',
} as const;

/**
 * One sender. Messages are handed on one after the other while fewer than `maxInFlight` wait for their answers; beyond that,
 * and while the listener holds it, the socket is not read. A sender that does not read its answers is not read either.
 */
export class MllpConnection {
  readonly #socket: Socket;
  readonly #events: ListenerEvents;
  readonly #frames: MllpFrames;
  readonly #maxInFlight: number;
  /** Read, and not handed on: at most what one chunk of the socket held. */
  #ready: Buffer[] = [];
  #inFlight = 0;
  #held = false;
  #ended = false;

  constructor(
    socket: Socket,
    settings: Pick<ListenerSettings, 'maxFrameBytes' | 'maxInFlight' | 'idleMs'>,
    events: ListenerEvents,
    onClosed: () => void,
  ) {
    this.#socket = socket;
    this.#events = events;
    this.#frames = new MllpFrames(settings.maxFrameBytes);
    this.#maxInFlight = settings.maxInFlight;
    socket.setTimeout(settings.idleMs, () => socket.destroy());
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('end', () => this.#leave());
    // A connection that breaks is an everyday thing: what was not answered comes again.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#ended = true;
      this.#ready = [];
      onClosed();
    });
  }

  /** @param held true: nothing is read until it is false. */
  hold(held: boolean): void {
    this.#held = held;
    this.#turn();
  }

  /** Ends when the answers given have left. */
  end(): void {
    this.#ready = [];
    if (this.#ended) return;
    this.#ended = true;
    // A sender that does not read its answers is not waited for.
    this.#socket.setTimeout(lastAnswersMs, () => this.#socket.destroy());
    this.#socket.end(() => this.#socket.destroy());
  }

  #read(chunk: Buffer): void {
    this.#ready.push(...this.#frames.push(chunk));
    this.#turn();
    const { fault } = this.#frames;
    if (fault === null) return;
    this.#events.refused(fault, FAULTS[fault]);
    this.#socket.destroy();
  }

  /** The sender has said its last; answers may still be on their way to it. */
  #leave(): void {
    if (this.#frames.open) this.#events.refused('CUT', 'A connection ended within a message; it was not taken.');
    if (this.#inFlight === 0 && this.#ready.length === 0) this.end();
  }

  #turn(): void {
    while (!this.#held && !this.#ended && this.#inFlight < this.#maxInFlight) {
      const bytes = this.#ready.shift();
      if (bytes === undefined) break;
      this.#inFlight += 1;
      this.#events.frame({ bytes, answer: (text) => this.#answer(text), drop: () => this.#socket.destroy() });
    }
    if (this.#ended) return;
    if (this.#held || this.#ready.length > 0 || this.#inFlight >= this.#maxInFlight) this.#socket.pause();
    else this.#socket.resume();
  }

  #answer(text: string): void {
    const settled = (): void => {
      this.#inFlight -= 1;
      this.#turn();
      if (this.#socket.readableEnded && this.#inFlight === 0 && this.#ready.length === 0) this.end();
    };
    if (this.#ended || this.#socket.destroyed) settled();
    else if (text === '') settled();
    else this.#socket.write(framed(text), settled);
  }
}
