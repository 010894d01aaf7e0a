import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/clock/clock.js';
import { systemRandomness } from '../../shared/ids/ids.js';
import type { Signer } from '../../shared/signing/signer.js';
import { type JoinedSigner, joinSigner } from '../../signer/index.js';
import { recordingLogger } from './fakes.js';

let folder: string | undefined;
let joined: Promise<JoinedSigner> | undefined;

/** The folder of the signer of all processes that this suite plays; it goes with the suite. */
export function signerFolder(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'eas-signer-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return folder;
}

/** The signer of the suite, in this process. */
export const suiteSigner = (): Promise<Signer> => {
  joined ??= joinSigner({
    folder: signerFolder(),
    masterKeyHex: null,
    clock: systemClock,
    randomness: systemRandomness(),
    logger: recordingLogger().logger,
    start: 'inside',
  });
  return joined;
};
