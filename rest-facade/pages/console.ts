import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '../../shared/errors/problem.js';

const compressed = promisify(gzip);

export const CONSOLE_PATH = '/console';

/** Paths of the console, for the table of methods. */
export const CONSOLE_PATHS = [CONSOLE_PATH, `${CONSOLE_PATH}/*`] as const;

/** No inline script or style, no other origin, no text that becomes a script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  // A PDF is shown in a frame, from its bytes.
  'frame-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

interface Served {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly compressed: Buffer;
}

const INDEX = 'index.html';
const ASSETS = 'assets/';
/** The names of assets contain their hash. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/**
 * Serves the console: its page at every path below `/console`, so that each place can be opened by its address, and its
 * hashed files below `/console/assets`.
 *
 * @param folder where the build has put them
 */
export function serveConsole(server: FastifyInstance, folder: string): void {
  let loading: Promise<ReadonlyMap<string, Served>> | undefined;
  const files = (): Promise<ReadonlyMap<string, Served>> => {
    loading ??= load(folder).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sent(request, reply.header('cache-control', 'no-cache'), (await files()).get(INDEX));
  server.get(CONSOLE_PATH, page);
  server.get<{ Params: { '*': string } }>(`${CONSOLE_PATH}/*`, async (request, reply) => {
    const { '*': name } = request.params;
    if (!name.startsWith(ASSETS)) return page(request, reply);
    return sent(request, reply.header('cache-control', FOR_GOOD), (await files()).get(name));
  });
}

function sent(request: FastifyRequest, reply: FastifyReply, file: Served | undefined): FastifyReply {
  if (file === undefined) throw problem('NOT_FOUND', { message: 'There is no such file.' });
  const { 'accept-encoding': encodings = '' } = request.headers;
  reply.headers(HEADERS).header('content-type', file.mediaType).header('vary', 'accept-encoding');
  if (!/\bgzip\b/.test(String(encodings))) return reply.send(file.bytes);
  return reply.header('content-encoding', 'gzip').send(file.compressed);
}

async function load(folder: string): Promise<ReadonlyMap<string, Served>> {
  const names = [INDEX, ...(await readdir(join(folder, ASSETS))).map((name) => ASSETS + name)];
  const served = await Promise.all(
    names.map(async (name): Promise<[string, Served]> => {
      const bytes = await readFile(join(folder, name));
      const mediaType = MEDIA_TYPES[extname(name)] ?? 'application/octet-stream';
      return [name, { mediaType, bytes, compressed: await compressed(bytes) }];
    }),
  );
  return new Map(served);
}
