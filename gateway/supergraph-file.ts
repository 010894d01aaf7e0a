import { readFile } from 'node:fs/promises';

/** The composed supergraph as `npm run compose` wrote it: composing takes a second, so it is done at build time. */
export const readSupergraph = (path: string): Promise<string> => readFile(path, 'utf8');
