import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { problem } from '../../shared/errors/problem.js';

const compressed = promisify(gzip);

/** No inline script or style, no other origin, no text that becomes a script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
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
  '.json': 'application/json; charset=utf-8',
  '.jpg': 'image/jpeg',
};
/** Shown, never run: example programs among the files of the documentation. */
const TEXT = 'text/plain; charset=utf-8';

interface BuiltFile {
  readonly mediaType: string;
  /** Each form has a tag: strong tags name the same bytes (RFC 9110 section 8.8.3.3). */
  readonly etags: { readonly plain: string; readonly gzip: string };
  readonly bytes: Buffer;
  readonly compressed: Buffer;
}

/** The files that a build has put into a folder. Each is read once, at its first request. */
export class BuiltFiles {
  readonly #folder: string;
  readonly #loaded = new Map<string, Promise<BuiltFile>>();
  #names: Promise<ReadonlySet<string>> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param name path below the folder. @throws NOT_FOUND for a name that the folder does not list */
  async send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    const file = await this.#file(name);
    const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const etag = takesGzip ? file.etags.gzip : file.etags.plain;
    reply.headers(HEADERS).header('vary', 'accept-encoding').header('etag', etag);
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    reply.header('content-type', file.mediaType);
    if (!takesGzip) return reply.send(file.bytes);
    return reply.header('content-encoding', 'gzip').send(file.compressed);
  }

  async #file(name: string): Promise<BuiltFile> {
    this.#names ??= listed(this.#folder).catch((error: unknown) => {
      this.#names = undefined;
      throw error;
    });
    // Only listed names are opened, so no name leads out of the folder.
    if (!(await this.#names).has(name)) throw problem('NOT_FOUND', { message: 'There is no such file.' });
    const loading = this.#loaded.get(name) ?? load(this.#folder, name);
    this.#loaded.set(name, loading);
    return loading.catch((error: unknown) => {
      this.#loaded.delete(name);
      throw error;
    });
  }
}

async function listed(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true });
  return new Set(entries.map((name) => name.replaceAll('\\', '/')).filter((name) => extname(name) !== ''));
}

async function load(folder: string, name: string): Promise<BuiltFile> {
  const bytes = await readFile(join(folder, name));
  const sha256 = sha256Hex(bytes);
  return {
    mediaType: MEDIA_TYPES[extname(name)] ?? TEXT,
    etags: { plain: `"${sha256}"`, gzip: `"${sha256}-gzip"` },
    bytes,
    compressed: await compressed(bytes),
  };
}
