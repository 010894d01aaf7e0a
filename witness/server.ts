import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { MAX_REQUEST_BYTES } from '../shared/notes/witness-request.js';
import type { Witness, WitnessAnswer } from './add-checkpoint.js';

const TEXT = 'text/plain; charset=utf-8';
const REQUEST_TIMEOUT_MS = 10_000;
const PATH = '/add-checkpoint';

/** Serves the submission API of C2SP tlog-witness at the root. */
export function witnessServer(witness: Pick<Witness, 'addCheckpoint'>, report: (error: unknown) => void): Server {
  const server = createServer((request, response) => {
    void answerOf(witness, request)
      .catch((error: unknown): WitnessAnswer => {
        report(error);
        return { status: 500, body: 'internal error\n', contentType: TEXT };
      })
      .then((answer) => send(response, answer));
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  return server;
}

async function answerOf(witness: Pick<Witness, 'addCheckpoint'>, request: IncomingMessage): Promise<WitnessAnswer> {
  if (request.url !== PATH) return { status: 404, body: 'not found\n', contentType: TEXT };
  if (request.method !== 'POST') return { status: 405, body: 'only POST\n', contentType: TEXT };
  const body = await bodyOf(request);
  if (body === null) return { status: 413, body: 'too large\n', contentType: TEXT };
  return witness.addCheckpoint(body);
}

/** Reads the body; returns null if it is larger than any valid request. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  const pieces: AsyncIterable<Buffer> = request;
  for await (const chunk of pieces) {
    length += chunk.length;
    if (length > MAX_REQUEST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body, contentType }: WitnessAnswer): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
