import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { Operation, OperationRegistry } from '../../exec/operation.js';
import { startServer } from '../../server/server.js';
import { REAL_SYSTEM } from '../../server/system.js';
import { failureOf, temporaryDirectory, until } from '../test-server.js';

const READERS = 8;
const client = { id: 1, gone: new AbortController().signal };

describe('a stop under load', () => {
  it('ends the paused reads before it closes the files, and reports no fault', async () => {
    const directory = temporaryDirectory();
    const reports: unknown[] = [];
    const system = { ...REAL_SYSTEM, report: (_message: string, error: unknown) => void reports.push(error) };
    const server = await startServer({ dataDir: directory.path, socketPath: join(directory.path, 'db.sock'), system });
    const uri = `mongodb://${encodeURIComponent(server.socketPath)}/`;
    const driver = await MongoClient.connect(uri, {
      retryReads: false,
      serverSelectionTimeoutMS: 500,
      maxPoolSize: READERS + 2,
    });
    const c = driver.db('stop').collection('c');
    await c.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, text: `t${n}`.repeat(8) })));
    const read = async (): Promise<never> => {
      // Each reader asks again, so that reads run at whatever moment the stop comes.
      for (;;) await c.countDocuments({ text: /9t9$/ });
    };
    const reads = Array.from({ length: READERS }, read);
    const settled = Promise.allSettled(reads);
    const running = async () => (await driver.db('admin').command({ currentOp: 1, op: 'command' }))['inprog'].length;
    await until(async () => (await running()) > READERS / 2);
    await server.close();
    // A read that outlived the close would fail in the turns that follow it.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const outcomes = await settled;
    await driver.close();
    directory.remove();
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: READERS }, () => 'rejected'));
    expect(reports).toEqual([]);
  });
});

describe('the registry of operations', () => {
  it('waits for the last running operation and rejects later ones with 91', async () => {
    const registry = new OperationRegistry({ monotonicMs: () => 0 });
    const operation = registry.begin('find', 'db.c', client);
    let isClosed = false;
    const closing = registry.close().then(() => {
      isClosed = true;
    });
    expect(operation).toBeInstanceOf(Operation);
    expect(operation.failure(0)).toMatchObject({ codeName: 'ShutdownInProgress' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    registry.end(operation);
    await closing;
    expect(await failureOf((async () => registry.begin('find', 'db.c', client))())).toMatchObject({ code: 91 });
  });
});
