import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Ran, runServiceCommand } from '../support/commands.js';
import { eventually } from '../support/eventually.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

const MASTER_KEY = '12'.repeat(32);

let service: WholeService;
let dataDir: string;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_MASTER_KEY: MASTER_KEY });
  dataDir = await mkdtemp(join(tmpdir(), 'operator-key-'));
});
afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs the command on the database of the service. */
const operatorKey = (...args: readonly string[]): Promise<Ran> =>
  runServiceCommand('operator-key', args, {
    MONGODB_URI: service.databaseUri,
    SERVICE_DATA_DIR: dataDir,
    SERVICE_MASTER_KEY: MASTER_KEY,
  });

describe('npm run operator-key', () => {
  it('makes an operator key that the service accepts, and records reason and name', async () => {
    const { code, text } = await operatorKey('--reason', 'The printed key was lost.', '--by', 'ops');
    expect(code).toBe(0);
    const [, key = ''] = /^Operator key \(shown once, keep it\): (eas_live_\S+)$/m.exec(text) ?? [];
    const http = service.operator.as(key);
    expect((await http.get('/v1/tenants')).status).toBe(200);
    const acts = await eventually(
      async () =>
        (await http.get('/v1/events?tenant_id=_operator&source_system=_platform&event_type=api-key.created')).json
          .items,
      (items) => items?.some(({ payload }: { payload: { reason?: string } }) => payload.reason !== undefined),
    );
    expect(acts.map(({ payload }: { payload: object }) => payload)).toContainEqual(
      expect.objectContaining({ reason: 'The printed key was lost.', ordered_by: 'ops', scopes: ['*'] }),
    );
  });

  it.each([[[]], [['--reason', ' ']], [['--reason', 'x', 'more']]])('refuses %j with its usage', async (args) => {
    expect(await operatorKey(...args)).toEqual({
      code: 2,
      text: expect.stringMatching(/^usage: npm run operator-key/),
    });
  });
});
