import { readContract } from '../../rest-facade/contract.js';
import { openApiDocument } from '../../rest-facade/openapi/document.js';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { repositoryFile } from '../repository.js';

export const DESCRIPTION_PATH = 'client/openapi.json';
export const TYPES_PATH = 'client/schema.ts';

/** The OpenAPI description as a file: what integrators generate their own clients from, and ours is made of. */
export async function descriptionText(): Promise<string> {
  const { document } = await readContract(repositoryFile('rest-facade/contract.json'));
  return `${JSON.stringify(openApiDocument(makeRoutes(document), document), null, 1)}\n`;
}

/**
 * The generated types, marked with the description that they were made from and with their own hash: so that drift and
 * an edit by hand are seen without running the generator, which needs a compiler older than ours.
 */
export function markedTypes(description: string, generated: string): string {
  const marks = `// Written by \`npm run client\` from ${DESCRIPTION_PATH} sha256:${sha256Hex(Buffer.from(description))}\n`;
  return `${marks}// The rest of this file has sha256:${sha256Hex(Buffer.from(generated))}\n${generated}`;
}
