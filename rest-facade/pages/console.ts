import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BuiltFiles } from './built-files.js';

export const CONSOLE_PATH = '/console';

/** Paths of the console, for the table of methods. */
export const CONSOLE_PATHS = [CONSOLE_PATH, `${CONSOLE_PATH}/*`] as const;

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
  const files = new BuiltFiles(folder);
  const page = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    files.send(request, reply.header('cache-control', 'no-cache'), INDEX);
  server.get(CONSOLE_PATH, page);
  server.get<{ Params: { '*': string } }>(`${CONSOLE_PATH}/*`, (request, reply) => {
    const { '*': name } = request.params;
    if (!name.startsWith(ASSETS)) return page(request, reply);
    return files.send(request, reply.header('cache-control', FOR_GOOD), name);
  });
}
