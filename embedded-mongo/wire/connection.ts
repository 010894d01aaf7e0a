import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { AuthSession } from '../auth/scram.js';
import { fail, MongoError } from '../errors.js';
import { FrameReader, messageBuffers } from './frame-reader.js';
import {
  type CommandRequest,
  errorReply,
  FramedReply,
  OP_MSG,
  OP_QUERY,
  type ReplyBody,
  readOpMsg,
  readOpQuery,
  toOpMsg,
  toOpReply,
} from './op-msg.js';

/** The connection that a command runs on. */
export interface ClientConnection {
  readonly id: number;
  /** Aborts when the socket closes: a waiting getMore must not outlive its client. */
  readonly gone: AbortSignal;
  readonly auth: AuthSession;
  close(): void;
}

type CommandHandler = (request: CommandRequest, client: ClientConnection) => Promise<ReplyBody> | ReplyBody;

/** A hello that waits for a change of the topology that the client knows. */
export function isAwaitableHello({ name, body }: CommandRequest): boolean {
  return HELLO_NAMES.has(name) && body.has('topologyVersion') && body.has('maxAwaitTimeMS');
}

const HELLO_NAMES: ReadonlySet<string> = new Set(['hello', 'ismaster', 'isMaster']);

/** Above this number of waiting requests the server stops reading the socket until answers catch up. */
const PAUSED_ABOVE_REQUESTS = 64;

/**
 * One client. Messages are answered in order, one after the other; a frame that cannot be parsed closes only this
 * connection.
 */
export class Connection implements ClientConnection {
  readonly #reader = new FrameReader();
  readonly #waiting: Buffer[] = [];
  readonly #abort = new AbortController();
  #busy = false;
  #nextRequestId = 1;
  readonly #socket: Socket;
  readonly #handle: CommandHandler;
  readonly #report: (error: unknown) => void;

  constructor(
    readonly id: number,
    readonly auth: AuthSession,
    socket: Socket,
    handle: CommandHandler,
    report: (error: unknown) => void,
  ) {
    this.#socket = socket;
    this.#handle = handle;
    this.#report = report;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#abort.abort());
  }

  get gone(): AbortSignal {
    return this.#abort.signal;
  }

  close(): void {
    this.#waiting.length = 0;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    try {
      this.#waiting.push(...this.#reader.push(chunk));
    } catch (error) {
      this.#refuse(error);
      return;
    }
    if (this.#waiting.length > PAUSED_ABOVE_REQUESTS) this.#socket.pause();
    if (!this.#busy) this.#drain();
  }

  /** Answers waiting requests in order. Most answers are ready at once; it awaits only the others. */
  #drain(): void {
    try {
      for (let message = this.#waiting.shift(); message; message = this.#waiting.shift()) {
        const unfinished = this.#answer(message);
        if (!unfinished) this.#reader.release(message);
        if (this.#socket.isPaused() && this.#waiting.length === 0) this.#socket.resume();
        if (unfinished) {
          this.#goOnAfter(unfinished, message);
          return;
        }
      }
    } catch (error) {
      this.#refuse(error);
    }
  }

  #goOnAfter(unfinished: Promise<void>, message: Buffer): void {
    this.#busy = true;
    unfinished.then(
      () => {
        this.#busy = false;
        this.#reader.release(message);
        this.#drain();
      },
      (error: unknown) => {
        this.#busy = false;
        this.#refuse(error);
      },
    );
  }

  /** Returns undefined when the answer is already written. */
  #answer(message: Buffer): Promise<void> | undefined {
    const opCode = message.readInt32LE(12);
    const responseTo = message.readInt32LE(4);
    if (opCode === OP_MSG) {
      const frame = readOpMsg(message);
      if (frame.exhaustAllowed && isAwaitableHello(frame.request())) return this.#stream(frame.request(), responseTo);
      const send = (body: ReplyBody) =>
        frame.moreToCome ? undefined : this.#write(toOpMsg(body, this.#nextRequestId++, responseTo), body);
      return this.#run(() => frame.request(), send);
    }
    if (opCode !== OP_QUERY) fail('ProtocolError', `operation code ${opCode} is not supported`);
    return this.#run(
      () => readOpQuery(message),
      (body) => this.#write(toOpReply(body, this.#nextRequestId++, responseTo)),
    );
  }

  /**
   * Answers an awaitable hello again and again: the client sees at once that the server ended, and need not poll. Each
   * reply answers the one before it (OP_MSG specification, "exhaustAllowed").
   */
  async #stream(request: CommandRequest, firstRequestId: number): Promise<void> {
    let responseTo = firstRequestId;
    while (!this.gone.aborted) {
      const body = await this.#handle(request, this);
      if (this.gone.aborted) return;
      const requestId = this.#nextRequestId++;
      await this.#write(toOpMsg(body, requestId, responseTo, true), body);
      responseTo = requestId;
    }
  }

  #run(read: () => CommandRequest, send: (body: ReplyBody) => Promise<void> | undefined): Promise<void> | undefined {
    let body: Promise<ReplyBody> | ReplyBody;
    try {
      body = this.#handle(read(), this);
    } catch (error) {
      body = this.#failure(error);
    }
    if (!(body instanceof Promise)) return send(body);
    return body.then(send, (error: unknown) => send(this.#failure(error)));
  }

  #failure(error: unknown): ReplyBody {
    if (error instanceof MongoError) return errorReply(error);
    this.#report(error);
    return errorReply(
      new MongoError('InternalError', 'an unexpected error happened; it was reported to the server log'),
    );
  }

  /** Stops answering a client that does not read its answers. */
  #write(message: Buffer, body?: ReplyBody): Promise<void> | undefined {
    if (this.#socket.destroyed) return undefined;
    const memory = body instanceof FramedReply ? body.memory : undefined;
    const sent = memory ? () => messageBuffers.giveBack(memory) : undefined;
    return this.#socket.write(message, sent) ? undefined : this.#drained();
  }

  async #drained(): Promise<void> {
    await once(this.#socket, 'drain', { signal: this.#abort.signal }).catch((error: unknown) => {
      // The client left before its answer, which is not a server fault.
      if (!this.#abort.signal.aborted && !this.#socket.destroyed) throw error;
    });
  }

  #refuse(error: unknown): void {
    if (!(error instanceof MongoError)) this.#report(error);
    this.close();
  }
}
