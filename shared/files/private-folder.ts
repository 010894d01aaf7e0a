import { chmod, mkdir, stat } from 'node:fs/promises';
import { StartRefused } from '../errors/start-refused.js';

/** Of a folder that holds personal data or keys: its owner alone. */
export const PRIVATE_FOLDER_MODE = 0o700;
const OTHERS = 0o077;

/** Makes a folder for the owner alone, and tightens one that others may read. @throws StartRefused if it cannot */
export async function privateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    if (isOpenToOthers(await stat(path))) await chmod(path, PRIVATE_FOLDER_MODE);
  } catch (error) {
    throw new StartRefused(`the folder ${path} cannot be made private (${codeOf(error)}); run: chmod 700 ${path}`);
  }
}

/**
 * The same for a folder that may be an operator's mount: one of another owner stays as it is, because what the service makes
 * in it is private. @throws StartRefused if it cannot be made
 */
export async function privateOrMounted(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    const found = await stat(path);
    const isOwn = found.uid === process.getuid?.();
    if (isOwn && isOpenToOthers(found)) await chmod(path, PRIVATE_FOLDER_MODE);
  } catch (error) {
    throw new StartRefused(`the folder ${path} cannot be made (${codeOf(error)})`);
  }
}

/** Windows has no such modes. */
const isOpenToOthers = ({ mode }: { readonly mode: number }): boolean =>
  process.platform !== 'win32' && (mode & OTHERS) !== 0;

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown');
