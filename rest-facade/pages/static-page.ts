import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { matchesEntityTag } from '../entity-tag.js';

/** A file of a page: its path in an installed package, or its text. */
export interface StaticFile {
  readonly mediaType: string;
  readonly content: { readonly path: string } | { readonly text: string };
}

/** A page for people, served from our own files: nothing of it comes from another host. */
export interface StaticPage {
  /** Where it is served, without a slash at its end: `/docs`. */
  readonly path: string;
  readonly html: string;
  /** By name under the path. */
  readonly files: Readonly<Record<string, StaticFile>>;
  /** False for a page that works by itself: then it may connect to nothing, our own origin included. */
  readonly connects?: boolean;
}

/** Allows scripts and calls to this origin only. The libraries set style attributes, so inline styles are allowed. */
const contentSecurityPolicy = (connects: boolean): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src ${connects ? "'self'" : "'none'"}`,
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const pageHeaders = (connects: boolean): Readonly<Record<string, string>> => ({
  'content-security-policy': contentSecurityPolicy(connects),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // The files change with a release, so browsers revalidate them.
  'cache-control': 'no-cache',
});

/** Serves the page and its files; each is read once, at its first request. */
export function servePage(server: FastifyInstance, page: StaticPage): void {
  const html: StaticFile = { mediaType: 'text/html; charset=utf-8', content: { text: page.html } };
  const headers = pageHeaders(page.connects ?? true);
  server.get(page.path, serveFile(html, headers));
  for (const [name, file] of Object.entries(page.files)) server.get(`${page.path}/${name}`, serveFile(file, headers));
}

interface Loaded {
  readonly bytes: Buffer;
  readonly etag: string;
}

function serveFile(file: StaticFile, headers: Readonly<Record<string, string>>) {
  let loading: Promise<Loaded> | undefined;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    loading ??= load(file).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    const { bytes, etag } = await loading;
    reply.headers(headers).header('etag', etag);
    if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.header('content-type', file.mediaType).send(bytes);
  };
}

async function load({ content }: StaticFile): Promise<Loaded> {
  const bytes = 'text' in content ? Buffer.from(content.text) : await readFile(content.path);
  return { bytes, etag: `"${sha256Hex(bytes)}"` };
}
