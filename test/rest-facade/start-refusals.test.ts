import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService } from '../../app/start-service.js';
import { configFrom } from '../../shared/config/config.js';
import { StartRefused } from '../../shared/errors/start-refused.js';

const MASTER_KEY = '5e'.repeat(32);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eas-refusals-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the start is refused with; a start that goes through stops again. */
async function refusal(env: Readonly<Record<string, string>>): Promise<unknown> {
  const config = configFrom({ PORT: '0', SERVICE_LOG_LEVEL: 'silent', SERVICE_MASTER_KEY: MASTER_KEY, ...env });
  return startService(config).then(
    (service) => service.stop(),
    (error: unknown) => error,
  );
}

describe('a start that fails', () => {
  it('reports in one sentence, without a stack, that the data folder cannot be made', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const refused = await refusal({ SERVICE_DATA_DIR: file });
    expect(refused).toBeInstanceOf(StartRefused);
    expect(String(refused)).toContain(`the data folder ${file} cannot be created (EEXIST)`);
  });

  it('reports in one sentence, without its password, that the database does not answer', async () => {
    const refused = await refusal({
      SERVICE_DATA_DIR: join(folder, 'data'),
      MONGODB_URI: 'mongodb://auditor:hunter22@127.0.0.1:1/eas',
    });
    expect(refused).toBeInstanceOf(StartRefused);
    expect(String(refused)).toMatch(/the database cannot be used \(\w+\): MongoDB at 127\.0\.0\.1:1 \(MONGODB_URI\)/);
    expect(String(refused)).not.toContain('hunter22');
  });
});
