import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { AuthSession } from '../auth/session.js';
import { MongoError } from '../errors.js';
import { messageBuffers } from './buffer-pool.js';
import { FrameReader } from './frame-reader.js';
import { opMsg, readOpMsg } from './op-msg.js';
import { opQuery, readOpQuery } from './op-query.js';
import { errorReply, FramedReply, type ReplyBody, toOpMsg, toOpReply } from './reply.js';
import type { CommandRequest } from './request.js';

/** What a command may know of the connection it came on. */
export interface ClientConnection {
  readonly id: number;
  /** Aborts when the socket is gone: a waiting getMore must not outlive its client. */
  readonly gone: AbortSignal;
  readonly auth: AuthSession;
  close(): void;
}

export type CommandHandler = (request: CommandRequest, client: ClientConnection) => Promise<ReplyBody> | ReplyBody;

/** Unread requests of one client beyond this stop reading its socket until answers catch up. */
const pausedAboveRequests = 64;

/**
 * One client. Messages are answered in the order they came, one after the other; a frame that cannot be followed
 * closes the connection and nothing else.
 */
export class Connection implements ClientConnection {
  private readonly reader = new FrameReader();
  private readonly waiting: Buffer[] = [];
  private readonly abort = new AbortController();
  private busy = false;
  private nextRequestId = 1;

  constructor(
    readonly id: number,
    readonly auth: AuthSession,
    private readonly socket: Socket,
    private readonly handle: CommandHandler,
    private readonly report: (error: unknown) => void,
  ) {
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.abort.abort());
  }

  get gone(): AbortSignal {
    return this.abort.signal;
  }

  close(): void {
    this.waiting.length = 0;
    this.socket.destroy();
  }

  private receive(chunk: Buffer): void {
    try {
      this.waiting.push(...this.reader.push(chunk));
    } catch (error) {
      this.refuse(error);
      return;
    }
    if (this.waiting.length > pausedAboveRequests) this.socket.pause();
    if (!this.busy) this.drain();
  }

  /** Answers what waits, one after the other. Most answers are there at once; only after the others it waits. */
  private drain(): void {
    try {
      for (let message = this.waiting.shift(); message; message = this.waiting.shift()) {
        const unfinished = this.answer(message);
        if (!unfinished) this.reader.release(message);
        if (this.socket.isPaused() && this.waiting.length === 0) this.socket.resume();
        if (unfinished) {
          this.goOnAfter(unfinished, message);
          return;
        }
      }
    } catch (error) {
      this.refuse(error);
    }
  }

  private goOnAfter(unfinished: Promise<void>, message: Buffer): void {
    this.busy = true;
    unfinished.then(
      () => {
        this.busy = false;
        this.reader.release(message);
        this.drain();
      },
      (error: unknown) => {
        this.busy = false;
        this.refuse(error);
      },
    );
  }

  /** Undefined when the answer is written already. */
  private answer(message: Buffer): Promise<void> | undefined {
    const opCode = message.readInt32LE(12);
    const responseTo = message.readInt32LE(4);
    if (opCode === opMsg) {
      const frame = readOpMsg(message);
      const send = (body: ReplyBody) =>
        frame.moreToCome ? undefined : this.write(toOpMsg(body, this.nextRequestId++, responseTo), body);
      return this.run(() => frame.request(), send);
    }
    if (opCode !== opQuery) throw new MongoError('ProtocolError', `operation code ${opCode} is not supported`);
    return this.run(
      () => readOpQuery(message),
      (body) => this.write(toOpReply(body, this.nextRequestId++, responseTo)),
    );
  }

  private run(
    read: () => CommandRequest,
    send: (body: ReplyBody) => Promise<void> | undefined,
  ): Promise<void> | undefined {
    let body: Promise<ReplyBody> | ReplyBody;
    try {
      body = this.handle(read(), this);
    } catch (error) {
      body = this.failure(error);
    }
    if (!(body instanceof Promise)) return send(body);
    return body.then(send, (error: unknown) => send(this.failure(error)));
  }

  private failure(error: unknown): ReplyBody {
    if (error instanceof MongoError) return errorReply(error);
    this.report(error);
    return errorReply(
      new MongoError('InternalError', 'an unexpected error happened; it was reported to the server log'),
    );
  }

  /** A client that does not read its answers gets no further ones made for it. */
  private write(message: Buffer, body?: ReplyBody): Promise<void> | undefined {
    if (this.socket.destroyed) return undefined;
    const memory = body instanceof FramedReply ? body.memory : undefined;
    const sent = memory ? () => messageBuffers.giveBack(memory) : undefined;
    return this.socket.write(message, sent) ? undefined : this.drained();
  }

  private async drained(): Promise<void> {
    await once(this.socket, 'drain', { signal: this.abort.signal }).catch((error: unknown) => {
      // Gone before it took its answer: nobody's fault here.
      if (!this.abort.signal.aborted && !this.socket.destroyed) throw error;
    });
  }

  private refuse(error: unknown): void {
    if (!(error instanceof MongoError)) this.report(error);
    this.close();
  }
}
