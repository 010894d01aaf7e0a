import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import {
  type SignedTree,
  type Signer,
  type SignerKeyPlace,
  SignerRefusal,
  type SignerStatus,
  SignerUnavailable,
  type SigningEvidence,
} from '../../shared/signing/signer.js';
import { ANSWERS, encodeQuestion, type Question, Refusal } from './messages.js';

/** Longest wait for an answer: the caller holds other work back. */
const ANSWER_TIMEOUT_MS = 5_000;
/** More for each MiB of a message, in ms. */
const MIB_TIMEOUT_MS = 100;
const MAX_ANSWER_BYTES = 1 << 16;

type AnswerTo<A extends Question['ask']> = z.output<(typeof ANSWERS)[A]>;

/** Asks the signer over its socket. @throws SignerUnavailable, SignerRefusal */
export class SignerClient implements Signer {
  readonly #socketPath: string;
  readonly #timeoutMs: number;

  constructor(socketPath: string, timeoutMs = ANSWER_TIMEOUT_MS) {
    this.#socketPath = socketPath;
    this.#timeoutMs = timeoutMs;
  }

  async dataKey(): Promise<Buffer> {
    return Buffer.from((await this.#ask('data-key', { ask: 'data-key' })).key, 'hex');
  }

  async createKey(place: SignerKeyPlace): Promise<string> {
    return (await this.#ask('create-key', { ask: 'create-key', place })).x;
  }

  async endKey(key_id: string): Promise<void> {
    await this.#ask('end-key', { ask: 'end-key', key_id });
  }

  async sign(key_id: string, message: Uint8Array, evidence: SigningEvidence): Promise<Buffer> {
    const { signature } = await this.#ask('sign', { ask: 'sign', key_id, evidence }, message);
    return Buffer.from(signature, 'base64url');
  }

  async lastSigned(origin: string): Promise<SignedTree | null> {
    return (await this.#ask('last-signed', { ask: 'last-signed', origin })).tree;
  }

  status(): Promise<SignerStatus> {
    return this.#ask('status', { ask: 'status' });
  }

  async #ask<A extends Question['ask']>(
    ask: A,
    question: Question,
    message: Uint8Array = new Uint8Array(0),
  ): Promise<AnswerTo<A>> {
    const { status, body } = await this.#post(encodeQuestion(question, message));
    const json = jsonOf(body);
    const refusal = status === 409 ? Refusal.safeParse(json) : null;
    if (refusal?.success) throw new SignerRefusal(refusal.data.refused, refusal.data.detail.replace(/^[^:]*: /, ''));
    const answer = status === 200 ? ANSWERS[ask].safeParse(json) : null;
    if (!answer?.success) throw new SignerUnavailable('the signer answers in another language');
    // The table pairs each question with its answer; its lookup by a type parameter loses the pair.
    return answer.data as AnswerTo<A>;
  }

  #post(body: Buffer): Promise<{ readonly status: number; readonly body: string }> {
    const timeoutMs = this.#timeoutMs + (body.length / 2 ** 20) * MIB_TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      const unavailable = (error: unknown): void => {
        clearTimeout(timer);
        const cause = error instanceof Error ? error.message : String(error);
        reject(new SignerUnavailable(`the signer does not answer (${cause})`));
      };
      const sent = request({ socketPath: this.#socketPath, method: 'POST', path: '/' }, (response) => {
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
          if (bytes > MAX_ANSWER_BYTES) response.destroy(new Error('its answer is too long'));
        });
        text(response).then((answer) => {
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, body: answer });
        }, unavailable);
      });
      const timer = setTimeout(() => sent.destroy(new Error('no answer in time')), timeoutMs);
      sent.on('error', unavailable);
      sent.end(body);
    });
  }
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
