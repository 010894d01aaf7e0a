import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import { MasterKey } from '../shared/crypto/master-key.js';
import { StartRefused } from '../shared/errors/start-refused.js';
import type { Randomness } from '../shared/ids/ids.js';
import { type Signer, SignerUnavailable } from '../shared/signing/signer.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { joinSigner } from '../signer/index.js';
import type { Closing } from './closing.js';

interface SignerDeps {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
}

interface OpenedSigner {
  readonly signer: Signer;
  readonly masterKey: MasterKey;
}

/** Roles that ask the signer directly: their processes build the admin subgraph. */
const ASKING_MODES: ReadonlySet<string> = new Set(['all', 'worker', 'admin']);

/** Joins the signer, and gets the key of the data from it. @throws StartRefused */
export async function openSigner(
  config: Config,
  deps: SignerDeps,
  {
    signerProcess = false,
    signsNothing = false,
  }: { readonly signerProcess?: boolean; readonly signsNothing?: boolean },
  closing: Closing,
): Promise<OpenedSigner> {
  const { masterKeyHex, production, mode, signer: settings } = config;
  if (masterKeyHex === null && production)
    throw new StartRefused('SERVICE_MASTER_KEY is required when NODE_ENV is production');
  const given = masterKeyHex === null ? null : new MasterKey(Buffer.from(masterKeyHex, 'hex'));
  if (given !== null && (signsNothing || !ASKING_MODES.has(mode))) return { signer: NO_SIGNER, masterKey: given };
  await refuseOldPlace(config);
  const start = !settings.start ? 'never' : signerProcess ? 'child' : 'inside';
  const signer = await joinSigner({
    ...deps,
    folder: settings.dir,
    sharedSocket: settings.socket,
    masterKeyHex,
    start,
  }).catch((error: unknown) => {
    if (!(error instanceof SignerUnavailable)) throw error;
    throw new StartRefused(`the signer of ${settings.dir} does not answer; start it with SERVICE_MODE=signer`);
  });
  closing.add(() => signer.close());
  return { signer, masterKey: given ?? new MasterKey(await signer.dataKey()) };
}

/** A start with fresh keys could not read the stored data. */
async function refuseOldPlace({ dataDir, signer }: Config): Promise<void> {
  const isThere = (path: string): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );
  const isOld = await isThere(join(dataDir, 'master.key'));
  if (isOld && !(await isThere(join(signer.dir, 'master.key'))))
    throw new StartRefused(`the keys are still in ${dataDir}; move them to the signer: npm run signer -- move`);
}

const absent = async (): Promise<never> => {
  throw new SignerUnavailable('this process joins no signer');
};

const NO_SIGNER: Signer = {
  dataKey: absent,
  createKey: absent,
  endKey: absent,
  sign: absent,
  lastSigned: absent,
  status: absent,
};
