import { connect, type Socket } from 'node:net';
import { nextTurn } from '../../../../shared/clock/timers.js';
import type { ClamavAddress } from '../../../../shared/config/compound-values.js';
import { errorCodeOf } from '../../../../shared/errors/error-code.js';
import type { EngineFinding, ScanEngine, ScannedContent } from '../ports.js';

// clamd's INSTREAM over TCP (clamd(8), "INSTREAM"): each chunk has a length of four bytes before it, an empty chunk
// ends the stream, and the answer is one line.

const CHUNK_BYTES = 262_144;
const LONGEST_ANSWER_BYTES = 4_096;

/** Attempts when the daemon closes the connection in mid-stream. */
const MOST_TRIES = 3;

class NoAnswer extends Error {}

class Closed extends NoAnswer {}

/**
 * The daemon closed the connection while bytes were still being sent.
 * It does so after its answer "size limit exceeded", and the reset may overtake that answer: another attempt is likely
 * to read it.
 */
class CutShort extends NoAnswer {}

/** @param timeoutMs longest silence before the scan fails, in milliseconds */
export const clamavEngine = (address: ClamavAddress, timeoutMs: number): ScanEngine => ({
  name: 'clamav',
  scan: async (content) => findingsOf(await withRetries(() => instream(address, timeoutMs, content))),
});

async function withRetries(attempt: () => Promise<string>): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CutShort) || tries === MOST_TRIES) throw error;
    }
  }
}

/**
 * Parses `stream: OK`, `stream: Name FOUND` and `INSTREAM size limit exceeded. ERROR`.
 *
 * @throws for any other answer
 */
function findingsOf(answer: string): readonly EngineFinding[] {
  if (answer === 'stream: OK') return [];
  const name = /^stream: (.{1,200}) FOUND$/.exec(answer)?.[1];
  if (name !== undefined) return [{ code: 'MALWARE', detail: name }];
  if (answer.includes('size limit exceeded')) {
    const detail = 'The content exceeds the size limit of the engine, so it is not known to be clean.';
    return [{ code: 'ENGINE_LIMIT', detail }];
  }
  throw new NoAnswer('clamd answered with an error');
}

async function instream(address: ClamavAddress, timeoutMs: number, content: ScannedContent): Promise<string> {
  const socket = connect({ host: address.host, port: address.port });
  // After an early answer and close, further socket errors do not matter.
  socket.on('error', () => undefined);
  const answer = answerOf(socket, timeoutMs);
  // It may fail before it is awaited.
  answer.catch(() => undefined);
  let isSent = false;
  const sending = sent(socket, content).then((whole) => {
    isSent = whole;
  });
  try {
    await Promise.race([sending, answer]);
    return await answer;
  } catch (error) {
    if (isSent || !isCut(error)) throw error;
    throw new CutShort('clamd closed the connection before it had everything', { cause: error });
  } finally {
    socket.destroy();
  }
}

const isCut = (error: unknown): boolean =>
  error instanceof Closed || ['EPIPE', 'ECONNRESET'].includes(errorCodeOf(error));

/** Reads the answer up to its NUL. Rejects if the socket fails, closes or falls silent first. */
function answerOf(socket: Socket, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setTimeout(timeoutMs, () => reject(new NoAnswer('clamd is silent')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Closed('clamd closed the connection')));
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('utf8');
      const end = text.indexOf('\0');
      if (end >= 0) resolve(text.slice(0, end).trim());
      else if (text.length > LONGEST_ANSWER_BYTES) reject(new NoAnswer('clamd answers without an end'));
    });
  });
}

/**
 * Sends the content; stops when the daemon has answered and closed.
 *
 * @returns whether all of it was sent
 */
async function sent(socket: Socket, content: ScannedContent): Promise<boolean> {
  await write(socket, Buffer.from('zINSTREAM\0'));
  for await (const piece of content.read()) {
    for (let at = 0; at < piece.length; at += CHUNK_BYTES) {
      const chunk = piece.subarray(at, at + CHUNK_BYTES);
      const head = Buffer.alloc(4);
      head.writeUInt32BE(chunk.length);
      // Read before sending more: a write into a closed connection would lose the answer.
      await nextTurn();
      if (!socket.writable) return false;
      await write(socket, Buffer.concat([head, chunk]));
    }
  }
  return socket.writable && (await write(socket, Buffer.alloc(4)));
}

/** @returns false if the socket has failed; its error says why */
const write = (socket: Socket, bytes: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    socket.write(bytes, (error) => resolve(!error));
  });
