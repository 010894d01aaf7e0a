import { describe, expect, it } from '@jest/globals';
import { buildRoleServer } from '../../gateway/subgraph-server/server.js';
import type { SubgraphSource } from '../../gateway/subgraph-source.js';
import { InternalTokens } from '../../shared/auth/internal-token.js';
import { systemClock } from '../../shared/clock/clock.js';
import { CallerLeft } from '../../shared/errors/caller-left.js';
import { recordingLogger } from '../support/fakes.js';
import { contextWith, SECRET, sourceOver } from './remote-kit.js';

function promised<T>() {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value: T) => settle(value) };
}

/** A subgraph in another process that works until its caller leaves. */
async function workingUntilLeft() {
  const { promise: begun, resolve: begin } = promised<void>();
  const { promise: ended, resolve: end } = promised<'left' | 'never cut'>();
  const source: Pick<SubgraphSource, 'fetch'> = {
    fetch: async (_query, _variables, { signal }) => {
      begin();
      if (signal === undefined) end('never cut');
      else signal.addEventListener('abort', () => end('left'));
      await ended;
      return { data: { done: true } };
    },
  };
  const { logger } = recordingLogger();
  const server = buildRoleServer({
    logger,
    health: async () => ({ status: 'ok', checks: {} }),
    ready: async () => ({ status: 'ok', checks: {} }),
    graph: {
      tokens: new InternalTokens(SECRET, systemClock),
      source: () => ({ ...source, process: ({ context }) => source.fetch('', {}, context) }),
      maxBodyBytes: 1_024,
    },
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  return { url, begun, ended, close: () => server.close() };
}

describe('a call to a subgraph in another process', () => {
  it('ends a read there when the client leaves', async () => {
    const { url, begun, ended, close } = await workingUntilLeft();
    const source = sourceOver([url], { timeoutMs: 60_000 });
    const client = new AbortController();
    const read = source.fetch('{ slow }', {}, { ...contextWith(), signal: client.signal });
    const failed = expect(read).rejects.toThrow(CallerLeft);
    await begun;
    client.abort();
    await failed;
    expect(await ended).toBe('left');
    await source.close();
    await close();
  });

  it('never cuts a mutation', async () => {
    const { url, ended, close } = await workingUntilLeft();
    const source = sourceOver([url], { timeoutMs: 60_000 });
    expect(await source.fetch('mutation Slow { slow }', {}, contextWith())).toEqual({ data: { done: true } });
    expect(await ended).toBe('never cut');
    await source.close();
    await close();
  });
});
