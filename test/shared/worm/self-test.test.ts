import { describe, expect, it } from '@jest/globals';
import type { Db } from 'mongodb';
import { Closing } from '../../../app/closing.js';
import { openStores } from '../../../app/stores.js';
import { configFrom } from '../../../shared/config/config.js';
import { wormRights } from '../../../shared/worm/self-test.js';
import { startTestServer } from '../../support/database.js';
import { recordingLogger } from '../../support/fakes.js';

const refusing = (code: number): Db =>
  ({
    collection: () => ({
      updateOne: () => Promise.reject(Object.assign(new Error('refused'), { code })),
      deleteOne: async () => ({ deletedCount: 0 }),
    }),
  }) as unknown as Db;

describe('the self-test of the write-once database', () => {
  it('reports the rights that the server would grant, and throws any other error', async () => {
    expect(await wormRights(refusing(13))).toEqual(['delete']);
    await expect(wormRights(refusing(91))).rejects.toThrow('refused');
  });

  it('finds both rights on a server without roles, and changes nothing there', async () => {
    const server = await startTestServer();
    const { db } = await server.connect('rights');
    expect(await wormRights(db)).toEqual(['update', 'delete']);
    expect(await db.collection('blobs').countDocuments()).toBe(0);
    await server.stop();
  });

  it('fails a strict start if a credential is missing or may change stored data, and names it', async () => {
    const server = await startTestServer();
    const refusal = async (env: Readonly<Record<string, string>>): Promise<string> => {
      const closing = new Closing();
      const config = configFrom({ SERVICE_MASTER_KEY: '07'.repeat(32), SERVICE_WORM_STRICT: 'true', ...env });
      const { uri } = server;
      const stop = async (): Promise<void> => undefined;
      const database = Promise.resolve({ uri, description: 'a test', engine: 'embedded' as const, stop });
      const { logger } = recordingLogger();
      const refused = await openStores(config, { database }, logger, closing).catch((error: Error) => error.message);
      await closing.run();
      return String(refused);
    };
    const [retention, rotator] = [{ MONGODB_RETENTION_URI: server.uri }, { MONGODB_ROTATOR_URI: server.uri }];
    expect(await refusal({})).toBe('SERVICE_WORM_STRICT needs MONGODB_RETENTION_URI and MONGODB_ROTATOR_URI');
    expect(await refusal(retention)).toBe('SERVICE_WORM_STRICT needs MONGODB_ROTATOR_URI');
    expect(await refusal(rotator)).toBe('SERVICE_WORM_STRICT needs MONGODB_RETENTION_URI');
    expect(await refusal({ ...retention, ...rotator })).toContain('may update and delete');
    await server.stop();
  });

  it('is strict only if the setting says so', () => {
    expect(configFrom({}).wormStrict).toBe(false);
    expect(configFrom({ SERVICE_WORM_STRICT: 'true', MONGODB_RETENTION_URI: 'mongodb://r@db' })).toMatchObject({
      wormStrict: true,
      retentionUri: 'mongodb://r@db',
    });
  });
});
