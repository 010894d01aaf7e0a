import { MongoBackend } from '@agendajs/mongo-backend';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agenda } from 'agenda';
import { startTestServer, type TestServer, until } from '../test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/**
 * A lock that ends on a busy machine lets a job run twice, as it should; one that is longer leaves a timer of half of it
 * behind after each job.
 */
function agendaOn(db: ReturnType<TestServer['db']>): Agenda {
  return new Agenda({
    backend: new MongoBackend({ mongo: db, collection: 'jobs' }),
    processEvery: 50,
    defaultLockLifetime: 20_000,
  });
}

describe('agenda', () => {
  it('runs immediate, scheduled and repeated jobs, and records failures', async () => {
    const db = server.db();
    const agenda = agendaOn(db);
    const runs = new Map<string, number>();
    const count = (name: string) => runs.set(name, (runs.get(name) ?? 0) + 1);
    for (const name of ['now', 'later', 'again']) agenda.define(name, async () => void count(name));
    agenda.define('fails', async () => {
      count('fails');
      throw new Error('on purpose');
    });
    await agenda.start();
    await agenda.now('now', { some: 'data' });
    await agenda.schedule(new Date(Date.now() + 200), 'later', {});
    await agenda.every(100, 'again');
    await agenda.now('fails', {});
    await until(
      () =>
        runs.get('now') === 1 && runs.get('later') === 1 && (runs.get('again') ?? 0) >= 3 && runs.get('fails') === 1,
    );
    await until(async () => (await db.collection('jobs').findOne({ name: 'fails' }))?.['failReason'] === 'on purpose');
    await agenda.drain();
  });

  it('runs each job exactly once with three agendas on one queue', async () => {
    const db = server.db();
    const runs = new Map<number, number>();
    const agendas = Array.from({ length: 3 }, () => agendaOn(db));
    for (const agenda of agendas) {
      agenda.define('task', async (job: { attrs: { data: unknown } }) => {
        const { n } = job.attrs.data as { n: number };
        runs.set(n, (runs.get(n) ?? 0) + 1);
      });
      await agenda.start();
    }
    const [first] = agendas;
    for (let n = 0; n < 60; n++) await first?.now('task', { n });
    await until(() => runs.size === 60);
    await Promise.all(agendas.map((agenda) => agenda.drain()));
    expect([...runs.values()].filter((times) => times !== 1)).toEqual([]);
  });
});
