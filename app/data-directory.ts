import { chmod, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isHalfRestored } from '../embedded-mongo/index.js';
import { StartRefused } from '../shared/errors/start-refused.js';
import { PRIVATE_FOLDER_MODE } from '../shared/files/private-folder.js';

export type Engine = 'embedded' | 'wiredTiger' | 'external';

const marker = z.object({ engine: z.enum(['embedded', 'wiredTiger']), format: z.literal(1) });

export { StartRefused };

/**
 * Records in the data folder which engine made it, and refuses any other engine: it would see an empty database, and an
 * empty evidence store is worse than a stopped one.
 */
export async function claimDataDirectory(dataDir: string, engine: 'embedded' | 'wiredTiger'): Promise<void> {
  if (await isHalfRestored(dataDir)) {
    throw new StartRefused(`a restore into ${dataDir} was interrupted: run it again with --force`);
  }
  const path = join(dataDir, 'engine.json');
  await createOnce(path, `${JSON.stringify({ engine, format: 1 })}\n`, 0o600);
  const found = marker.safeParse(parseOrUndefined(await readFile(path, 'utf8')));
  if (!found.success) throw new StartRefused(`${path} is damaged or from another version; the data are unchanged`);
  if (found.data.engine !== engine) {
    throw new StartRefused(
      `${dataDir} was made by the engine "${found.data.engine}" and cannot be opened by "${engine}"`,
    );
  }
}

/** An existing folder stays as it is: it may be an operator's mount. @throws StartRefused when it cannot be created. */
export async function makeDataDirectory(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: PRIVATE_FOLDER_MODE }).catch((error: NodeJS.ErrnoException) => {
    throw new StartRefused(`the data folder ${dataDir} cannot be created (${error.code ?? error.name})`);
  });
}

/** Writes a file unless it exists. Flushes it, so that a crash leaves no half file. */
async function createOnce(path: string, content: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw new StartRefused(`${path} cannot be written (${error.code ?? error.name})`);
  });
  if (!file) return;
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await chmod(path, mode);
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
