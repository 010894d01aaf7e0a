import type { Socket } from 'node:net';
import type { ListenerEvents, ListenerSettings } from '../ports.js';
import { framed, MllpFrames } from './mllp-frames.js';

const LAST_ANSWERS_MS = 2_000;
const FAULTS = {
  FRAME_TOO_LONG: "A message exceeds the connector's size limit.",
  NOT_FRAMED: 'The data is not in MLLP frames.',
} as const;

/**
 * One sender. Passes messages on in order while fewer than `maxInFlight` wait for answers. Does not read the socket
 * beyond that, while the listener is paused, or while the sender does not read its answers.
 */
export class MllpConnection {
  readonly #socket: Socket;
  readonly #events: ListenerEvents;
  readonly #frames: MllpFrames;
  readonly #maxInFlight: number;
  /** Frames read but not passed on: at most those of one socket chunk. */
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
    // Connections break every day: senders repeat unanswered messages.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#ended = true;
      this.#ready = [];
      onClosed();
    });
  }

  /** @param held true pauses reading; false resumes it. */
  hold(held: boolean): void {
    this.#held = held;
    this.#turn();
  }

  /** Resolves when the pending answers have been sent. */
  end(): void {
    this.#ready = [];
    if (this.#ended) return;
    this.#ended = true;
    // Does not wait for a sender that does not read its answers.
    this.#socket.setTimeout(LAST_ANSWERS_MS, () => this.#socket.destroy());
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

  /** The sender has ended its side; answers may still be pending. */
  #leave(): void {
    if (this.#frames.open)
      this.#events.refused('CUT', 'A connection ended inside a message; the message was not stored.');
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
