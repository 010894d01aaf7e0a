import { connect, type Socket } from 'node:net';
import { nextTurn } from '../../../../shared/clock/timers.js';
import type { ClamavAddress } from '../../../../shared/config/clamav-address.js';
import type { EngineFinding, ScanEngine, ScannedContent } from '../../service/ports/scan-engine.js';

// clamd's INSTREAM over TCP (clamd(8), "INSTREAM"): chunks with a length of four bytes before each, an empty one at the end,
// one line as the answer.

const CHUNK_BYTES = 262_144;
const LONGEST_ANSWER_BYTES = 4_096;

/** How often it is sent again when the daemon closed in the midst of it. */
const MOST_TRIES = 3;

class NoAnswer extends Error {}

class Closed extends NoAnswer {}

/**
 * The daemon closed while it was still being sent to. It does so after its answer "size limit exceeded", and the reset that
 * follows may overtake that answer: another try is likely to read it.
 */
class CutShort extends NoAnswer {}

/** @param timeoutMs longest silence; a daemon that keeps it longer does not answer. */
export const clamavEngine = (address: ClamavAddress, timeoutMs: number): ScanEngine => ({
  name: 'clamav',
  scan: async (content) => findingsOf(await askedAgain(() => instream(address, timeoutMs, content))),
});

async function askedAgain(ask: () => Promise<string>): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CutShort) || tries === MOST_TRIES) throw error;
    }
  }
}

/** `stream: OK`, `stream: Name FOUND`, `INSTREAM size limit exceeded. ERROR`. @throws for anything else */
function findingsOf(answer: string): readonly EngineFinding[] {
  if (answer === 'stream: OK') return [];
  const name = /^stream: (.{1,200}) FOUND$/.exec(answer)?.[1];
  if (name !== undefined) return [{ code: 'MALWARE', detail: name }];
  if (answer.includes('size limit exceeded')) {
    const detail = 'The content is larger than the engine takes, so it is not known whether it is clean.';
    return [{ code: 'ENGINE_LIMIT', detail }];
  }
  throw new NoAnswer('clamd answered with an error');
}

async function instream(address: ClamavAddress, timeoutMs: number, content: ScannedContent): Promise<string> {
  const socket = connect({ host: address.host, port: address.port });
  // Answered and closed in the midst of sending: what fails then is no news, and nobody else hears it.
  socket.on('error', () => undefined);
  const answer = answerOf(socket, timeoutMs);
  // It may fail before anybody waits for it.
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
  error instanceof Closed || ['EPIPE', 'ECONNRESET'].includes(String((error as NodeJS.ErrnoException).code));

/** Up to the NUL that ends it. A socket that fails, closes or falls silent first is no answer. */
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

/** A daemon that has seen enough answers and closes: then the rest is not sent. @returns whether all was */
async function sent(socket: Socket, content: ScannedContent): Promise<boolean> {
  await write(socket, Buffer.from('zINSTREAM\0'));
  for await (const piece of content.read()) {
    for (let at = 0; at < piece.length; at += CHUNK_BYTES) {
      const chunk = piece.subarray(at, at + CHUNK_BYTES);
      const head = Buffer.alloc(4);
      head.writeUInt32BE(chunk.length);
      // What has come is read before more is sent: a write into a closed connection would lose it.
      await nextTurn();
      if (!socket.writable) return false;
      await write(socket, Buffer.concat([head, chunk]));
    }
  }
  return socket.writable && (await write(socket, Buffer.alloc(4)));
}

/** @returns whether it is out; else the socket is no more, and its error tells why. */
const write = (socket: Socket, bytes: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    socket.write(bytes, (error) => resolve(!error));
  });
