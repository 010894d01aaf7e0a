import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { writtenByTurns } from '../../shared/telemetry/logger.js';

it('writes the lines of one tick together and in order, and flushes them at once with a fatal line', async () => {
  const written: string[] = [];
  const logger = pino({ base: null, timestamp: false }, writtenByTurns({ write: (text) => written.push(text) }));
  logger.info('one');
  logger.info('two');
  expect(written).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toEqual(['{"level":30,"msg":"one"}\n{"level":30,"msg":"two"}\n']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toHaveLength(1);
  logger.info('three');
  logger.fatal('four');
  expect(written[1]).toBe('{"level":30,"msg":"three"}\n{"level":60,"msg":"four"}\n');
});
