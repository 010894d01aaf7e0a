import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { BuiltFiles } from './built-files.js';

export const DOCS_PATH = '/docs';

/** Paths of the documentation, for the table of methods. */
export const DOCS_PATHS = [DOCS_PATH, `${DOCS_PATH}/*`] as const;

const INDEX = 'index.html';

/**
 * Serves the documentation: the first page at `/docs`, each other page at its address without `.html`, and the files that
 * pages show.
 *
 * @param folder where the build has put them
 */
export function serveDocs(server: FastifyInstance, folder: string): void {
  const files = new BuiltFiles(folder);
  // The files change with a release, so browsers revalidate them.
  server.get(DOCS_PATH, (request, reply) => files.send(request, reply.header('cache-control', 'no-cache'), INDEX));
  server.get<{ Params: { '*': string } }>(`${DOCS_PATH}/*`, (request, reply) => {
    reply.header('cache-control', 'no-cache');
    return files.send(request, reply, fileNameOf(request.params['*']));
  });
}

function fileNameOf(address: string): string {
  const page = address.replace(/\/$/, '');
  if (page === '') return INDEX;
  return extname(page) === '' ? `${page}.html` : page;
}
