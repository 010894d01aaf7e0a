import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type Signer, SignerRefusal } from '../../shared/signing/signer.js';
import { decodeQuestion, type Question } from './messages.js';

/** Longest question: the manifest of a bundle is signed as a whole. */
const MAX_BODY_BYTES = 1 << 30;

const NOTHING = {};

/**
 * Answers the service's questions. The socket's folder admits the owner alone.
 *
 * @param report called with faults of the signer itself
 */
export function signerServer(signer: Signer, report: (error: unknown) => void): Server {
  return createServer(async (request, response) => {
    try {
      const { question, message } = decodeQuestion(await bodyOf(request));
      const answer = await answerTo(signer, question, message);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    } catch (error) {
      if (error instanceof SignerRefusal) {
        response.writeHead(409).end(JSON.stringify({ refused: error.code, detail: error.message }));
        return;
      }
      report(error);
      response.writeHead(500).end();
    }
  });
}

async function answerTo(signer: Signer, question: Question, message: Buffer): Promise<object> {
  switch (question.ask) {
    case 'data-key':
      return { key: (await signer.dataKey()).toString('hex') };
    case 'create-key':
      return { x: await signer.createKey(question.place) };
    case 'end-key':
      await signer.endKey(question.key_id);
      return NOTHING;
    case 'sign':
      return { signature: (await signer.sign(question.key_id, message, question.evidence)).toString('base64url') };
    case 'last-signed':
      return { tree: await signer.lastSigned(question.origin) };
    case 'status':
      return signer.status();
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new RangeError('a question is too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
