import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `openssl ts -verify` over a token; returns undefined if openssl is not installed. */
export async function verifyTimestamp(
  data: Uint8Array,
  token: Uint8Array,
  authorities: Uint8Array,
): Promise<boolean | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-verify-'));
  try {
    const file = (name: string): string => join(folder, name);
    await writeFile(file('data'), data);
    await writeFile(file('token'), token);
    await writeFile(file('authorities'), authorities);
    const words = [
      'ts',
      '-verify',
      '-data',
      file('data'),
      '-in',
      file('token'),
      '-token_in',
      '-CAfile',
      file('authorities'),
    ];
    return await new Promise((resolve, reject) => {
      execFile('openssl', words, (fault) => {
        if (fault === null) resolve(true);
        else if (fault.code === 'ENOENT') resolve(undefined);
        else if (typeof fault.code === 'number') resolve(false);
        else reject(fault);
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
