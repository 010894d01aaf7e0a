import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders of the repository that contain such files. */
const ROOMS = ['shared', 'subgraphs', 'signer'] as const;

/**
 * Returns the compiled file that starts a thread or process, next to the module that starts it; such a file cannot run
 * TypeScript. A module that is not compiled itself (a test loads it) finds its neighbour's compiled form.
 *
 * @param moduleUrl the asking module's `import.meta.url`
 */
export function compiledFile(moduleUrl: string, name: string): string {
  const folder = dirname(fileURLToPath(moduleUrl));
  const own = join(folder, name);
  if (existsSync(own)) return own;
  const at = Math.max(...ROOMS.map((room) => `${folder}${sep}`.lastIndexOf(`${sep}${room}${sep}`)));
  const compiled = join(folder.slice(0, at), 'dist', folder.slice(at + 1), name);
  if (!existsSync(compiled)) throw new Error(`${compiled} is missing: run "npm run build" first`);
  return compiled;
}
